/**
 * Operators, where failed rows hold a room's later ones back: they look now and then, and have a failed
 * row sent again or give it up, each after a while. They go on when the storm is over, since nothing else
 * ends that wait.
 */
import type { CommandId, UserId } from '../../../src/domain/ids.ts';
import { createMemoryDrivers } from '../../../src/drivers/memory/memory-drivers.ts';
import {
  isUnfinished,
  streamKey,
  type OutboxRow,
} from '../../../src/drivers/memory/memory-rows.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { OperatorStore } from '../../../src/ports/operator-store.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import type { World } from '../world/world.ts';

const lookEveryMs = 700;
/** Share of the looks in which a failed row is acted on. */
const actShare = 0.5;
const giveUpShare = 0.3;

/** From now on, to the end of the run. Does nothing where nothing blocks. */
export function lookAfterFailedRows(world: World): void {
  if (world.blocking.length === 0) return;
  const random = new SimRandom(world.options.seed, 'operators');
  const store = createMemoryDrivers(world.database).operatorStore;
  const timers = world.kernel.timersOf('operators');
  let acts = 0;
  const look = async (): Promise<void> => {
    for (const row of failedRows(world)) {
      if (isHoldingBack(world, row)) world.metrics.count('world_rows_held_back');
      if (!random.chance(actShare)) continue;
      acts += 1;
      await act(world, store, row, random.chance(giveUpShare), `operator-${acts}`);
    }
    timers.after(lookEveryMs, () => void look());
  };
  timers.after(lookEveryMs, () => void look());
}

function failedRows({ database, blocking }: World): readonly OutboxRow[] {
  return [...database.outbox.values()].filter(
    ({ status, destination }) => status === 'failed' && blocking.includes(destination),
  );
}

function isHoldingBack({ database }: World, failed: OutboxRow): boolean {
  return database.outbox
    .rowsBy('stream', streamKey(failed))
    .some((row) => isUnfinished(row) && row.rowId > failed.rowId);
}

/** A room whose group was never made would fail with each of its rows: its birth is not given up. */
async function act(
  { kernel, metrics }: World,
  store: OperatorStore,
  { appCode, roomId, eventId, destination, eventType }: OutboxRow,
  isGivenUp: boolean,
  commandId: string,
): Promise<void> {
  const type = isGivenUp && eventType !== 'RoomCreated' ? 'DismissOutbox' : 'ReplayOutbox';
  const meant = { roomId, eventId, destination, eventType, createdBeforeMs: 0, limit: 1 };
  const by = { commandId: commandId as CommandId, operatorId: 'operator' as UserId };
  try {
    await store.carryOut({ type, appCode, ...by, ...meant }, kernel.trueMs);
    metrics.count('world_failed_rows', { type });
  } catch (thrown) {
    // The database is away, or did it without an answer: the next look sees what is failed then.
    if (!(thrown instanceof Failure) || thrown.kind !== 'retry') throw thrown;
  }
}
