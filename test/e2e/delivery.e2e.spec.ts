/**
 * From the outbox to the outside world, with real processes that die and destinations that fail:
 * per (room, destination) events arrive in version order, repeats carry the same event id and bytes,
 * nothing is lost, and what can never be delivered stands aside without holding up its room.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoleName } from '../../src/main/role.ts';
import type { TracePoint } from '../../src/ports/trace.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { allDelivered, arrivedAt, committedEvents, orderFault } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

const destinations = ['im', 'activity'] as const;
const triesMax = 4;

let fleet: Fleet;
let client: FleetClient;
const running = new Map<string, RoleProcess>();

beforeAll(async () => {
  fleet = await Fleet.open('delivery', {
    // An earlier test's room must not speak up in a later one.
    ROOMCELL_MIC_PUBLISH_TIMEOUT: '5m',
    ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: '200ms',
    ROOMCELL_OUTBOX_WORKER_RUN_SIZE: '2',
    ROOMCELL_OUTBOX_WORKER_PUBLISH_TIMEOUT: '3s',
    ROOMCELL_OUTBOX_WORKER_CLAIM_LOCK: '13s',
    ROOMCELL_OUTBOX_WORKER_INITIAL_BACKOFF: '400ms',
    ROOMCELL_OUTBOX_WORKER_MAX_BACKOFF: '800ms',
    ROOMCELL_OUTBOX_WORKER_MAX_RETRY_COUNT: String(triesMax),
  });
  const core = await fleet.start('core', ['gateway', 'cell']);
  running.set('sandbox', await fleet.start('sandbox', ['sandbox']));
  for (const role of ['relay', 'adapter-im', 'adapter-activity'] as const) {
    running.set(role, await fleet.start(role, [role]));
  }
  for (const started of [core, ...running.values()]) await started.ready();
  client = fleet.connect(core);
});
afterAll(async () => {
  await fleet.close();
});

/** A room's life from its birth on: 8 versions. */
async function playRoom(room: string): Promise<void> {
  const play = new RoomPlayer(fleet, client, room);
  await play.create('c1');
  for (const user of ['u1', 'u2', 'u3']) await play.join(`j-${user}`, user);
  await play.micUp('m1', 'u1', 1);
  await play.micUp('m2', 'u2', 2);
  await play.leave('l3', 'u3');
  await play.leave('l1', 'u1');
}

/** Fails unless the sandbox has every committed event once, in order, with the same bytes. */
async function expectAllInOrder(rooms: readonly string[]): Promise<void> {
  for (const destination of destinations) {
    const arrived = await arrivedAt(fleet, destination);
    const committed = await committedEvents(fleet, destination);
    for (const room of rooms) {
      const events = arrived.get(room) ?? [];
      expect(
        events.map(({ event_id }) => event_id),
        `${destination} ${room}`,
      ).toEqual(committed.get(room));
      expect(events.filter(({ different }) => different > 0)).toEqual([]);
    }
  }
}

/** Arrivals beyond the first, over all rooms named. */
async function repeatsOf(
  destination: 'im' | 'activity',
  rooms: readonly string[],
): Promise<number> {
  const arrived = await arrivedAt(fleet, destination);
  return rooms
    .flatMap((room) => arrived.get(room) ?? [])
    .reduce((sum, { repeats, deduplicated }) => sum + repeats + deduplicated, 0);
}

/** Ids of events that have arrived while their row says otherwise. */
async function arrivedUnconfirmed(
  rooms: readonly string[],
  at: readonly ('im' | 'activity')[],
): Promise<string[]> {
  const found: string[] = [];
  for (const destination of at) {
    const rows = await fleet.sql(
      "SELECT event_id FROM room_outbox WHERE destination = ? AND status <> 'delivered'",
      [destination],
    );
    const open = new Set(rows.map(({ event_id }) => String(event_id)));
    const arrived = await arrivedAt(fleet, destination);
    const events = rooms.flatMap((room) => arrived.get(room) ?? []);
    found.push(...events.map(({ event_id }) => event_id).filter((id) => open.has(id)));
  }
  return found;
}

/** Ids of events that arrived more than once. */
async function repeatedIds(
  rooms: readonly string[],
  at: readonly ('im' | 'activity')[],
): Promise<string[]> {
  const found: string[] = [];
  for (const destination of at) {
    const arrived = await arrivedAt(fleet, destination);
    const events = rooms.flatMap((room) => arrived.get(room) ?? []);
    const again = events.filter(({ repeats, deduplicated }) => repeats + deduplicated > 0);
    found.push(...again.map(({ event_id }) => event_id));
  }
  return found;
}

/** Exchanges a role for one that dies at `point`, once `arm(point)` was called. */
async function plantFault(role: RoleName, point: TracePoint): Promise<RoleProcess> {
  await running.get(role)?.terminate();
  const faultAt = { point, pass: 1, action: 'kill', armedBy: point } as const;
  const doomed = await fleet.start(role, [role], { faultAt });
  await doomed.ready();
  return doomed;
}

async function restart(role: RoleName): Promise<void> {
  running.set(role, await (await fleet.start(role, [role])).ready());
}

async function outboxOf(room: string, destination: string): Promise<Record<string, unknown>[]> {
  return fleet.sql(
    'SELECT status, retry_count, started_count, last_error, room_version FROM room_outbox ' +
      'WHERE room_id = ? AND destination = ? ORDER BY room_version, event_index',
    [room, destination],
  );
}

describe('events', () => {
  it('of several rooms arrive at both destinations in version order, once each (ACC-4, ARC-1, PUB-4)', async () => {
    const rooms = ['calm-1', 'calm-2', 'calm-3', 'calm-4'];
    await Promise.all(rooms.map((room) => playRoom(room)));
    await allDelivered(fleet);
    await expectAllInOrder(rooms);
    for (const destination of destinations) {
      expect(await repeatsOf(destination, rooms)).toBe(0);
      const events = (await arrivedAt(fleet, destination)).get('calm-1') ?? [];
      const versions = events.map(({ version }) => Number(version));
      expect(versions).toEqual(destination === 'im' ? [2, 3, 4, 5, 6, 7, 8, 8] : versions);
    }
    const bad = await fleet.sql(
      "SELECT id FROM room_outbox WHERE retry_count > 0 OR last_error <> '' OR started_count > 1",
    );
    expect(bad).toEqual([]);
  });

  it.each([
    ['the relay dies between claim and publish', 'relay', 'relay.after_claim', []],
    ['the relay dies after the publish', 'relay', 'relay.after_publish', []],
    ['the adapter dies before it sends', 'adapter-im', 'adapter.after_start', []],
    ['adapter-im dies after it sent', 'adapter-im', 'adapter.after_send_before_finish', ['im']],
    [
      'adapter-activity dies after it sent',
      'adapter-activity',
      'adapter.after_send_before_finish',
      ['activity'],
    ],
  ] as const)(
    'are complete and in order when %s (ARC-11, PUB-5, TST-4)',
    async (what, role, point, repeated) => {
      const rooms = [1, 2, 3].map((n) => `${what.replaceAll(' ', '-')}-${n}`);
      // The rooms' births are over: at IM they make a group and would hide a repeat.
      const births = rooms.map((room) => new RoomPlayer(fleet, client, room).create('c1'));
      await Promise.all(births);
      await allDelivered(fleet);
      const doomed = await plantFault(role, point);
      fleet.arm(point);
      const playing = Promise.all(rooms.map((room) => playRoom(room)));
      expect((await doomed.exited).signal).toBe('SIGKILL');
      // Sent, and nobody wrote it down: these come a second time, the others do not have to.
      const unconfirmed = await arrivedUnconfirmed(rooms, repeated);
      if (repeated.length > 0) expect(unconfirmed).not.toEqual([]);
      await playing;
      await restart(role);
      await allDelivered(fleet);
      await expectAllInOrder(rooms);
      expect(await repeatedIds(rooms, repeated)).toEqual(expect.arrayContaining(unconfirmed));
    },
  );

  it('that a destination fails for a while are tried with growing pauses and then delivered (ACC-1, ARC-6, ARC-8, ARC-12, OUT-6)', async () => {
    const play = new RoomPlayer(fleet, client, 'stumbling');
    await play.create('c1');
    await allDelivered(fleet);
    await orderFault(fleet, { destination: 'im', kind: 'http_502', times: 3 });
    await play.join('j1', 'u1');
    await play.leave('l1', 'u1');
    const seen = await waitUntil(
      'the row waits for its next try',
      async () =>
        (await outboxOf('stumbling', 'im')).find(({ status }) => status === 'retryable') ?? null,
      { everyMs: 20 },
    );
    expect(seen['last_error']).toContain('502');
    await allDelivered(fleet);
    await expectAllInOrder(['stumbling']);
    const [, joined, left] = await outboxOf('stumbling', 'im');
    expect(joined).toMatchObject({ status: 'delivered', retry_count: 3 });
    expect(left).toMatchObject({ status: 'delivered', retry_count: 0 });
  });
});

describe('destinations that are slow and lie', () => {
  const inTurn = {
    im: [
      { kind: 'slow', delay_ms: 1_000 },
      { kind: 'error_code', code: 10002 },
      { kind: 'drop' },
      { kind: 'cut_after_store' },
      { kind: 'twice' },
    ].map((fault) => ({ ...fault, command: 'send_group_msg' })),
    activity: [
      { kind: 'slow', delay_ms: 1_000 },
      { kind: 'unavailable' },
      { kind: 'throttle', delay_ms: 100 },
      { kind: 'applied_then_cut' },
      { kind: 'twice' },
    ],
  };

  it('keep no command waiting, and get each event in order all the same: late answers, an error as an answer, OK for what was dropped, a lost answer, a request that comes twice (ACC-1, ACC-2, ACC-4, PUB-5)', async () => {
    const room = 'lied-to';
    await new RoomPlayer(fleet, client, room).create('c1');
    await nothingUnfinished();
    for (const destination of destinations) {
      for (const fault of inTurn[destination]) {
        await orderFault(fleet, { destination, times: 1, ...fault });
      }
    }
    await playRoom(room);
    // The destinations still have most of their lies to tell.
    const unfinished = [...(await outboxOf(room, 'im')), ...(await outboxOf(room, 'activity'))];
    expect(unfinished.filter(({ status }) => status !== 'delivered')).not.toEqual([]);
    await nothingUnfinished();
    await expectAllInOrder([room]);
    const tries = async (destination: string): Promise<unknown[]> =>
      (await outboxOf(room, destination)).map(({ retry_count }) => retry_count);
    // A throttle, as which a dropped message counts, is waited out and is no try.
    expect(await tries('im')).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0]);
    expect(await tries('activity')).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0]);
    // Stored with a lost answer, and twice on the way: the receiver knows both again.
    for (const destination of destinations) expect(await repeatsOf(destination, [room])).toBe(2);
  });
});

describe('an event that is never taken', () => {
  it('fails at once when it is refused for good, and the later ones of its room go on (RETRY-8)', async () => {
    const play = new RoomPlayer(fleet, client, 'poisoned');
    await play.create('c1');
    await allDelivered(fleet);
    const code = { kind: 'error_code', code: 10004, times: 1, command: 'send_group_msg' };
    await orderFault(fleet, { destination: 'im', ...code });
    await play.join('j1', 'u1');
    await play.join('j2', 'u2');
    await play.leave('l1', 'u1');
    const rows = await ended('poisoned');
    expect(rows.map(({ status }) => status)).toEqual([
      'delivered',
      'failed',
      'delivered',
      'delivered',
    ]);
    expect(rows[1]?.['last_error']).toContain('10004');
    expect(rows[1]?.['retry_count']).toBe(1);
    const arrived = (await arrivedAt(fleet, 'im')).get('poisoned') ?? [];
    expect(arrived.map(({ version }) => version)).toEqual(['3', '4']);
  });

  it('fails at the limit of tries, and the later ones of its room go on (ACC-2, ACC-3, OUT-18, RETRY-2)', async () => {
    const play = new RoomPlayer(fleet, client, 'hopeless');
    await play.create('c1');
    // Nothing else may be under way: the fault must meet the join and no other room's event.
    await nothingUnfinished();
    await orderFault(fleet, { destination: 'activity', kind: 'unavailable', times: triesMax });
    await play.join('j1', 'u1');
    const rows = await ended('hopeless', 'activity');
    expect(rows.map(({ status }) => status)).toEqual(['delivered', 'failed']);
    const failed = rows[1];
    expect(failed).toMatchObject({ retry_count: triesMax });
    expect(failed?.['last_error']).toContain('UNAVAILABLE');
    await play.leave('l1', 'u1');
    await waitUntil('the next event arrives', async () =>
      ((await arrivedAt(fleet, 'activity')).get('hopeless') ?? []).some(
        ({ type }) => type === 'RoomUserLeft',
      ),
    );
  });

  it('goes out under its own id when an operator sends it again (TST-16, RETRY-5, RETRY-6, QRY-5)', async () => {
    const options = { timeoutMs: 10_000, token: await fleet.token('kim', 'operator') };
    const filter = { roomId: 'hopeless', destination: 'activity' };
    const list = await client.admin.listOutbox({ appCode: fleetApp, filter }, options);
    expect(list.rows).toMatchObject([
      { eventType: 'RoomUserJoined', status: 'failed', retryCount: triesMax, roomVersion: 2n },
    ]);
    const request = { appCode: fleetApp, commandId: 'again-1', filter };
    const dry = await client.admin.replayOutbox({ ...request, dryRun: true }, options);
    expect(dry.rows).toBe(1);
    expect((await outboxOf('hopeless', 'activity'))[1]?.['status']).toBe('failed');
    for (let call = 0; call < 2; call += 1) {
      expect((await client.admin.replayOutbox(request, options)).rows).toBe(1);
    }
    const rows = await ended('hopeless', 'activity');
    expect(rows.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
    const arrived = (await arrivedAt(fleet, 'activity')).get('hopeless') ?? [];
    expect(arrived.map(({ event_id }) => event_id)).toContain(list.rows[0]?.eventId);
    const kept = await fleet.sql(
      'SELECT retry_count, last_error FROM outbox_replays WHERE event_id = ?',
      [list.rows[0]?.eventId ?? ''],
    );
    expect(kept).toMatchObject([{ retry_count: triesMax }]);
    expect(String(kept[0]?.['last_error'])).toContain('UNAVAILABLE');
  });

  it('goes out from the command line as well, and into the audit', async () => {
    const room = ['--app', fleetApp, '--room', 'poisoned', '--as', 'kim'];
    expect(await fleet.roomcell('outbox', 'replay', ...room, '--to', 'im')).toBe(0);
    const rows = await ended('poisoned');
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered']));
    const audit = await fleet.sql(
      "SELECT operator_id, room_id FROM operator_audit WHERE action = 'ReplayOutbox'",
    );
    expect(audit).toEqual([
      { operator_id: 'kim', room_id: 'hopeless' },
      { operator_id: 'kim', room_id: 'poisoned' },
    ]);
  });
});

/** Waits until every row there is has ended, one way or the other. */
async function nothingUnfinished(): Promise<void> {
  await waitUntil(
    'every outbox row has ended',
    async () => {
      const open = await fleet.sql(
        "SELECT COUNT(*) AS n FROM room_outbox WHERE status NOT IN ('delivered', 'failed')",
      );
      return Number(open[0]?.['n']) === 0;
    },
    { limitMs: 30_000, everyMs: 50 },
  );
}

/** The rows of a room once each of them has ended. */
function ended(room: string, destination = 'im'): Promise<Record<string, unknown>[]> {
  let rows: Record<string, unknown>[] = [];
  return waitUntil(
    `every row of ${room} has ended`,
    async () => {
      rows = await outboxOf(room, destination);
      return rows.every(({ status }) => status === 'delivered' || status === 'failed') && rows;
    },
    { limitMs: 30_000, everyMs: 50, seen: () => rows },
  );
}
