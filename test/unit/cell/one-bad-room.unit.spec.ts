/** What one room, one store or one lease does wrong must not reach further than itself. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { MemoryCommitLane } from '../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryPartitionStore } from '../../../src/drivers/memory/memory-partition-store.ts';
import { MemoryRoomReader } from '../../../src/drivers/memory/memory-room-reader.ts';
import { MemorySnapshotStore } from '../../../src/drivers/memory/memory-snapshot-store.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

function storesOf(rig: CellRig) {
  return {
    lane: new MemoryCommitLane(rig.database),
    partitions: new MemoryPartitionStore(rig.database),
    rooms: new MemoryRoomReader(rig.database),
    snapshots: new MemorySnapshotStore(rig.database),
  };
}

describe('a lease that Redis gives to somebody else', () => {
  it('is not overwritten while MySQL cannot say whose the partition is', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const key = roomKeyOf(rigApp, 'r1' as RoomId);
    rig.keys.forge(key, 99n);
    stores.partitions.readOwner = () =>
      Promise.reject(new Failure('retry', 'UNAVAILABLE', 'out of reach by the test'));
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    expect(rig.keys.held.get(key)?.ownerNodeId).toBe('forged');
  });
});

describe('a snapshot that cannot be made', () => {
  it('by a fault of ours costs neither the command nor the process (PIPE-14)', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    stores.snapshots.save = () => Promise.reject(new TypeError('a fault by the test'));
    const node = await rig.startNode('a', { stores, options: { snapshotEveryN: 1 } });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await eventually('the fault is logged', () =>
      node.log.lines.find(({ text }) => text === 'a snapshot was not written'),
    );
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
  });
});

describe('a command id that the log refuses but the look-up does not find', () => {
  it('is set aside, and the commands beside it are answered', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const commit = stores.lane.commit.bind(stores.lane);
    let refused = 0;
    stores.lane.commit = (batch, gate) => {
      const isOdd = batch.logRows.some(({ commandId }) => commandId === 'odd');
      if (!isOdd || refused >= 50) return commit(batch, gate);
      refused += 1;
      return Promise.resolve({ kind: 'duplicateCommand', cause: 'by the test' });
    };
    node.source.pause(0);
    const repeated = rig.send('r1', 'c1', 'u1', createRoomBody());
    const odd = rig.send('r2', 'odd', 'u1', createRoomBody());
    node.source.resume(0);
    expect((await rig.result(node, repeated)).replayed).toBe(true);
    expect(await rig.reply(node, odd)).toMatchObject({ reason: 'DATA_REFUSED' });
    expect(rig.database.deadLetters.map(({ reason }) => reason)).toEqual(['DATA_REFUSED']);
    expect(refused).toBeLessThan(5);
  });
});

describe('readiness', () => {
  it('forgets an outage together with the last batch that met it', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    const outage = Array.from({ length: 1000 }, () => ({ kind: 'unavailable' as const }));
    node.memoryLane?.faults.push(...outage);
    rig.send('r1', 'c1', 'u1', createRoomBody());
    await eventually('DB_DOWN is named', () => node.cell.readiness().reasons.includes('DB_DOWN'));
    node.source.assign([]);
    await eventually('DB_DOWN is gone', () => node.cell.readiness().ready);
  });

  it('forgets it, too, when the lease tells that the batch is another node’s', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    const outage = Array.from({ length: 1000 }, () => ({ kind: 'unavailable' as const }));
    stores.lane.faults.push(...outage);
    rig.send('r1', 'c1', 'u1', createRoomBody());
    await eventually('DB_DOWN is named', () => node.cell.readiness().reasons.includes('DB_DOWN'));
    // It does not come back: its next takeover waits for ever.
    stores.partitions.takeover = () => new Promise(() => undefined);
    const row = rig.database.owners.get(0);
    if (row === undefined) throw new Error('partition 0 has no owner row');
    Object.assign(row, { epoch: row.epoch + 1n, incarnation: 'inc-b' });
    rig.keys.forge(roomKeyOf(rigApp, 'r1' as RoomId), row.epoch);
    await eventually('only the takeover is waited for', () => {
      return node.cell.readiness().reasons.join() === 'TAKING_OVER';
    });
  });
});

describe('an outage that no transaction meets', () => {
  const away = (): Promise<never> =>
    Promise.reject(new Failure('retry', 'UNAVAILABLE', 'out of reach by the test'));

  it('is named in readiness while commands wait for their look-up', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    const { rooms } = stores;
    const find = rooms.findResults.bind(rooms);
    rooms.findResults = away;
    const id = rig.send('r1', 'c1', 'u1', createRoomBody());
    await eventually('DB_DOWN is named', () => node.cell.readiness().reasons.includes('DB_DOWN'));
    rooms.findResults = find;
    await rig.result(node, id);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
  });

  it('is named in readiness of a node without work', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    const { rooms } = stores;
    const due = rooms.dueRooms.bind(rooms);
    rooms.dueRooms = away;
    await lookAtDueRooms(rig);
    expect(node.cell.readiness().reasons).toEqual(['DB_DOWN']);
    rooms.dueRooms = due;
    await lookAtDueRooms(rig);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
  });

  it('ends for a node that loses its last partition: nobody asks there any more', async () => {
    const rig = new CellRig(2);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    stores.rooms.dueRooms = away;
    await lookAtDueRooms(rig);
    node.source.assign([1]);
    expect(node.cell.readiness().reasons).toEqual(['DB_DOWN']);
    node.source.assign([]);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
  });

  /** Lets twice the pace pass at which due rooms are looked up. */
  async function lookAtDueRooms(rig: CellRig): Promise<void> {
    const untilMs = rig.time.monoMs() + 2_000;
    while (rig.time.monoMs() < untilMs) {
      rig.time.advance(50);
      await rig.time.sleep(0);
    }
  }
});

describe('heartbeats', () => {
  it('of more rooms than fit into memory load each of them once (SVC-27)', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const options = { residentRoomsMax: 10, concurrentLoadsMax: 2 };
    const node = await rig.startNode('a', { stores, options });
    const { rooms } = stores;
    const load = rooms.loadRoom.bind(rooms);
    let loads = 0;
    rooms.loadRoom = (key) => {
      loads += 1;
      // A room more, while the fold's rooms come in: those that are idle by now have to go.
      if (loads === 20) rig.send('another', 'c1', 'u1', createRoomBody());
      return loads < 1000 ? load(key) : new Promise(() => undefined);
    };
    const fold = Array.from({ length: 40 }, (_, n) => [`r${n}`, 'u1'] as const);
    const reply = await rig.reply(node, rig.sendHeartbeats(0, fold));
    expect(reply.kind === 'heartbeats' && reply.notActive).toHaveLength(40);
    expect(loads).toBe(41);
  });
});

describe('a deadline whose command can never be stored', () => {
  it('is tried again once a second and not as often as the node can', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await rig.result(node, rig.send('r1', 'j1', 'u1', joinRoomBody()));
    await rig.result(node, rig.send('r1', 'm1', 'u1', { type: 'MicUp', seatNo: 3 }));
    const lane = node.memoryLane;
    if (lane === null) throw new Error('the rig runs on another store');
    let refused = 0;
    lane.dataFault = ({ logRows }) => {
      const isDue = logRows.some(({ commandId }) => commandId.startsWith('sys:'));
      if (isDue) refused += 1;
      return isDue;
    };
    rig.time.advance(15_000);
    await eventually('the first try', () => refused > 0);
    const untilMs = rig.time.monoMs() + 3_000;
    while (rig.time.monoMs() < untilMs) {
      rig.time.advance(10);
      await rig.time.sleep(0);
    }
    expect(refused).toBeGreaterThan(1);
    expect(refused).toBeLessThanOrEqual(4);
  });
});

describe('a cell that is stopped', () => {
  it('ends what waits for an outage', async () => {
    const rig = new CellRig(1);
    const stores = storesOf(rig);
    const node = await rig.startNode('a', { stores });
    let tries = 0;
    const outage = (): Promise<never> => {
      tries += 1;
      return Promise.reject(new Failure('retry', 'UNAVAILABLE', 'out of reach by the test'));
    };
    stores.rooms.loadRoom = outage;
    rig.send('r1', 'c1', 'u1', createRoomBody());
    await eventually('a room is waited for', () => tries > 2);
    await node.cell.stop();
    await rig.time.sleep(0);
    const before = tries;
    for (let turns = 0; turns < 20; turns += 1) await rig.time.sleep(0);
    expect(tries).toBe(before);
  });
});
