/**
 * How partitions stand, and a consumer that has died in silence. Goal: each partition says for itself
 * how far it is, how far behind, and why it stands; a node that delivers nothing any more ends, and no
 * outage, pause or freeze looks like that.
 */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/kernel/failure.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** Lets time pass in steps, with turns for what they begin. */
async function pass(rig: CellRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    rig.time.advance(1_000);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  }
}

describe('a partition', () => {
  it('shows where it is, and that nothing waits', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    await pass(rig, 6_000);
    expect(node.cell.partitions()).toEqual([
      {
        ...{ partition: 0, state: 'RUNNING', epoch: 1n, appliedOffset: 0n },
        ...{ queue: 0, lag: 0n, progressAgeMs: 0 },
      },
    ]);
  });

  it('shows what waits, how far behind it is, and for how long it has not got on', async () => {
    const rig = new CellRig(1);
    const held = createDeferred<void>();
    let isHeld = false;
    const node = await rig.startNode('a', {
      gate: (port) =>
        new Proxy(port, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            return async (...given: unknown[]): Promise<unknown> => {
              if (isHeld && name === 'commit') await held.promise;
              return Reflect.apply(value, target, given) as unknown;
            };
          },
        }),
    });
    await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    isHeld = true;
    const last = ['u1', 'u2', 'u3']
      .map((user) => rig.send('r1', user, user, joinRoomBody()))
      .at(-1);
    await pass(rig, 20_000);
    const [stuck] = node.cell.partitions();
    expect(stuck).toMatchObject({ state: 'RUNNING', appliedOffset: 0n, queue: 3, lag: 3n });
    expect(stuck?.progressAgeMs).toBeGreaterThanOrEqual(19_000);
    expect(rig.database.nodes.get('a')?.queues).toEqual(new Map([[0, 3]]));
    held.resolve();
    await rig.result(node, last ?? '');
    await pass(rig, 2_000);
    expect(node.cell.partitions()).toMatchObject([{ queue: 0, lag: 0n, progressAgeMs: 0 }]);
    expect(rig.database.nodes.get('a')?.queues).toEqual(new Map());
  });

  it('names what it stands still for, while the others run', async () => {
    const rig = new CellRig(2);
    const first = await rig.startNode('a');
    await rig.result(first, rig.send('r1', 'c1', 'owner', createRoomBody()));
    const id = partitionOf(roomKeyOf(rigApp, 'r1' as RoomId), 2);
    await first.cell.drain(1_000);
    await first.cell.stop();
    rig.topic.append({ partition: id, key: null, value: null, headers: {} }, rig.time.wallMs());
    rig.topic.append({ partition: id, key: null, value: null, headers: {} }, rig.time.wallMs());
    rig.topic.truncateBelow(id, 2n);
    const second = await rig.startNode('b', { assign: [] });
    second.source.assign([0, 1]);
    await eventually('it stands', () => second.cell.stops().size === 1);
    await eventually('the other runs', () => second.cell.ownedPartitions().length === 1);
    const states = second.cell.partitions().map(({ partition, state }) => [partition, state]);
    expect(new Map(states as [number, string][])).toEqual(
      new Map([
        [id, 'GAP'],
        [1 - id, 'RUNNING'],
      ]),
    );
  });

  it('is taken over until it is ours, and gone when the group gives it to another', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { assign: [] });
    expect(node.cell.partitions()).toEqual([]);
    node.source.assign([0]);
    expect(node.cell.partitions()).toMatchObject([
      { state: 'TAKING_OVER', epoch: null, lag: null },
    ]);
    await eventually('ours', () => node.cell.ownedPartitions().length === 1);
    node.source.assign([]);
    expect(node.cell.partitions()).toEqual([]);
  });
});

describe('a consumer that delivers nothing, although records wait in the log', () => {
  it('ends the process once it has been silent for long enough', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    // Still a member, and still asked: it only delivers no more.
    node.source.stopped = true;
    rig.send('r1', 'c1', 'owner', createRoomBody());
    await pass(rig, 50_000);
    expect(node.fatal).toEqual([]);
    expect(node.cell.partitions()).toMatchObject([{ queue: 0, lag: 1n }]);
    await pass(rig, 30_000);
    expect(node.fatal).toMatchObject([{ message: 'the consumer is silent' }]);
    const line = node.log.lines.find(({ text }) => text.startsWith('the consumer is silent'));
    expect(line).toMatchObject({ level: 'error', fields: { partition: 0, endOffset: 1n } });
  });

  it('is not dead while it still delivers, however slowly', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    node.source.stopped = true;
    for (let n = 0; n < 4; n += 1) {
      rig.send(`r${n}`, 'c1', 'owner', createRoomBody());
      rig.send(`s${n}`, 'c1', 'owner', createRoomBody());
      await pass(rig, 45_000);
      node.source.stopped = false;
      node.source.deliver(0);
      node.source.stopped = true;
      await pass(rig, 2_000);
    }
    expect(node.fatal).toEqual([]);
  });

  it('is not dead while the brokers do not answer', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    node.source.stopped = true;
    rig.send('r1', 'c1', 'owner', createRoomBody());
    node.source.logRange = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'no broker'));
    await pass(rig, 200_000);
    expect(node.fatal).toEqual([]);
  });

  it('is not dead while the cell itself wants no more', async () => {
    const rig = new CellRig(1);
    const held = createDeferred<void>();
    const node = await rig.startNode('a', {
      options: { partitionHighWater: 2, partitionLowWater: 1 },
      gate: (port) =>
        new Proxy(port, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (typeof value !== 'function') return value;
            return async (...given: unknown[]): Promise<unknown> => {
              if (name === 'commit') await held.promise;
              return Reflect.apply(value, target, given) as unknown;
            };
          },
        }),
    });
    for (const id of ['c1', 'c2']) rig.send('r1', id, 'owner', createRoomBody());
    await eventually('it is paused', () => node.cell.partitions()[0]?.state === 'PAUSED');
    rig.send('r1', 'c3', 'owner', createRoomBody());
    await pass(rig, 200_000);
    expect(node.fatal).toEqual([]);
    expect(node.cell.partitions()).toMatchObject([{ state: 'PAUSED', queue: 2, lag: 3n }]);
    held.resolve();
  });
});
