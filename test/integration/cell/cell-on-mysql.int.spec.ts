/**
 * The cell on a real database: what the fence, the keys and the column types of MySQL do to a batch
 * is what the cell's branches are written for.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  rigOptions,
  type RigNode,
} from '../../support/cell-rig.ts';
import { fillRoom, giftBody, sell } from '../../support/gift-rig.ts';
import { openMysqlSpace, type MysqlSpace } from '../../support/mysql-space.ts';

let space: MysqlSpace;
beforeAll(async () => {
  space = await openMysqlSpace();
});
afterAll(async () => {
  await space.close();
});

/** Starts a node whose stores are the database of this file; every test has its own topic. */
async function startOnMysql(
  rig: CellRig,
  nodeId: string,
  topic: string,
  assign?: readonly number[],
): Promise<RigNode> {
  const drivers = space.moreDrivers({ commandsTopic: topic });
  const incarnation = `${topic}-${nodeId}`;
  const stores = {
    partitions: drivers.partitionStore,
    stops: drivers.partitionStops,
    rooms: drivers.roomReader,
    snapshots: drivers.snapshotStore,
    lane: drivers.openLane({ incarnation, lane: 0 }),
  };
  const options = { ...rigOptions, incarnation, commandsTopic: topic, releaseMarkWaitMs: 0 };
  return rig.startNode(nodeId, { stores, options, ...(assign === undefined ? {} : { assign }) });
}

/** A room id that lies on the partition; `stem` keeps tests of one database apart. */
function roomOn(rig: CellRig, stem: string, partition: number): string {
  for (let n = 0; ; n += 1) {
    const room = `${stem}-${n}`;
    if (partitionOf(roomKeyOf(rigApp, room as RoomId), rig.partitionCount) === partition) {
      return room;
    }
  }
}

function pauseAll(rig: CellRig, node: RigNode, run: () => string[]): string[] {
  for (let p = 0; p < rig.partitionCount; p += 1) node.source.pause(p);
  const ids = run();
  for (let p = 0; p < rig.partitionCount; p += 1) node.source.resume(p);
  return ids;
}

describe('a batch over 16 partitions', () => {
  it('commits all others when one partition is fenced and one of 50 commands has a data error', async () => {
    const rig = new CellRig(16);
    const a = await startOnMysql(rig, 'a', 'fenced.commands');
    const other = space.moreDrivers({ commandsTopic: 'fenced.commands' });
    await other.partitionStore.takeover({
      partition: 5,
      nodeId: 'b',
      incarnation: 'fenced.commands-b',
      lane: 0,
      advertiseAddr: '127.0.0.1:2',
    });
    const rooms = Array.from({ length: 16 }, (_, p) => roomOn(rig, 'f', p));
    // Longer than the list entry's column: the gateway would have refused it, the database does too.
    const title = 'x'.repeat(5000);
    const ids = pauseAll(rig, a, () =>
      Array.from({ length: 50 }, (_, n) => {
        const room = rooms[n % 16] ?? '';
        const isBad = n === 23;
        if (n < 16) return rig.send(room, `c${n}`, 'u1', createRoomBody());
        if (isBad) return rig.send(`${room}-bad`, `c${n}`, 'u1', createRoomBody({ title }));
        return rig.send(room, `c${n}`, `u${n}`, joinRoomBody());
      }),
    );
    const answered = ids.filter((_, n) => n % 16 !== 5 || n === 23);
    const replies = await Promise.all(answered.map((id) => rig.reply(a, id)));
    const refusals = replies.filter((reply) => reply.kind === 'refusal');
    expect(refusals.map(({ reason }) => reason)).toEqual(['DATA_REFUSED']);
    // The group still gives partition 5 to A, so A takes it again and executes what B did not.
    await Promise.all(ids.map((id) => rig.reply(a, id)));
    const rows = await space.sql(
      'SELECT partition_id, epoch, COUNT(*) AS n FROM room_command_log WHERE room_id LIKE ? ' +
        'GROUP BY partition_id, epoch ORDER BY partition_id',
      ['f-%'],
    );
    const total = rows.reduce((sum, row) => sum + Number(row['n']), 0);
    expect(total).toBe(49);
    const epochs = rows.map((row) => [Number(row['partition_id']), String(row['epoch'])]);
    expect(epochs).toEqual(Array.from({ length: 16 }, (_, p) => [p, p === 5 ? '3' : '1']));
    const dead = await space.sql('SELECT reason FROM room_dead_letters WHERE topic = ?', [
      'fenced.commands',
    ]);
    expect(dead.map((row) => row['reason'])).toEqual(['DATA_REFUSED']);
    await a.cell.stop();
  });
});

describe('a takeover', () => {
  it('goes on exactly behind what the former owner applied, with the rooms as they were (LEASE-33, LEASE-6)', async () => {
    const rig = new CellRig(2);
    const a = await startOnMysql(rig, 'a', 'take.commands');
    const room = roomOn(rig, 't', 1);
    await rig.result(a, rig.send(room, 'c1', 'u1', createRoomBody()));
    for (let n = 0; n < 25; n += 1) {
      await rig.result(a, rig.send(room, `j${n}`, `u${n}`, joinRoomBody(`n${n}`)));
    }
    a.source.assign([]);
    const b = await startOnMysql(rig, 'b', 'take.commands');
    const repeated = await rig.result([b], rig.send(room, 'j24', 'u24', joinRoomBody('n24')));
    expect(repeated).toMatchObject({ outcome: 'applied', replayed: true });
    const next = await rig.result([b], rig.send(room, 'l0', 'u3', { type: 'LeaveRoom' }));
    expect(next).toMatchObject({ outcome: 'applied', roomVersion: 27n });
    const owners = await space.sql(
      'SELECT applied_version, epoch FROM room_command_log WHERE room_id = ? ' +
        'AND applied_version IS NOT NULL ORDER BY applied_version',
      [room],
    );
    expect(owners.map((row) => String(row['applied_version']))).toEqual(
      Array.from({ length: 27 }, (_, n) => String(n + 1)),
    );
    const snapshots = await space.sql('SELECT version FROM room_snapshots WHERE room_id = ?', [
      room,
    ]);
    expect(snapshots.length).toBeGreaterThan(0);
    expect(a.fatal).toEqual([]);
    await a.cell.stop();
    await b.cell.stop();
  });

  it('finds a due deadline of a room that nobody has in memory', async () => {
    const rig = new CellRig(1);
    const a = await startOnMysql(rig, 'a', 'due.commands');
    await rig.result(a, rig.send('d-1', 'c1', 'u1', createRoomBody()));
    await rig.result(a, rig.send('d-1', 'j1', 'u1', joinRoomBody()));
    await rig.result(a, rig.send('d-1', 'm1', 'u1', { type: 'MicUp', seatNo: 1 }));
    await a.cell.stop();
    rig.time.advance(60_000);
    const b = await startOnMysql(rig, 'b', 'due.commands');
    await untilRows(
      'SELECT command_id FROM room_command_log WHERE room_id = ? AND command_id = ?',
      ['d-1', 'sys:mic-publish-timeout:4'],
    );
    await b.cell.stop();

    async function untilRows(sql: string, values: readonly string[]): Promise<void> {
      const untilMs = performance.now() + 10_000;
      for (;;) {
        rig.time.advance(50);
        if ((await space.sql(sql, values)).length > 0) return;
        if (performance.now() > untilMs) throw new Error(`no row in 10 s: ${values.join(' ')}`);
      }
    }
  });
});

describe('a gift', () => {
  it('on Sunday at 23:59:59.999 and one on Monday at 00:00 UTC are stored in two weeks and on two days (TST-20)', async () => {
    const rig = new CellRig(1);
    await sell(rig, 'rose', 10n);
    const a = await startOnMysql(rig, 'a', 'weeks.commands');
    await fillRoom(rig, a, 'w-1');
    const mondayMs = Date.UTC(2023, 10, 20);
    rig.time.advance(mondayMs - 1 - rig.time.wallMs());
    await rig.result(a, rig.send('w-1', 'sunday', 'u1', giftBody()));
    rig.time.advance(mondayMs - rig.time.wallMs());
    await rig.result(a, rig.send('w-1', 'monday', 'u2', giftBody(['u1'], 2)));
    const weeks = await space.sql(
      'SELECT iso_week, coins FROM room_week_contributions WHERE room_id = ? ORDER BY iso_week',
      ['w-1'],
    );
    expect(weeks.map((row) => [row['iso_week'], String(row['coins'])])).toEqual([
      ['2023-W46', '10'],
      ['2023-W47', '20'],
    ]);
    const days = await space.sql(
      'SELECT utc_day, coins FROM room_day_contributions WHERE room_id = ? ORDER BY utc_day',
      ['w-1'],
    );
    expect(days.map((row) => [row['utc_day'], String(row['coins'])])).toEqual([
      ['2023-11-19', '10'],
      ['2023-11-20', '20'],
    ]);
    const times = await space.sql(
      "SELECT decided_at_ms FROM room_command_log WHERE room_id = ? AND command_type = 'SendGift' " +
        'ORDER BY applied_version',
      ['w-1'],
    );
    expect(times.map((row) => Number(row['decided_at_ms']))).toEqual([mondayMs - 1, mondayMs]);
    await a.cell.stop();
  });
});

describe('a drain', () => {
  it('answers what is in hand, marks the partitions released and writes the offsets', async () => {
    const rig = new CellRig(2);
    const a = await startOnMysql(rig, 'a', 'drain.commands');
    const ids = Array.from({ length: 40 }, (_, n) =>
      rig.send(`g-${n}`, 'c1', 'u1', createRoomBody()),
    );
    await rig.reply(a, ids[0] ?? '');
    // Its clock runs ahead of the real server's answers, so that it needs much of its own time.
    await a.cell.drain(3_600_000);
    const rows = await space.sql(
      'SELECT partition_id, released, applied_offset FROM partition_owner WHERE topic = ? ' +
        'ORDER BY partition_id',
      ['drain.commands'],
    );
    expect(rows.map((row) => Number(row['released']))).toEqual([1, 1]);
    const stored = await space.sql('SELECT COUNT(*) AS n FROM rooms WHERE room_id LIKE ?', ['g-%']);
    const answered = ids.filter((id) => a.replies.byCorrelation.has(id)).length;
    expect(Number(stored[0]?.['n'])).toBe(answered);
    expect(a.cell.readiness().reasons).toContain('DRAINING');
    await a.cell.stop();
  });
});
