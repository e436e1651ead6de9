/**
 * Words about users that come late, twice, too early or about nobody: over HTTP and gRPC into real
 * processes. What is counted is the size of a set at every step (A13), an old mic session touches no
 * newer one (TST-8), and whoever is heard of stays while the silent are taken out (TST-7).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeatState } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { GrpcCallError } from '../../src/drivers/grpc/grpc-client.ts';
import { SimRandom } from '../simulation/kernel/sim-random.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { countOf, counterOf, failureOf, logOf } from './support/observe.ts';
import { RoomPlayer, untilAnswered, type Played } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';
import { RtcCallbacks } from './support/rtc-callbacks.ts';

const timeoutMs = 20_000;
/** Longest wait for the confirmation of a mic session. */
const publishTimeoutMs = 3_000;

let fleet: Fleet;
let client: FleetClient;
let rtc: RtcCallbacks;
let gateway: RoleProcess;
let cell: RoleProcess;

beforeAll(async () => {
  rtc = await RtcCallbacks.open();
  fleet = await Fleet.open('late', {
    ROOMCELL_MIC_PUBLISH_TIMEOUT: `${publishTimeoutMs}ms`,
    ROOMCELL_SNAPSHOT_EVERY_N: '7',
  });
  gateway = await fleet.start('gateway-1', ['gateway'], { env: rtc.env });
  cell = await fleet.start('cell-1', ['cell']);
  await Promise.all([gateway.ready(), cell.ready()]);
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await fleet.close();
});

async function snapshotOf(room: string) {
  const call = { timeoutMs, token: await fleet.token('owner') };
  const { snapshot } = await client.queries.getRoomSnapshot(
    { appCode: fleetApp, roomId: room },
    call,
  );
  if (snapshot === undefined) throw new Error(`${room} has no snapshot`);
  return snapshot;
}

/** Who is in the room, as committed. */
async function presentIn(room: string): Promise<string[]> {
  const rows = await fleet.sql('SELECT user_id FROM user_rooms WHERE room_id = ? ORDER BY 1', [
    room,
  ]);
  return rows.map((row) => String(row['user_id']));
}

async function rtcEnds(room: string): Promise<string[]> {
  const log = await logOf(fleet, room);
  return log.filter(({ type }) => type === 'ApplyRtcEvent').map(({ outcome }) => outcome);
}

function untilRtcEnds(room: string, count: number): Promise<unknown> {
  return waitUntil(`${count} callbacks about ${room} are decided`, async () => {
    return (await rtcEnds(room)).length === count;
  });
}

/** The online count that the list shows. */
async function listedOnline(room: string): Promise<number | undefined> {
  const call = { timeoutMs, token: await fleet.token('owner') };
  const { rooms } = await client.queries.listRooms({ appCode: fleetApp, pageSize: 100 }, call);
  return rooms.find(({ roomId }) => roomId === room)?.onlineCount;
}

function untilListed(room: string, online: number): Promise<unknown> {
  let seen: number | undefined;
  return waitUntil(
    `the list shows ${online} users in ${room}`,
    async () => (seen = await listedOnline(room)) === online,
    { limitMs: 20_000, everyMs: 50, seen: () => seen },
  );
}

describe('callbacks about users who are not there', () => {
  it('change no count, make no event and no version, and the list shows the size of the set (A13)', async () => {
    const room = 'nobody';
    const player = new RoomPlayer(fleet, client, room);
    await player.create('c1');
    const exit = { kind: 'room_exited', room, user: 'u1' } as const;
    const eventTimeMs = Date.now();
    // Of a user who never came, then before the join, then twice for one stay.
    await rtc.tell({ ...exit, user: 'stranger', eventTimeMs });
    await rtc.tell({ ...exit, eventTimeMs });
    expect(await player.join('j1', 'u1')).toMatchObject({ roomVersion: 2n, online: 1 });
    await player.leave('l1', 'u1');
    await rtc.tell({ ...exit, eventTimeMs: eventTimeMs + 1 });
    await rtc.tell({ ...exit, eventTimeMs: eventTimeMs + 2 });
    await rtc.tell({ ...exit, kind: 'audio_stopped', eventTimeMs: eventTimeMs + 3 });
    await rtc.tell({ ...exit, kind: 'audio_started', eventTimeMs: eventTimeMs + 1 });
    expect(await player.join('j2', 'u1')).toMatchObject({ roomVersion: 4n, online: 1 });
    expect(await rtcEnds(room)).toEqual(Array.from({ length: 6 }, () => 'no_effect'));
    const events = 'SELECT COUNT(*) AS n FROM room_events WHERE room_id = ?';
    expect(await countOf(fleet, events, [room])).toBe(4);
    await untilListed(room, 1);
  });

  it('stopped before they started keep the seat pending, and its own deadline frees it (A13)', async () => {
    const room = 'stopped';
    const player = new RoomPlayer(fleet, client, room);
    await player.create('c1');
    await player.join('j1', 'u1');
    await player.micUp('m1', 'u1', 1);
    const about = { room, user: 'u1', eventTimeMs: Date.now() + 1 };
    expect(await rtc.tell({ ...about, kind: 'audio_stopped' })).toBe(200);
    await untilRtcEnds(room, 1);
    expect((await snapshotOf(room)).seats[0]?.state).toBe(SeatState.PENDING_PUBLISH);
    await waitUntil('the deadline of the session frees the seat', async () => {
      return (await snapshotOf(room)).seats[0]?.state === SeatState.IDLE;
    });
    expect((await snapshotOf(room)).counts).toMatchObject({ online: 1, onSeat: 0 });
  });

  it('about a room that nobody made are answered 200, dropped and counted (A13)', async () => {
    const before = await counterOf(gateway, 'gateway_rtc_events_total', 'outcome="stored"');
    const refused = () => counterOf(cell, 'cell_refused_total', 'reason="ROOM_NOT_FOUND"');
    const refusedBefore = await refused();
    const nowhere = { room: 'nowhere', user: 'u1', eventTimeMs: Date.now() } as const;
    expect(await rtc.tell({ ...nowhere, kind: 'audio_started' })).toBe(200);
    expect(await counterOf(gateway, 'gateway_rtc_events_total', 'outcome="stored"')).toBe(
      before + 1,
    );
    await waitUntil('the cell counts it', async () => (await refused()) === refusedBefore + 1);
    const rooms = 'SELECT COUNT(*) AS n FROM rooms WHERE room_id = ?';
    expect(await countOf(fleet, rooms, ['nowhere'])).toBe(0);
  });
});

describe('a legal life of a room told in random order, again and again', () => {
  const users = ['u1', 'u2', 'u3', 'u4'];
  const kinds = ['audio_started', 'audio_stopped', 'room_exited'] as const;
  const rooms = Array.from({ length: 6 }, (_, n) => `random-${n}`);

  /** Sends some callbacks, then one command, whose answer shows what the callbacks came to. */
  async function step(player: RoomPlayer, room: string, at: number, random: SimRandom) {
    const user = users[random.below(users.length)] ?? 'u1';
    const told: Parameters<RtcCallbacks['tell']>[0][] = [];
    for (let n = random.below(4); n > 0; n -= 1) {
      told.push({
        kind: kinds[random.below(kinds.length)] ?? 'room_exited',
        room,
        user: users[random.below(users.length)] ?? 'u1',
        eventTimeMs: Date.now() - random.below(2_000),
      });
    }
    const statuses = await Promise.all(
      // A third of them comes twice.
      told
        .flatMap((one) => (random.below(3) === 0 ? [one, one] : [one]))
        .map((one) => rtc.tell(one)),
    );
    expect(statuses.every((status) => status === 200)).toBe(true);
    const moves = ['join', 'join', 'leave', 'micUp', 'micDown'] as const;
    const move = moves[random.below(moves.length)] ?? 'join';
    const id = `${move}-${at}`;
    const end = await playedOrRefused(
      move === 'micUp' ? player.micUp(id, user, 0) : player[move](id, user),
    );
    return { move, user, end };
  }

  it('has as many users online as its set holds, at every step, in view, rows and list (A13)', async () => {
    const ends = await Promise.all(
      rooms.map(async (room, seed) => {
        const random = new SimRandom(seed, 'late words');
        const player = new RoomPlayer(fleet, client, room);
        await player.create('c1');
        const present = new Set<string>();
        for (let at = 0; at < 25; at += 1) {
          const { move, user, end } = await step(player, room, at, random);
          if (end === null) continue;
          if (move === 'join') present.add(user);
          if (move === 'leave') present.delete(user);
          expect(end.online, `${room}, step ${at}: ${move} of ${user}`).toBe(present.size);
        }
        return { room, present: [...present].sort() };
      }),
    );
    for (const { room, present } of ends) {
      expect(await presentIn(room)).toEqual(present);
      await untilListed(room, present.length);
      const { counts, seats } = await snapshotOf(room);
      expect(counts?.online).toBe(present.length);
      const held = seats.filter(({ holder }) => holder !== undefined);
      expect(counts?.onSeat).toBe(held.length);
      const log = await logOf(fleet, room);
      const versions = log.flatMap(({ version }) => (version === null ? [] : [BigInt(version)]));
      expect(versions).toEqual(versions.map((_, at) => BigInt(at + 1)));
      expect(
        log.filter(({ outcome, version }) => outcome !== 'applied' && version !== null),
      ).toEqual([]);
    }
    const all = await Promise.all(rooms.map(rtcEnds));
    // Of both kinds, or nothing was tried.
    expect(new Set(all.flat())).toEqual(new Set(['applied', 'no_effect']));
  });
});

/** A rejection by the room's rules is an end as well; null. */
async function playedOrRefused(call: Promise<Played>): Promise<Played | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof GrpcCallError && error.failure.status === 'FAILED_PRECONDITION')
      return null;
    throw error;
  }
}

describe('a second mic session of a user', () => {
  it('is untouched by time-out, confirmation, MicDown and RTC stop of the first, which come late (TST-8)', async () => {
    const room = 'sessions';
    const player = new RoomPlayer(fleet, client, room);
    await player.create('c1');
    await player.join('j1', 'u1');
    const firstAtMs = Date.now();
    const first = await player.micUp('m1', 'u1', 1);
    await player.micDown('d1', 'u1');
    const oldStop = { kind: 'audio_stopped', room, user: 'u1', eventTimeMs: Date.now() } as const;
    await waitUntil('the clock has left the first session behind', () =>
      Promise.resolve(Date.now() > oldStop.eventTimeMs),
    );
    const second = await player.micUp('m2', 'u1', 1);
    expect(second.micSessionId).not.toBe(first.micSessionId);
    const stale = { reason: 'MIC_SESSION_STALE' };
    const { micSessionId } = first;
    expect(await failureOf(player.confirm('f1', 'u1', micSessionId))).toMatchObject(stale);
    expect(await failureOf(player.micDown('d2', 'u1', micSessionId))).toMatchObject(stale);
    expect((await snapshotOf(room)).seats[0]?.state).toBe(SeatState.PENDING_PUBLISH);
    await player.confirm('f2', 'u1', second.micSessionId);
    expect(await rtc.tell(oldStop)).toBe(200);
    await untilRtcEnds(room, 1);
    expect(await rtcEnds(room)).toEqual(['no_effect']);
    await waitUntil('the first session’s deadline is over by a second', () =>
      Promise.resolve(Date.now() > firstAtMs + publishTimeoutMs + 1_000),
    );
    const { seats, roomVersion } = await snapshotOf(room);
    expect(seats[0]).toMatchObject({ state: SeatState.PUBLISHING, holder: { userId: 'u1' } });
    expect(roomVersion).toBe(6n);
  });
});

describe('a kicked user', () => {
  it('has no seat left, may not come again before it is unbanned, and then may (TST-12)', async () => {
    const room = 'kicked';
    const player = new RoomPlayer(fleet, client, room);
    await player.create('c1');
    for (const user of ['u1', 'u2']) await player.join(`j-${user}`, user);
    await player.micUp('m1', 'u1', 1);
    expect(await player.kick('k1', 'u1')).toMatchObject({ roomVersion: 5n, online: 1 });
    expect((await snapshotOf(room)).seats[0]?.state).toBe(SeatState.IDLE);
    expect(await failureOf(player.join('j-again', 'u1'))).toMatchObject({ reason: 'USER_BANNED' });
    expect(await player.micUp('m2', 'u2', 1)).toMatchObject({ roomVersion: 6n });
    await player.unban('b1', 'u1');
    expect(await player.join('j-back', 'u1')).toMatchObject({ roomVersion: 8n, online: 2 });
    expect(await failureOf(player.join('j-again', 'u1'))).toMatchObject({ reason: 'USER_BANNED' });
  });
});

describe('users of a room', () => {
  const staleMs = 3_000;

  /** Calls until `isOver`; the longest time in which the cell may have heard nothing, in ms. */
  async function keepCalling(call: (n: number) => Promise<unknown>, isOver: () => boolean) {
    let longestMs = 0;
    let sentMs = performance.now();
    for (let n = 1; !isOver(); n += 1) {
      const nextMs = performance.now();
      await call(n);
      longestMs = Math.max(longestMs, performance.now() - sentMs);
      sentMs = nextMs;
    }
    return longestMs;
  }

  it('who say nothing are taken out; a heartbeat or a join at the same time keeps its user (TST-7)', async () => {
    await cell.terminate();
    cell = await fleet.start('cell-2', ['cell'], {
      env: { ROOMCELL_PRESENCE_STALE_AFTER: `${staleMs}ms` },
    });
    await cell.ready();
    const room = 'silent';
    const player = new RoomPlayer(fleet, client, room);
    await player.create('c1');
    const silent = ['s1', 's2', 's3'];
    for (const user of [...silent, 'beats', 'joins']) await player.join(`j-${user}`, user);
    let areGone = false;
    const token = await fleet.token('beats');
    const meta = { appCode: fleetApp, roomId: room, commandId: '', actorUserId: 'beats' };
    const callers = [
      keepCalling(
        () =>
          untilAnswered('beat', () =>
            client.commands.roomHeartbeat({ meta }, { timeoutMs, token }),
          ),
        () => areGone,
      ),
      keepCalling(
        (n) => player.join(`again-${n}`, 'joins'),
        () => areGone,
      ),
    ];
    await waitUntil(
      'the silent users are out',
      async () => (await presentIn(room)).every((user) => !silent.includes(user)),
      { limitMs: 60_000, everyMs: 50 },
    );
    areGone = true;
    const [beatGapMs = 0, joinGapMs = 0] = await Promise.all(callers);
    // Who joins is there when it is answered, also if it was taken out the moment before.
    expect(await presentIn(room)).toContain('joins');
    const left = await fleet.sql(
      "SELECT command_id FROM room_command_log WHERE room_id = ? AND command_type = 'SweepStaleUsers'",
      [room],
    );
    expect(left.length).toBeGreaterThan(0);
    // On a machine that stood still for so long, the cell did not hear of them in time.
    if (beatGapMs < staleMs) expect(await presentIn(room)).toEqual(['beats', 'joins']);
    if (joinGapMs < staleMs) {
      const entered = await fleet.sql(
        "SELECT COUNT(*) AS n FROM room_events WHERE room_id = ? AND event_type = 'RoomUserJoined'",
        [room],
      );
      expect(entered[0]).toEqual({ n: '5' });
    }
  });
});
