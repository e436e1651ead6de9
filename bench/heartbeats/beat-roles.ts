/** The processes of the heartbeat bench: a cell, and a gateway for each way of gathering. */
import type { SampleEnv } from '../../scripts/start/sample-env.ts';
import { freePort } from '../../scripts/stack/machine.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { startBenchRoles, type BenchProcess, type BenchRole } from '../bench-roles.ts';

/** A gateway with its way of gathering. */
export interface BeatGateway {
  readonly fold: string;
  readonly grpcAddress: string;
  readonly opsAddress: string;
}

/** What runs. */
export interface BeatRoles {
  readonly all: readonly BenchRole[];
  readonly cellOpsAddress: string;
  /** The usual way first. */
  readonly gateways: readonly BeatGateway[];
}

/** Ways of gathering: eight gateways make eight times the folds of one for each partition. */
const foldings = [
  { fold: '250 ms', name: 'gateway', env: {} },
  { fold: '31 ms', name: 'gateway-31ms', env: { ROOMCELL_GATEWAY_HEARTBEAT_FOLD: '31ms' } },
  {
    fold: 'each alone',
    name: 'gateway-alone',
    env: { ROOMCELL_GATEWAY_HEARTBEAT_FOLD_ITEMS_MAX: '1' },
  },
] as const;

/** Starts them and waits until all are ready. */
export async function startBeatRoles(
  sample: SampleEnv,
  timers: Timers,
  options: { readonly withProfiles: boolean; readonly signal: AbortSignal },
): Promise<BeatRoles> {
  const cellEnv = {
    // Who joined first must not be taken for gone before the last one is in.
    ROOMCELL_PRESENCE_STALE_AFTER: '2h',
    // A full room has a place for its visitors.
    ROOMCELL_LIMITS_USERS_PER_ROOM_MAX: '20000',
  };
  const processes: BenchProcess[] = [{ name: 'cell', args: ['cell'], env: cellEnv }];
  const addresses: string[] = [];
  for (const { name, env } of foldings) {
    const grpcAddress = `127.0.0.1:${await freePort()}`;
    addresses.push(grpcAddress);
    const where = { ROOMCELL_GATEWAY_GRPC_LISTEN: grpcAddress };
    processes.push({ name, args: ['gateway'], env: { ...env, ...where } });
  }
  const all = await startBenchRoles(processes, sample, timers, options);
  const [cell, ...others] = all;
  return {
    all,
    cellOpsAddress: cell?.opsAddress ?? '',
    gateways: foldings.map(({ fold }, at) => ({
      fold,
      grpcAddress: addresses[at] ?? '',
      opsAddress: others[at]?.opsAddress ?? '',
    })),
  };
}
