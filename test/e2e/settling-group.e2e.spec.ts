/**
 * Cells come and go while every commit is slow (bug case A2): the group settles with one generation
 * per change, no partition of a busy room stands still, and nothing is lost or done twice.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lasting, waitUntil } from '../support/wait-until.ts';
import { Fleet } from './support/fleet.ts';
import { allOwn, partitionOfRoom, roomWhere } from './support/ownership.ts';
import type { RoleProcess } from './support/role-process.ts';
import { RoomLoad } from './support/room-load.ts';

/** Each way between cells and MySQL: a commit is two round trips. */
const delayMs = 12;
/** Busy rooms on different partitions. */
const roomCount = 6;
/** No partition of a busy room may stand still for so long. */
const windowMs = 5_000;
/** So long nothing changes any more at the end. */
const calmMs = 6_000;

let fleet: Fleet;
let load: RoomLoad;
const cells: RoleProcess[] = [];
const rooms = busyRooms();

beforeAll(async () => {
  fleet = await Fleet.open('settling', { ROOMCELL_CELL_BATCH_COMMANDS_MAX: '1' });
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cells.push(await fleet.start('cell-a', ['cell']));
  await Promise.all([gateway, ...cells].map((started) => started.ready()));
  load = new RoomLoad(fleet, rooms);
  load.start(fleet.connect(gateway));
}, 120_000);
afterAll(() => fleet.close());

function busyRooms(): readonly string[] {
  const chosen: string[] = [];
  for (let n = 0; n < roomCount; n += 1) {
    const taken = chosen.map(partitionOfRoom);
    chosen.push(roomWhere(`busy-${n}`, (partition) => !taken.includes(partition)));
  }
  return chosen;
}

/** How often the group gave this cell its partitions: once per generation. */
function generationsOf(cell: RoleProcess | undefined): number {
  return cell?.lines.filter(({ msg }) => msg === 'assignment of the group').length ?? 0;
}

/** Longest time between two answers of each room, watched until `over`; by room, in ms. */
async function longestSilences(over: Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  const last = new Map(rooms.map((room) => [room, { count: 0, atMs: performance.now() }]));
  const longest = new Map(rooms.map((room) => [room, 0]));
  let isOver = false;
  void over.finally(() => {
    isOver = true;
  });
  await waitUntil(
    'the end of the watch',
    () => {
      const nowMs = performance.now();
      for (const room of rooms) {
        const count = load.answered.get(room)?.size ?? 0;
        const before = last.get(room) ?? { count: 0, atMs: nowMs };
        longest.set(room, Math.max(longest.get(room) ?? 0, nowMs - before.atMs));
        if (count > before.count) last.set(room, { count, atMs: nowMs });
      }
      return Promise.resolve(isOver);
    },
    { limitMs: 120_000, everyMs: 50 },
  );
  return longest;
}

describe('a group whose members come and go under slow work', () => {
  it('settles with one generation per change, and every busy partition moves in each window (A2)', async () => {
    await load.more(20 * roomCount);
    fleet.mysqlProxy.setMode({ kind: 'delay', delayMs });
    const changes = async (): Promise<void> => {
      cells.push(await fleet.start('cell-b', ['cell']));
      await allOwn(fleet, ['cell-a', 'cell-b']);
      cells.push(await fleet.start('cell-c', ['cell']));
      await allOwn(fleet, ['cell-a', 'cell-b', 'cell-c']);
      expect((await cells[1]?.terminate())?.code).toBe(0);
      await allOwn(fleet, ['cell-a', 'cell-c']);
      const settled = generationsOf(cells[0]);
      await lasting(calmMs);
      expect(generationsOf(cells[0])).toBe(settled);
    };
    const silences = await (async () => {
      const over = changes();
      const found = await longestSilences(over);
      await over;
      return found;
    })();
    // The first member's own start, and one each for the second, the third and its leaving.
    expect(generationsOf(cells[0])).toBeLessThanOrEqual(5);
    const tooLong = [...silences].filter(([, ms]) => ms > windowMs);
    expect(tooLong).toEqual([]);
    fleet.mysqlProxy.setMode({ kind: 'pass' });
    await load.stop();
    expect(await load.differences()).toEqual([]);
  });
});
