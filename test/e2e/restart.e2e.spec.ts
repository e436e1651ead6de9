/**
 * The cell is killed in the middle of a played room, under whatever it has saved by then, and the
 * room is as it was: the next owner rebuilds it from the last snapshot and the log after it.
 */
import { toJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoomSnapshotSchema } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { countOf, logOf } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

/** Long enough for the kill and the restart to happen before it, short enough to wait for. */
const publishTimeoutMs = 12_000;
const timeoutMs = 20_000;

let fleet: Fleet;
let client: FleetClient;
let cell: RoleProcess;

beforeAll(async () => {
  fleet = await Fleet.open('restart', {
    ROOMCELL_MIC_PUBLISH_TIMEOUT: `${publishTimeoutMs}ms`,
    ROOMCELL_SNAPSHOT_EVERY_N: '10',
  });
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cell = await fleet.start('cell-a', ['cell']);
  await gateway.ready();
  await cell.ready();
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await fleet.close();
});

/** A view as plain data, with the parts that are compared one by one. */
interface Seen {
  readonly seats: readonly { readonly seatNo: number; readonly state: string }[];
  readonly counts: unknown;
  readonly roomVersion: string;
}

/** The room as one user sees it, as plain data. */
async function seenBy(user: string, room: string): Promise<Seen> {
  const { snapshot } = await client.queries.getRoomSnapshot(
    { appCode: fleetApp, roomId: room },
    { timeoutMs, token: await fleet.token(user) },
  );
  if (snapshot === undefined) throw new Error('an answer without a snapshot');
  return toJson(RoomSnapshotSchema, snapshot, { alwaysEmitImplicit: true }) as unknown as Seen;
}

/** The owner's memory: the view that stands beside a command's answer. */
async function inMemory(room: string, commandId: string): Promise<Seen> {
  const meta = { appCode: fleetApp, roomId: room, commandId, actorUserId: 'u1' };
  const call = { timeoutMs, token: await fleet.token('u1') };
  // A refresh without change: it has no effect and its answer shows the whole room.
  const answer = await client.commands.joinRoom({ meta, profile: { nickname: 'u1' } }, call);
  expect(answer.applied).toBe(false);
  if (answer.snapshot === undefined) throw new Error('an answer without a snapshot');
  return toJson(RoomSnapshotSchema, answer.snapshot, {
    alwaysEmitImplicit: true,
  }) as unknown as Seen;
}

async function confirm(room: string, commandId: string, user: string, session: string) {
  const meta = { appCode: fleetApp, roomId: room, commandId, actorUserId: user };
  const call = { timeoutMs, token: await fleet.token(user) };
  await client.commands.confirmMicPublishing({ meta, micSessionId: session }, call);
}

/** When the room must wake, as stored for whoever owns it next. */
function deadlineOf(room: string): Promise<number> {
  return countOf(fleet, 'SELECT next_deadline_ms AS n FROM rooms WHERE room_id = ?', [room]);
}

function decidedAt(room: string, commandId: string): Promise<number> {
  return countOf(
    fleet,
    'SELECT decided_at_ms AS n FROM room_command_log WHERE room_id = ? AND command_id = ?',
    [room, commandId],
  );
}

describe('a cell that is killed in the middle of a room', () => {
  it('comes back to the same room, seat by seat, and its deadline still fires (LEASE-33)', async () => {
    const play = new RoomPlayer(fleet, client, 'evening');
    await play.create('c1');
    for (const user of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6']) await play.join(`j-${user}`, user);
    const u1Up = await play.micUp('m-u1', 'u1', 1);
    await confirm('evening', 'confirm-u1', 'u1', u1Up.micSessionId);
    await play.micUp('m-u2', 'u2', 4);
    await play.leave('l-u3', 'u3');
    await play.join('j2-u3', 'u3');
    await play.leave('l-u4', 'u4');
    // Some versions are in a snapshot, some in the log alone: the rebuild needs both.
    await waitUntil(
      'a snapshot is stored',
      async () => (await countOf(fleet, 'SELECT COUNT(*) AS n FROM room_snapshots')) > 0,
    );
    const snapshotAt = await countOf(fleet, 'SELECT MAX(version) AS n FROM room_snapshots');
    const user = await seenBy('u2', 'evening');
    const memory = await inMemory('evening', 'look-1');
    const log = await logOf(fleet, 'evening');
    const version = Number(log.findLast(({ version: at }) => at !== null)?.version);
    expect(snapshotAt).toBeLessThan(version);
    const firstDeadline = await deadlineOf('evening');
    expect(firstDeadline).toBeGreaterThan(0);

    await cell.kill();
    cell = await (await fleet.start('cell-a', ['cell'])).ready();

    expect(await seenBy('u2', 'evening')).toEqual(user);
    expect(await deadlineOf('evening')).toBe(firstDeadline);
    // The deadline was u2's, from before the kill; nobody touches the room until it fires.
    await waitUntil(
      'u2 is taken off the mic by the deadline',
      async () => (await logOf(fleet, 'evening')).length > log.length,
      { limitMs: publishTimeoutMs + 20_000, everyMs: 100 },
    );
    const fired = (await logOf(fleet, 'evening')).find(({ actor }) => actor === 'system');
    expect(fired).toMatchObject({ type: 'ExpireMicPublish', version: String(version + 1) });
    expect(await decidedAt('evening', String(fired?.commandId))).toBeGreaterThanOrEqual(
      firstDeadline,
    );
    const rebuilt = await inMemory('evening', 'look-2');
    const changed = { seats: [], counts: null, roomVersion: '' };
    expect({ ...rebuilt, ...changed }).toEqual({ ...memory, ...changed });
    const others = ({ seats }: Seen): unknown => seats.filter(({ seatNo }) => seatNo !== 4);
    expect(others(rebuilt)).toEqual(others(memory));
    expect(rebuilt.seats.find(({ seatNo }) => seatNo === 4)?.state).toBe('SEAT_STATE_IDLE');
    expect(memory.counts).toEqual({ online: 5, onSeat: 2, robots: 0 });
    expect(rebuilt.counts).toEqual({ online: 5, onSeat: 1, robots: 0 });
    expect((await play.join('j-u7', 'u7')).roomVersion).toBe(BigInt(version + 2));
  });

  it('takes a deadline that passed while nobody owned the room as due at once', async () => {
    const play = new RoomPlayer(fleet, client, 'short');
    await play.create('c1');
    await play.join('j1', 'u1');
    await play.micUp('m1', 'u1', 2);
    const dueAt = await deadlineOf('short');
    await cell.kill();
    await waitUntil('the deadline has passed', () => Promise.resolve(Date.now() > dueAt), {
      limitMs: publishTimeoutMs + 5_000,
      everyMs: 100,
    });
    cell = await (await fleet.start('cell-a', ['cell'])).ready();
    await waitUntil(
      'the seat is free again',
      async () => (await logOf(fleet, 'short')).some(({ type }) => type === 'ExpireMicPublish'),
      { limitMs: 20_000, everyMs: 50 },
    );
    expect((await play.micUp('m2', 'u1', 2)).applied).toBe(true);
  });

  it('between two commands of many callers leaves every room with a gapless log', async () => {
    const rooms = Array.from({ length: 12 }, (_, n) => `many-${n}`);
    const playing = rooms.map(async (room) => {
      const play = new RoomPlayer(fleet, client, room);
      await play.create('c1');
      for (const user of ['u1', 'u2', 'u3', 'u4']) await play.join(`j-${user}`, user);
      await play.micUp('m1', 'u1', 1);
    });
    await waitUntil(
      'half of the commands are stored',
      async () => (await countOf(fleet, manyRows)) > rooms.length * 3,
      { limitMs: 30_000 },
    );
    await cell.kill();
    cell = await fleet.start('cell-a', ['cell']);
    await Promise.all(playing);
    for (const room of rooms) {
      const versions = (await logOf(fleet, room)).map(({ version }) => version);
      expect(versions, room).toEqual(['1', '2', '3', '4', '5', '6']);
    }
    const events = await countOf(
      fleet,
      "SELECT COUNT(*) AS n FROM room_events WHERE room_id LIKE 'many-%'",
    );
    expect(events).toBe(rooms.length * 6);
  });
});

const manyRows = "SELECT COUNT(*) AS n FROM room_command_log WHERE room_id LIKE 'many-%'";
