/**
 * A run in which nothing goes wrong that may not: two apps with the same room and command ids, every
 * kind of command and of end, a takeover, snapshots, a gift paid, one given back, and deliveries with
 * a failure, a permanent one and a superseded row. Every judge must be content with it.
 */
import type { AppCode, GiftId, MicSessionId, UserId } from '../../../../src/domain/ids.ts';
import type { SendGift } from '../../../../src/domain/room/commands.ts';
import type { RoomView } from '../../../../src/domain/room/room-view.ts';
import { MemoryOutboxStore } from '../../../../src/drivers/memory/memory-outbox-store.ts';
import type { ClaimedRow, ClaimedRun, RunFinish } from '../../../../src/ports/outbox-store.ts';
import type { CallEnd } from '../../../simulation/observations.ts';
import { createRoomBody, joinRoomBody } from '../../../support/cell-rig.ts';
import type { RigNode } from '../../../support/cell-rig.ts';
import { eventually } from '../../../support/stepped-time.ts';
import { Recorder } from './recorded-run.ts';
import type { Entry } from './recorded-run.ts';

const app1 = 'app1' as AppCode;
const app2 = 'app2' as AppCode;
const shards = Array.from({ length: 8 }, (_, shard) => shard);

/** Records it. */
export async function healthyRun(): Promise<readonly Entry[]> {
  const recorder = new Recorder();
  await sellRoses(recorder);
  recorder.observed({ kind: 'phase', atMs: recorder.nowMs, phase: 'warmUp' });
  const first = await recorder.node('a');
  await fillRooms(recorder, first);
  await speak(recorder, first);
  await give(recorder, first);
  await disturb(recorder, first);
  first.source.assign([]);
  const second = await recorder.node('b');
  await closeRoom(recorder, second);
  await readRoom(recorder, second);
  recorder.observed({ kind: 'phase', atMs: recorder.nowMs, phase: 'settle' });
  await eventually('nothing is owed back', () => {
    recorder.rig.time.advance(100);
    return [...recorder.rig.database.settlements.values()].every(
      ({ status }) => status === 'settled',
    );
  });
  await new Delivery(recorder).run();
  // The applied offset of refusals and heartbeats is flushed now and then.
  recorder.rig.time.advance(6_000);
  await Promise.all([first.cell.stop(), second.cell.stop()]);
  return recorder.entries;
}

/** A SendGift of roses. */
export function roses(targets: readonly string[], giftCount: number): SendGift {
  const targetUserIds = targets as readonly UserId[];
  return { type: 'SendGift', giftId: 'rose' as GiftId, giftCount, targetUserIds, comboId: '' };
}

async function sellRoses({ rig }: Recorder): Promise<void> {
  for (const app of [app1, app2]) {
    await rig.catalogue.put(app, { giftId: 'rose' as GiftId, coinPrice: 10n, onSale: true }, 0);
  }
}

async function fillRooms(recorder: Recorder, node: RigNode): Promise<void> {
  for (const app of [app1, app2]) {
    await recorder.call(node, 'r1', 'c1', 'u1', createRoomBody(), { app, view: true });
    for (const user of ['u1', 'u2', 'u3']) {
      await recorder.call(node, 'r1', `join-${user}`, user, joinRoomBody(), { app, view: true });
    }
  }
}

async function speak(recorder: Recorder, node: RigNode): Promise<void> {
  const { rig } = recorder;
  const up = await recorder.call(node, 'r1', 'm1', 'u1', { type: 'MicUp', seatNo: 1 });
  const micSessionId = sessionOf(up);
  await recorder.call(node, 'r1', 'p1', 'u1', { type: 'ConfirmMicPublishing', micSessionId });
  await recorder.call(node, 'r1', 'm3', 'u3', { type: 'MicUp', seatNo: 1 });
  await recorder.call(node, 'r1', 'm2', 'u2', { type: 'MicUp', seatNo: 0 });
  const rows = rig.database.log.size;
  rig.time.advance(16_000);
  await eventually('the publish timeout is stored', () => rig.database.log.size > rows);
}

async function give(recorder: Recorder, node: RigNode): Promise<void> {
  await recorder.call(node, 'r1', 'g1', 'u1', roses(['u2', 'u3'], 2));
  await recorder.call(node, 'r1', 'g1', 'u1', roses(['u2', 'u3'], 2));
  await recorder.call(node, 'r1', 'g2', 'u2', roses(['u1'], 101));
  await recorder.call(node, 'r1', 'g3', 'u2', roses(['u1'], 1), { view: true });
  await recorder.call(node, 'r1', 'g1', 'u2', roses(['u1'], 3), { app: app2 });
}

/** Ends that leave no row, or another one than the caller hoped for. */
async function disturb(recorder: Recorder, node: RigNode): Promise<void> {
  const { rig } = recorder;
  await recorder.call(node, 'r1', 'c1', 'u2', joinRoomBody());
  await recorder.call(node, 'r1', 'x1', 'u3', { type: 'LeaveRoom' }, { ttlMs: 0 });
  await recorder.call(node, 'r1', 'x1', 'u3', { type: 'LeaveRoom' });
  await recorder.call(node, 'none', 'x2', 'u3', { type: 'LeaveRoom' });
  await rig.reply(node, rig.sendHeartbeats(0, [['r1', 'u1']]));
  await rig.reply(node, rig.append(1, null, Buffer.from('no record')));
  for (let n = 1; n <= 12; n += 1) {
    await recorder.call(node, 'r1', `name-${n}`, 'u1', joinRoomBody(`name ${n}`));
  }
}

async function closeRoom(recorder: Recorder, node: RigNode): Promise<void> {
  await recorder.call(node, 'r2', 'c1', 'u1', createRoomBody({ passwordHash: 'scrypt' }));
  await recorder.call(node, 'r2', 'j1', 'u1', joinRoomBody());
  await recorder.call(node, 'r2', 'm1', 'u1', { type: 'MicUp', seatNo: 2 });
  const close = { type: 'CloseRoom', reason: 'over', note: '' } as const;
  await recorder.call(node, 'r2', 'x1', 'u1', close, { view: true });
  await recorder.call(node, 'r2', 'j2', 'u2', joinRoomBody());
  await recorder.call(node, 'r2', 'x2', 'u1', close);
}

async function readRoom(recorder: Recorder, node: RigNode): Promise<void> {
  const joined = await recorder.call(node, 'r1', 'join-u4', 'u4', joinRoomBody(), { view: true });
  const view: RoomView | null = joined.kind === 'ok' ? joined.view : null;
  if (view === null) throw new Error('a join without a view');
  const ask = { kind: 'getRoomSnapshot', appCode: 'app1', roomId: 'r1' } as const;
  const atMs = recorder.nowMs;
  const call = { callId: 1_000, client: 'client-u4', gateway: 'gateway-1', sentAtMs: atMs, ask };
  recorder.observed({ kind: 'sent', atMs, call });
  recorder.observed({ kind: 'answered', atMs, call, end: { kind: 'snapshot', view } });
  await recorder.call(node, 'r1', 'leave-u4', 'u4', { type: 'LeaveRoom' });
}

function sessionOf(end: CallEnd): MicSessionId {
  const session = end.kind === 'ok' ? end.result.fields.micSessionId : undefined;
  if (session === undefined) throw new Error('a MicUp without a session');
  return session;
}

/** A relay and an adapter in one, until every row has ended. */
class Delivery {
  private readonly recorder: Recorder;
  private readonly store: MemoryOutboxStore;
  private claims = 0;
  private hasFailed = false;
  private isPermanent = false;

  constructor(recorder: Recorder) {
    this.recorder = recorder;
    this.store = new MemoryOutboxStore(recorder.rig.database);
  }

  async run(): Promise<void> {
    for (;;) {
      const runs = await this.store.claimRuns({
        shards,
        destinations: ['im', 'activity'],
        workerId: 'relay-1',
        newClaimToken: () => `claim-${(this.claims += 1)}`,
        nowMs: this.recorder.nowMs,
        lockMs: 60_000,
        batchSize: 1_000,
        runSize: 4,
        unconfirmedMax: 1_000,
        startedMax: 3,
      });
      if (runs.length === 0) return;
      for (const run of runs) await this.deliver(run);
      this.recorder.rig.time.advance(1_000);
    }
  }

  private async deliver(run: ClaimedRun): Promise<void> {
    const { recorder } = this;
    const ids = run.rows.map(({ rowId }) => rowId);
    await this.store.start(run.claimToken, ids, recorder.nowMs + 60_000);
    const rowIds: bigint[] = [];
    const supersededRowIds: bigint[] = [];
    for (const row of run.rows) {
      const failure = this.failureAt(run, row);
      if (failure !== null) {
        const finish = { ...failure, deliveredRowIds: rowIds, supersededRowIds };
        await this.store.finish(run.claimToken, finish, recorder.nowMs);
        return;
      }
      rowIds.push(row.rowId);
      if (run.destination === 'im' && row.eventType === 'RoomMicDown') {
        supersededRowIds.push(row.rowId);
      } else this.arrive(run, row);
    }
    const finish = { kind: 'delivered', rowIds, supersededRowIds } as const;
    await this.store.finish(run.claimToken, finish, recorder.nowMs);
  }

  /** The second row of `r1` fails once, after it had arrived; one update fails for ever. */
  private failureAt(
    run: ClaimedRun,
    row: ClaimedRow,
  ): Extract<RunFinish, { kind: 'failed' }> | null {
    if (run.destination !== 'activity' || run.appCode !== app1 || run.roomId !== 'r1') return null;
    const failed = {
      kind: 'failed',
      deliveredRowIds: [],
      failedRowId: row.rowId,
      error: 'no answer',
      countsAsTry: true,
      nextRetryAtMs: this.recorder.nowMs,
      maxRetryCount: 10,
    } as const;
    if (row.roomVersion === 2n && !this.hasFailed) {
      this.hasFailed = true;
      this.arrive(run, row);
      return { ...failed, permanent: false };
    }
    if (row.eventType !== 'RoomUserUpdated' || this.isPermanent) return null;
    this.isPermanent = true;
    return { ...failed, permanent: true };
  }

  private arrive(run: ClaimedRun, row: ClaimedRow): void {
    const { appCode, roomId, destination } = run;
    if (destination === 'rtc') return;
    const { eventId, eventType: type, roomVersion, eventIndex: index } = row;
    const shown = { event_id: eventId, app_code: appCode, room_id: roomId, type };
    const text = JSON.stringify({ ...shown, version: String(roomVersion), index });
    const bytes = destination === 'activity' ? row.envelope : Buffer.from(text);
    const atMs = this.recorder.nowMs;
    if (destination === 'im' && type === 'RoomCreated') return;
    this.recorder.observed({ kind: 'arrived', atMs, destination, appCode, roomId, eventId, bytes });
  }
}
