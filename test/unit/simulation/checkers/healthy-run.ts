/**
 * A run in which nothing goes wrong that may not: two apps with the same room and command ids, every
 * kind of command and of end, a takeover, snapshots, a gift paid, one given back, and deliveries with
 * a failure, a permanent one and a superseded row. Every judge must be content with it.
 */
import type { AppCode, GiftId, MicSessionId, UserId } from '../../../../src/domain/ids.ts';
import type { SendGift } from '../../../../src/domain/gift/gift-commands.ts';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import type { RoomView } from '../../../../src/domain/room/room-view.ts';
import type { CallEnd } from '../../../simulation/observations.ts';
import { createRoomBody, joinRoomBody } from '../../../support/cell-rig.ts';
import type { RigNode } from '../../../support/cell-rig.ts';
import { eventually } from '../../../support/stepped-time.ts';
import { RecordedDelivery } from './recorded-delivery.ts';
import { Recorder } from './recorded-run.ts';
import type { Entry } from './recorded-run.ts';

const app1 = 'app1' as AppCode;
const app2 = 'app2' as AppCode;

/** Records it. */
export async function healthyRun(): Promise<readonly Entry[]> {
  const recorder = new Recorder();
  await sellRoses(recorder);
  recorder.observed({ kind: 'phase', atMs: recorder.nowMs, phase: 'warmUp' });
  const first = await recorder.node('a');
  await fillRooms(recorder, first);
  await speak(recorder, first);
  await give(recorder, first);
  await manage(recorder, first);
  await disturb(recorder, first);
  first.source.assign([]);
  const second = await recorder.node('b');
  await closeRoom(recorder, second);
  await readRoom(recorder, second);
  await askOwner(recorder, second);
  await watchRooms(recorder, second);
  recorder.observed({ kind: 'phase', atMs: recorder.nowMs, phase: 'settle' });
  await eventually('nothing is owed back', () => {
    recorder.rig.time.advance(100);
    return [...recorder.rig.database.settlements.values()].every(
      ({ status }) => status === 'settled',
    );
  });
  await new RecordedDelivery(recorder).run();
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
    await rig.catalogue.put(
      app,
      { giftId: 'rose' as GiftId, coinPrice: 10n, onSale: true, lucky: false },
      0,
    );
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

/** A room with a password, of which somebody is the manager. */
async function manage(recorder: Recorder, node: RigNode): Promise<void> {
  const user = (name: string): UserId => name as UserId;
  const given = (verdict: 'match' | 'mismatch') => ({
    ...joinRoomBody(),
    password: { passwordVersion: 1n, verdict },
  });
  const call = (id: string, by: string, body: CommandBody): Promise<CallEnd> =>
    recorder.call(node, 'r3', id, by, body);
  await call('c1', 'u1', createRoomBody({ passwordHash: 'scrypt' }));
  await call('j1', 'u1', joinRoomBody());
  await call('j2', 'u2', given('mismatch'));
  await call('j3', 'u2', given('match'));
  await call('j4', 'u3', given('match'));
  await call('up1', 'u2', { type: 'MicUp', seatNo: 1 });
  await call('lock3', 'u1', { type: 'SetMicSeatLock', seatNo: 3, locked: true });
  await call('move', 'u2', { type: 'ChangeMicSeat', toSeatNo: 2 });
  await call('apply', 'u1', { type: 'SetRoomMode', mode: 'apply' });
  await call('ask', 'u3', { type: 'ApplyForMic', seatNo: 0 });
  const expiresAtMs = recorder.nowMs + 5_000;
  await call('kick', 'u1', { type: 'KickUser', userId: user('u2'), reason: 'rude', expiresAtMs });
  const rows = recorder.rig.database.log.size;
  recorder.rig.time.advance(5_100);
  await eventually('the ban has ended', () => recorder.rig.database.log.size > rows);
  await call('fewer', 'u1', { type: 'SetSeatCount', seatCount: 4 });
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

/** Every question, and those that are refused: u1 manages r3, where u3 asks for the mic. */
async function askOwner(recorder: Recorder, node: RigNode): Promise<void> {
  const kick = {
    type: 'KickUser',
    userId: 'u7' as UserId,
    reason: 'rude',
    expiresAtMs: 0,
  } as const;
  await recorder.call(node, 'r3', 'kick-u7', 'u1', kick);
  for (const room of ['r1', 'r2', 'r3', 'nowhere']) {
    await recorder.read(node, room, { kind: 'view' }, 'u1');
    for (const userId of ['u1', 'u7', 'u9']) {
      await recorder.read(node, room, { kind: 'guard', userId });
    }
    for (const asker of ['', 'u1', 'u2']) {
      await recorder.read(node, room, { kind: 'audience', pageSize: 1 }, asker);
      await recorder.read(node, room, { kind: 'bans', pageSize: 100 }, asker);
      await recorder.read(node, room, { kind: 'micRequests' }, asker);
    }
    await recorder.read(node, room, { kind: 'giftRank', places: 2 });
  }
}

/** Streams from the beginning and from where a former one ended; and one that is refused. */
async function watchRooms(recorder: Recorder, node: RigNode): Promise<void> {
  await recorder.watch(node, 'r1', {});
  await recorder.watch(node, 'r1', { afterVersion: 22n, messages: 4 });
  await recorder.watch(node, 'r1', { userId: 'u2', afterVersion: 22n, messages: 4 });
  await recorder.watch(node, 'r1', { userId: 'u9' });
}

function sessionOf(end: CallEnd): MicSessionId {
  const session = end.kind === 'ok' ? end.result.fields.micSessionId : undefined;
  if (session === undefined) throw new Error('a MicUp without a session');
  return session;
}
