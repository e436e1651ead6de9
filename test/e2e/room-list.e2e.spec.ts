/**
 * The room list from Redis, over real processes: it says what MySQL says, follows rooms through their
 * life, and is never wrong while Redis is emptied or away (LIST-1 to LIST-4, TST-19).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteKeys } from '../../scripts/stack/redis-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

let fleet: Fleet;
let gateway: RoleProcess;
let client: FleetClient;

beforeAll(async () => {
  fleet = await Fleet.open('roomlist', {
    ROOMCELL_LIST_CACHE_ENABLED: 'true',
    ROOMCELL_LIST_CACHE_COPY_INTERVAL: '100ms',
    ROOMCELL_LIST_CACHE_LOOK_INTERVAL: '200ms',
    // So long that in this file only a lost copy makes a pass.
    ROOMCELL_LIST_CACHE_PASS_INTERVAL: '10m',
    ROOMCELL_LIST_CACHE_READ_BUDGET: '500ms',
    // Slow answers of a loaded machine must not look like an outage.
    ROOMCELL_CELL_LEASE_BUDGET: '300ms',
  });
  gateway = await fleet.start('gateway-1', ['gateway']);
  const cells = [await fleet.start('cell-a', ['cell']), await fleet.start('cell-b', ['cell'])];
  await Promise.all([gateway, ...cells].map((role) => role.ready()));
  client = fleet.connect(gateway);
});
afterAll(() => fleet.close());

/** Rooms as the gateway lists them, page by page. */
async function listed(pageSize = 3): Promise<string[]> {
  const token = await fleet.token('observer', 'service');
  const rooms: string[] = [];
  let cursor = '';
  do {
    const asked = { appCode: fleetApp, pageSize, cursor };
    const page = await client.queries.listRooms(asked, { timeoutMs: 20_000, token });
    rooms.push(...page.rooms.map(({ roomId, onlineCount }) => `${roomId} ${onlineCount}`));
    cursor = page.nextCursor;
  } while (cursor !== '');
  return rooms;
}

/** The same, from the tables. */
async function stored(): Promise<string[]> {
  const rows = await fleet.sql(
    "SELECT room_id, online_count FROM room_list_entries WHERE app_code = ? AND status = 'active' " +
      'ORDER BY pinned DESC, heat_bucket DESC, room_id',
    [fleetApp],
  );
  return rows.map((row) => `${String(row['room_id'])} ${String(row['online_count'])}`);
}

/** Pages that the gateway has answered from there so far. */
async function pagesFrom(from: string): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${gateway.opsPort}/metrics`)).text();
  const line = new RegExp(`^roomcell_gateway_list_pages_total{from="${from}"} (\\d+)$`, 'm');
  return Number(line.exec(metrics)?.[1] ?? 0);
}

async function agrees(what: string): Promise<readonly string[]> {
  let seen: unknown = null;
  return waitUntil(
    `${what}: the list is what MySQL says`,
    async () => {
      const [list, rows] = [await listed(), await stored()];
      seen = { list, rows };
      return list.join() === rows.join() ? list : null;
    },
    { limitMs: 20_000, seen: () => seen },
  );
}

async function fromCache(): Promise<void> {
  await waitUntil('pages come from the copy', async () => {
    const before = await pagesFrom('cache');
    await listed();
    return (await pagesFrom('cache')) > before;
  });
}

async function open(room: string, users: number): Promise<RoomPlayer> {
  const player = new RoomPlayer(fleet, client, room);
  await player.create('create');
  for (let n = 0; n < users; n += 1) await player.join(`join-${n}`, `u${n}`);
  return player;
}

describe('the list', () => {
  it('comes from the copy and follows rooms: opened, joined, pinned, closed (LIST-1, LIST-3, LIST-4)', async () => {
    const rooms = await Promise.all(['a', 'b', 'c', 'd'].map((room, n) => open(room, n)));
    expect(await agrees('opened')).toEqual(['a 0', 'b 1', 'c 2', 'd 3']);
    await fromCache();
    const token = await fleet.token('op-1', 'operator');
    const pin = { appCode: fleetApp, commandId: 'pin-1', roomId: 'd', pinned: true };
    await client.admin.pinRoom(pin, { timeoutMs: 20_000, token });
    expect(await agrees('pinned')).toEqual(['d 3', 'a 0', 'b 1', 'c 2']);
    await rooms[1]?.close('close');
    expect(await agrees('closed')).toEqual(['d 3', 'a 0', 'c 2']);
    await fromCache();
  });

  it('is never wrong while Redis is emptied under commands, and is made anew (TST-19)', async () => {
    await fromCache();
    const room = await open('flushed', 1);
    await agrees('before the flush');
    const { url, keyPrefix } = fleet.space.redis;
    const others = await pagesFrom('not_ready');
    for (let round = 0; round < 5; round += 1) {
      await deleteKeys(url, keyPrefix);
      // Rooms go on: leases are taken anew, and MySQL fences.
      const joined = await room.join(`late-${round}`, `late-${round}`);
      expect(joined.applied).toBe(true);
      // From wherever it comes: no room is missing, none is there twice, none that is closed.
      const rooms = (await listed()).map((line) => line.split(' ')[0]);
      expect(rooms).toEqual(['d', 'a', 'c', 'flushed']);
    }
    expect(await pagesFrom('not_ready')).toBeGreaterThan(others);
    expect((await agrees('after the flush')).at(-1)).toBe('flushed 6');
    await fromCache();
    const versions = await fleet.sql(
      'SELECT COUNT(*) AS n, MAX(applied_version) AS top FROM room_command_log ' +
        "WHERE room_id = 'flushed' AND applied_version IS NOT NULL",
    );
    expect(String(versions[0]?.['n'])).toBe(String(versions[0]?.['top']));
  });

  it('comes from MySQL while Redis is away, and from the copy again when it is back (LIST-2)', async () => {
    const room = await open('away', 0);
    await agrees('before the outage');
    await fromCache();
    await fleet.redisProxy.refuse();
    await room.join('join-away', 'u1');
    expect(await listed()).toEqual(await stored());
    expect(await pagesFrom('unreachable')).toBeGreaterThan(0);
    await fleet.redisProxy.accept();
    await fromCache();
    expect((await agrees('after the outage')).find((line) => line.startsWith('away'))).toBe(
      'away 1',
    );
  });
});
