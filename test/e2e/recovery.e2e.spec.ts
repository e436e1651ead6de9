/**
 * A room is what its log says, on the real stack (TST-18): after random commands and whatever snapshots
 * its cell wrote, it is the same room byte for byte, and so is what another cell makes of it after the
 * first one died without a word.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Consistency } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { countOf } from './support/observe.ts';
import { allOwn, roomOf } from './support/ownership.ts';
import { playAtRandom } from './support/random-play.ts';

/** Versions between two snapshots, by cell. */
const intervals = { 'cell-1': 1, 'cell-3': 3, 'cell-10': 10, 'cell-1000': 1000 } as const;
const nodes = Object.keys(intervals) as (keyof typeof intervals)[];
const timeoutMs = 30_000;
/** Nothing of a room may end by itself while its cells change. */
const longTimes = {
  ROOMCELL_MIC_PUBLISH_TIMEOUT: '10m',
  ROOMCELL_MIC_REQUEST_TIMEOUT: '10m',
  ROOMCELL_PRESENCE_STALE_AFTER: '10m',
};

let fleet: Fleet;
let client: FleetClient;

beforeAll(async () => {
  fleet = await Fleet.open('recovery', longTimes);
  const front = await fleet.start('front', ['gateway', 'sandbox']);
  for (const node of nodes) {
    await fleet.start(node, ['cell'], {
      env: { ROOMCELL_SNAPSHOT_EVERY_N: String(intervals[node]) },
    });
  }
  for (const started of fleet.processes) await started.ready();
  client = fleet.connect(front);
});
afterAll(async () => {
  await fleet.close();
});

/** All that the owner tells of a room to the app's backend. */
async function viewOf(room: string) {
  const call = { timeoutMs, token: await fleet.token('backend', 'service') };
  const place = { appCode: fleetApp, roomId: room };
  const { queries } = client;
  const asked = { ...place, consistency: Consistency.OWNER };
  return {
    snapshot: (await queries.getRoomSnapshot(asked, call)).snapshot,
    audience: (await queries.listAudience({ ...place, pageSize: 100 }, call)).users,
    bans: (await queries.listBans({ ...place, pageSize: 100 }, call)).bans,
    requests: (await queries.listMicRequests(place, call)).requests,
    rank: (await queries.getGiftRank({ ...place, places: 100 }, call)).giftRank,
  };
}

async function verified(room: string) {
  const call = { timeoutMs, token: await fleet.token('op-1', 'operator') };
  return client.admin.verifyRoom({ appCode: fleetApp, roomId: room }, call);
}

type Check = Awaited<ReturnType<typeof verified>>;

/** Snapshots are written behind the answer: waits until the newest one is as wanted. */
function untilSnapshotOf(room: string, isWanted: (check: Check) => boolean): Promise<Check> {
  let seen: Check | null = null;
  return waitUntil(
    `the newest snapshot of ${room} is as wanted`,
    async () => {
      seen = await verified(room);
      return isWanted(seen) ? seen : null;
    },
    {
      limitMs: 20_000,
      everyMs: 100,
      seen: () => `${seen?.snapshotVersion} of version ${seen?.roomVersion}`,
    },
  );
}

const snapshotsOf = (room: string) =>
  countOf(fleet, 'SELECT COUNT(*) AS n FROM room_snapshots WHERE room_id = ?', [room]);

describe('a room after random commands', () => {
  it('is the one of its log, with a snapshot at every 1st, 3rd, 10th and 1000th version, and after its cell died (TST-18)', async () => {
    const map = await allOwn(fleet, nodes);
    const rooms = nodes.map((node) => ({ node, room: roomOf(map, node, 'random') }));
    const before = await Promise.all(
      rooms.map(async ({ node, room }, seed) => {
        const applied = await playAtRandom(fleet, client, room, { seed, count: 30 });
        const check = await verified(room);
        expect(check, `${room} of ${node}`).toMatchObject({ equal: true, difference: '' });
        expect(applied).toBeGreaterThan(10);
        return { node, room, check, view: await viewOf(room) };
      }),
    );
    for (const { node, room, check } of before) {
      const interval = BigInt(intervals[node]);
      const due = check.roomVersion - (check.roomVersion % interval);
      await untilSnapshotOf(room, ({ snapshotVersion }) => snapshotVersion >= due);
      if (interval > check.roomVersion) expect(await snapshotsOf(room)).toBe(0);
    }

    const cells = fleet.processes.filter(({ name }) => name.startsWith('cell-'));
    await Promise.all(cells.map((cell) => cell.kill()));
    const env = { ROOMCELL_SNAPSHOT_EVERY_N: '1' };
    await (await fleet.start('cell-next', ['cell'], { env })).ready();
    await allOwn(fleet, ['cell-next']);
    for (const { node, room, check, view } of before) {
      expect(await viewOf(room), `${room} of ${node}`).toEqual(view);
      const { roomVersion, stateHashOfLog } = check;
      expect(await verified(room)).toMatchObject({ equal: true, roomVersion, stateHashOfLog });
      // The next commit stores the recovered state itself: it is the one of the log too.
      await playAtRandom(fleet, client, room, { seed: 7, count: 6 });
      const after = await untilSnapshotOf(
        room,
        (now) => now.roomVersion > roomVersion && now.snapshotVersion === now.roomVersion,
      );
      expect(after).toMatchObject({ equal: true, difference: '' });
      expect(after.stateHashOfSnapshot).toBe(after.stateHashOfLog);
    }
  });
});
