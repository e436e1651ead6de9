/**
 * What a node may hold of the log. Goal: its memory is bounded whatever its callers send, by asking for
 * no more; nothing is lost, nothing is reordered, and it goes on by itself.
 */
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  rigOptions,
} from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const intakeBytesMax = 4_000;

/** Rooms on different partitions of two. */
function roomOn(partition: number): string {
  for (let n = 0; ; n += 1) {
    const room = `r${n}`;
    if (partitionOf(roomKeyOf(rigApp, room as RoomId), 2) === partition) return room;
  }
}

/** A node whose commits wait until the test lets them go. */
async function heldNode(created: readonly number[] = [0, 1]) {
  const rig = new CellRig(2);
  const held = createDeferred<void>();
  let isHeld = false;
  const node = await rig.startNode('a', {
    options: { intakeBytesMax },
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
  const rooms = [roomOn(0), roomOn(1)] as const;
  for (const room of rooms.filter((_, partition) => created.includes(partition))) {
    await rig.result(node, rig.send(room, 'c1', 'owner', createRoomBody()));
  }
  isHeld = true;
  return { rig, node, rooms, letGo: () => held.resolve() };
}

const states = ({ cell }: RigNode): string[] => cell.partitions().map(({ state }) => state);

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((next) => setImmediate(next));
}

/** Joins until the node is full; answers their ids. */
async function fill(rig: CellRig, node: RigNode, room: string): Promise<string[]> {
  const sent: string[] = [];
  while (states(node)[0] !== 'PAUSED') {
    sent.push(rig.send(room, `j${sent.length}`, `u${sent.length}`, joinRoomBody('x'.repeat(60))));
    await turns();
    expect(sent.length).toBeLessThan(60);
  }
  return sent;
}

describe('a node that holds as many bytes as it may', () => {
  it('takes nothing more of any partition, and says so', async () => {
    const { rig, node, rooms, letGo } = await heldNode();
    const sent = await fill(rig, node, rooms[0]);
    expect(states(node)).toEqual(['PAUSED', 'PAUSED']);
    const bytes = [...(rig.topic.records.get(0) ?? [])]
      .slice(1)
      .reduce((sum, { key, value }) => sum + (key?.byteLength ?? 0) + (value?.byteLength ?? 0), 0);
    expect(bytes).toBeGreaterThanOrEqual(intakeBytesMax);
    const late = [rig.send(rooms[0], 'l1', 'l1', joinRoomBody())];
    late.push(rig.send(rooms[1], 'l2', 'l2', joinRoomBody()));
    await turns();
    expect(node.cell.partitions().map(({ queue }) => queue)).toEqual([sent.length, 0]);
    const lines = node.log.lines.filter(({ text }) => text.startsWith('the intake is full'));
    expect(lines).toMatchObject([{ level: 'warn', fields: { limitBytes: intakeBytesMax } }]);
    letGo();
    for (const id of [...sent, ...late]) {
      expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    }
    expect(states(node)).toEqual(['RUNNING', 'RUNNING']);
  });

  it('pauses a partition that it takes over meanwhile', async () => {
    // Nothing was ever read of it, so that no record makes the node look at it.
    const { rig, node, rooms, letGo } = await heldNode([0]);
    node.source.assign([0]);
    await fill(rig, node, rooms[0]);
    node.source.assign([0, 1]);
    await eventually('it is taken over', () => node.cell.ownedPartitions().length === 2);
    expect(states(node)).toEqual(['PAUSED', 'PAUSED']);
    letGo();
    await eventually('both run', () => states(node).join() === 'RUNNING,RUNNING');
  });

  it('goes on when the partition that filled it goes to another node', async () => {
    const { rig, node, rooms, letGo } = await heldNode();
    await fill(rig, node, rooms[0]);
    node.source.assign([1]);
    expect(states(node)).toEqual(['RUNNING']);
    letGo();
    expect(await rig.result(node, rig.send(rooms[1], 'l2', 'l2', joinRoomBody()))).toMatchObject({
      outcome: 'applied',
    });
  });
});

it('a node below its bound leaves a partition paused that is full itself, and the others open', async () => {
  const { rig, node, rooms, letGo } = await heldNode();
  for (let n = 0; n < rigOptions.partitionHighWater; n += 1) rig.append(0, null, null);
  await eventually('it is full', () => states(node)[0] === 'PAUSED');
  expect(states(node)).toEqual(['PAUSED', 'RUNNING']);
  letGo();
  const last = rig.send(rooms[0], 'l1', 'l1', joinRoomBody());
  expect(await rig.result(node, last)).toMatchObject({ outcome: 'applied' });
  expect(states(node)).toEqual(['RUNNING', 'RUNNING']);
});
