/**
 * Callbacks of the RTC service, over HTTP into a real gateway, through Kafka into the room (RTC-4,
 * RTC-5): late, doubled, out of order, about sessions of old and rooms that nobody made.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeatState } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { RoomPlayer } from './support/play.ts';
import { RtcCallbacks, type Callback } from './support/rtc-callbacks.ts';

const timeoutMs = 20_000;

let fleet: Fleet;
let client: FleetClient;
let rtc: RtcCallbacks;

beforeAll(async () => {
  rtc = await RtcCallbacks.open();
  fleet = await Fleet.open('rtc', { ...rtc.env, ROOMCELL_MIC_PUBLISH_TIMEOUT: '2m' });
  const both = await fleet.start('both', ['gateway', 'cell']);
  await both.ready();
  client = fleet.connect(both);
});
afterAll(async () => {
  await fleet.close();
});

function tell(callback: Callback): Promise<number> {
  return rtc.tell(callback);
}

/** A room with one user on its first seat, and the player for more. */
async function seated(room: string, user: string): Promise<RoomPlayer> {
  const player = new RoomPlayer(fleet, client, room);
  await player.create('create');
  await player.join('join-1', user);
  await player.micUp('up-1', user, 1);
  return player;
}

async function seatOne(room: string): Promise<{ state: SeatState; online: number }> {
  const call = { timeoutMs, token: await fleet.token('owner') };
  const { snapshot } = await client.queries.getRoomSnapshot(
    { appCode: fleetApp, roomId: room },
    call,
  );
  const state = snapshot?.seats[0]?.state ?? SeatState.UNSPECIFIED;
  return { state, online: snapshot?.counts?.online ?? -1 };
}

function untilSeatOneIs(room: string, state: SeatState): Promise<unknown> {
  return waitUntil(`seat 1 of ${room} is in state ${state}`, async () => {
    return (await seatOne(room)).state === state;
  });
}

/** The ends of the room's RTC commands, in the order of their execution. */
async function rtcRows(room: string): Promise<readonly string[]> {
  const rows = await fleet.sql(
    "SELECT outcome FROM room_command_log WHERE room_id = ? AND command_type = 'ApplyRtcEvent' " +
      'ORDER BY kafka_offset',
    [room],
  );
  return rows.map((row) => String(row['outcome']));
}

function untilRtcRows(room: string, count: number): Promise<unknown> {
  return waitUntil(`${count} RTC events of ${room} are decided`, async () => {
    return (await rtcRows(room)).length === count;
  });
}

describe('a user’s audio', () => {
  it('confirms the seat when it starts and frees it when it stops; older words change nothing (MIC-6, MIC-8, TST-10)', async () => {
    const room = 'audio';
    await seated(room, 'u1');
    const startedMs = Date.now();
    const about = { room, user: 'u1' };
    expect(await tell({ ...about, kind: 'audio_started', eventTimeMs: startedMs })).toBe(200);
    await untilSeatOneIs(room, SeatState.PUBLISHING);

    const before = { ...about, kind: 'audio_stopped', eventTimeMs: startedMs - 1 } as const;
    expect(await tell(before)).toBe(200);
    await untilRtcRows(room, 2);
    expect(await rtcRows(room)).toEqual(['applied', 'no_effect']);
    expect((await seatOne(room)).state).toBe(SeatState.PUBLISHING);

    const after = { ...about, kind: 'audio_stopped', eventTimeMs: startedMs + 1 } as const;
    expect(await tell(after)).toBe(200);
    await untilSeatOneIs(room, SeatState.IDLE);
    expect(await seatOne(room)).toMatchObject({ online: 1 });
  });

  it('that is told twice is decided once', async () => {
    const room = 'doubled';
    await seated(room, 'u1');
    const started = { kind: 'audio_started', room, user: 'u1', eventTimeMs: Date.now() } as const;
    expect([await tell(started), await tell(started)]).toEqual([200, 200]);
    const stopped = { ...started, kind: 'audio_stopped', eventTimeMs: started.eventTimeMs + 1 };
    await tell({ ...stopped, kind: 'audio_stopped' });
    await untilSeatOneIs(room, SeatState.IDLE);
    expect(await rtcRows(room)).toEqual(['applied', 'applied']);
  });
});

describe('an exit from the RTC room', () => {
  it('of an earlier stay leaves the seat of a new one, and a new exit frees it without ending presence (TST-9, PRES-15)', async () => {
    const room = 'rejoined';
    const player = await seated(room, 'u1');
    const oldExitMs = Date.now();
    await player.leave('leave-1', 'u1');
    await player.join('join-2', 'u1');
    await waitUntil('the clock has left the old exit behind', () =>
      Promise.resolve(Date.now() > oldExitMs + 1),
    );
    await player.micUp('up-2', 'u1', 1);

    const exit = { kind: 'room_exited', room, user: 'u1' } as const;
    expect(await tell({ ...exit, eventTimeMs: oldExitMs })).toBe(200);
    await untilRtcRows(room, 1);
    expect(await rtcRows(room)).toEqual(['no_effect']);
    expect(await seatOne(room)).toEqual({ state: SeatState.PENDING_PUBLISH, online: 1 });

    expect(await tell({ ...exit, eventTimeMs: Date.now() })).toBe(200);
    await untilSeatOneIs(room, SeatState.IDLE);
    expect(await seatOne(room)).toMatchObject({ online: 1 });
  });
});

describe('words that are not to be believed, or not for us', () => {
  it('with a wrong signature are refused 401 and never reach the room', async () => {
    const room = 'forged';
    await seated(room, 'u1');
    const forged = { kind: 'audio_stopped', room, user: 'u1', eventTimeMs: Date.now() } as const;
    expect(await tell({ ...forged, key: 'somebody else’s key' })).toBe(401);
    const true_ = { ...forged, kind: 'audio_started' } as const;
    expect(await tell(true_)).toBe(200);
    await untilSeatOneIs(room, SeatState.PUBLISHING);
    expect(await rtcRows(room)).toEqual(['applied']);
  });

  it('about a room that nobody made are taken and change nothing', async () => {
    const nowhere = { room: 'nowhere', user: 'u1', eventTimeMs: Date.now() } as const;
    expect(await tell({ ...nowhere, kind: 'audio_started' })).toBe(200);
    await seated('somewhere', 'u1');
    expect(await rtcRows('nowhere')).toEqual([]);
  });
});
