/**
 * A fleet that gives: sandbox with its wallet, relay, adapters and a gateway, a player whose answers
 * are kept, and short words for what gift tests ask and order again and again.
 */
import type { AppCode, CommandId, RoomId } from '../../../src/domain/ids.ts';
import { debitKeyOf } from '../../../src/protocol/debit.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { RoleName } from '../../../src/main/role.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './fleet.ts';
import { GiftPlayer } from './gift-play.ts';
import { moneyAddsUp, type Books } from './money.ts';
import { orderFault, recordsProduced, walletAccounts, walletRecord } from './observe.ts';
import type { WalletRecord } from './observe.ts';
import type { RoleProcess } from './role-process.ts';
import { openTaps, type Taps } from './taps.ts';

/** Longest wait of the cells for one answer of the wallet. */
export const walletTimeoutMs = 1_000;

/** See the file header. */
export class GiftFleet {
  readonly fleet: Fleet;
  readonly client: FleetClient;
  readonly player: GiftPlayer;
  readonly taps: Taps;

  private constructor(fleet: Fleet, client: FleetClient, taps: Taps) {
    this.fleet = fleet;
    this.client = client;
    this.taps = taps;
    this.player = new GiftPlayer(fleet, client);
  }

  /**
   * `core`: roles of the gateway's process. `budgetMs`: time of one gift's wallet calls. `more`:
   * configuration of every process.
   */
  static async open(
    label: string,
    core: readonly RoleName[],
    budgetMs: number,
    more: Readonly<Record<string, string>> = {},
  ): Promise<GiftFleet> {
    const fleet = await Fleet.open(label, {
      ROOMCELL_WALLET_TIMEOUT: `${walletTimeoutMs}ms`,
      ROOMCELL_CELL_CHARGE_BUDGET: `${budgetMs}ms`,
      ROOMCELL_CELL_SETTLEMENT_POLL: '200ms',
      ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: '200ms',
      ROOMCELL_OUTBOX_WORKER_INITIAL_BACKOFF: '400ms',
      ...more,
    });
    const taps = await openTaps(fleet);
    const gateway = await fleet.start('core', core);
    const sandbox = await fleet.start('sandbox', ['sandbox']);
    const { env } = taps;
    const outside = await fleet.start('outside', ['relay', 'adapter-im', 'adapter-activity'], {
      env,
    });
    for (const started of [gateway, sandbox, outside]) await started.ready();
    return new GiftFleet(fleet, fleet.connect(gateway), taps);
  }

  /** A cell that dies, or freezes, at the point once `fleet.arm(armedBy)` was called. */
  async doomedCell(
    point: TracePoint,
    armedBy: string,
    action: 'kill' | 'stop' = 'kill',
  ): Promise<RoleProcess> {
    const faultAt = { point, pass: 1, action, armedBy };
    const cell = await this.fleet.start('cell-a', ['cell'], { faultAt });
    return cell.ready();
  }

  /** Orders a fault at the wallet. */
  lie(fault: Readonly<Record<string, unknown>>): Promise<void> {
    return orderFault(this.fleet, { destination: 'wallet', ...fault });
  }

  /** Fails unless both sides' books agree. */
  books(): Promise<Books> {
    return moneyAddsUp(this.fleet, this.client, this.player.answers);
  }

  /** What stands at the wallet under the gift's key; undefined: it never heard of it. */
  async keyOf(commandId: string, room: string): Promise<WalletRecord['keys'][number] | undefined> {
    const key = debitKeyOf(fleetApp as AppCode, room as RoomId, commandId as CommandId);
    return (await walletRecord(this.fleet)).keys.find((known) => known.key === key);
  }

  /** Waits until the wallet has taken the gift's coins. */
  async debited(commandId: string, room: string): Promise<void> {
    await waitUntil(
      `${commandId} is debited`,
      async () => (await this.keyOf(commandId, room))?.debits === 1,
      { limitMs: 30_000 },
    );
  }

  /** Coins of a user; the wallet must have seen it. */
  async coinsOf(user: string): Promise<bigint> {
    const account = (await walletAccounts(this.fleet)).find(({ user_id }) => user_id === user);
    if (account === undefined) throw new Error(`the wallet has never seen ${user}`);
    return BigInt(account.coins);
  }

  /** Waits until the commands topic holds so many more records than `before`. */
  async produced(before: bigint, more: bigint): Promise<void> {
    await waitUntil(
      `${more} more records are in the topic`,
      async () => (await recordsProduced(this.fleet)) >= before + more,
      { limitMs: 30_000, everyMs: 50 },
    );
  }

  /** Leaves neither faults nor cells named `cell-…` of a test, failed or not, to the next one. */
  async tidyUp(): Promise<void> {
    this.fleet.walletProxy.setMode({ kind: 'pass' });
    await this.fleet.walletProxy.accept();
    await this.lie({ clear: true });
    for (const started of this.fleet.processes.filter(({ name }) => name.startsWith('cell-'))) {
      started.thaw();
      await started.kill();
    }
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.taps.close();
  }
}
