/** What leaves a cell by the display lane, when, and what never does. */
import { describe, expect, it } from 'vitest';
import type { CellOptions } from '../../../src/cell/cell-options.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { eventIdOf } from '../../../src/protocol/derived-ids.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const codec = createCodec();

/** What was offered, decoded: a display by itself, a fact by its envelope. */
function shownBy(node: RigNode) {
  return node.displays.offered.map(({ value }) => {
    const display = codec.decodeDisplay(value);
    if (display.ok) return { kind: 'display' as const, ...display.value };
    const fact = codec.decodeEnvelope(value);
    if (!fact.ok) throw new Error(fact.fault);
    return { kind: 'fact' as const, ...fact.value };
  });
}

async function rigWith(options: Partial<CellOptions>) {
  const rig = new CellRig();
  const node = await rig.startNode('n1', { options });
  const run = async (id: string, user: string, body: Parameters<CellRig['send']>[3]) =>
    rig.result(node, rig.send('r1', id, user, body));
  await run('c-create', 'boss', createRoomBody());
  return { rig, node, run };
}

const byDisplay = (...types: string[]) => ({
  imLanes: { byDisplay: new Set(types), largeRoomUsers: 100 } as CellOptions['imLanes'],
});
const largeFrom = (largeRoomUsers: number) => ({
  imLanes: { byDisplay: new Set(), largeRoomUsers } as CellOptions['imLanes'],
});

describe('the display lane of a cell', () => {
  it('shows nothing as long as every type goes by the outbox (DIM-4)', async () => {
    const { node, run } = await rigWith({});
    await run('c1', 'u1', joinRoomBody());
    expect(node.displays.offered).toEqual([]);
  });

  it('a type given to it leaves after COMMIT as the fact’s own envelope, without an IM row (DIM-1, DIM-3, RES-22)', async () => {
    const { rig, node, run } = await rigWith(byDisplay('RoomUserJoined'));
    const { outcome } = await run('c1', 'u1', joinRoomBody());
    expect(outcome).toBe('applied');
    const [fact] = shownBy(node);
    expect(fact).toMatchObject({
      kind: 'fact',
      eventType: 'RoomUserJoined',
      eventId: eventIdOf(rigApp, 'r1' as never, 'c1' as never, 0),
    });
    const rows = [...rig.database.outbox.values()].filter(({ eventType }) => {
      return eventType === 'RoomUserJoined';
    });
    expect(rows.map(({ destination }) => destination)).toEqual(['activity']);
    const stored = [...rig.database.events.values()].find(({ eventId }) => {
      return eventId === fact?.eventId;
    });
    expect(Buffer.from(node.displays.offered[0]?.value ?? [])).toEqual(
      Buffer.from(stored?.envelope ?? []),
    );
  });

  it('a repeat shows nothing again', async () => {
    const { node, run } = await rigWith(byDisplay('RoomUserJoined'));
    await run('c1', 'u1', joinRoomBody());
    await run('c1', 'u1', joinRoomBody());
    expect(node.displays.offered).toHaveLength(1);
  });

  it('a type that is suppressed is never sent, and stays in the outbox of the others (DIM-4)', async () => {
    const { node, run } = await rigWith({
      ...byDisplay('RoomUserJoined'),
      suppressedDisplays: new Set(['RoomUserJoined']),
    });
    await run('c1', 'u1', joinRoomBody());
    expect(node.displays.offered).toEqual([]);
  });

  it('comings and goings of a large room are shown at once, then together once a second', async () => {
    const { rig, node, run } = await rigWith(largeFrom(2));
    for (const user of ['u1', 'u2', 'u3', 'u4', 'u5']) await run(`j-${user}`, user, joinRoomBody());
    await run('l-u1', 'u1', { type: 'LeaveRoom' });
    const first = shownBy(node);
    expect(first).toHaveLength(1);
    expect(first[0]).toMatchObject({ display: { joinedCount: 1, onlineCount: 3 } });
    rig.time.advance(1_000);
    await eventually('the gathered ones', () => node.displays.offered.length === 2);
    const second = shownBy(node)[1];
    expect(second).toMatchObject({
      kind: 'display',
      displayType: 'RoomUsersCameAndWent',
      display: { joinedCount: 2, leftCount: 1, leftUserIds: ['u1'], onlineCount: 4 },
    });
    expect(new Set(shownBy(node).map(({ eventId }) => eventId)).size).toBe(2);
    const imRows = [...rig.database.outbox.values()].filter(
      ({ destination, eventType }) => destination === 'im' && eventType === 'RoomUserJoined',
    );
    expect(imRows).toHaveLength(2);
  });

  it('what waits is shown when the room closes', async () => {
    const { node, run } = await rigWith(largeFrom(1));
    for (const user of ['u1', 'u2', 'u3']) await run(`j-${user}`, user, joinRoomBody());
    expect(node.displays.offered).toHaveLength(1);
    await run('close', 'boss', { type: 'CloseRoom', reason: 'done', note: '' });
    expect(shownBy(node)[1]).toMatchObject({ display: { joinedCount: 1 } });
  });

  it('shows nothing of a partition that it has lost', async () => {
    const { rig, node, run } = await rigWith(largeFrom(1));
    for (const user of ['u1', 'u2', 'u3']) await run(`j-${user}`, user, joinRoomBody());
    node.source.assign([]);
    await eventually('the loss', () => node.displays.dropped.length > 0);
    rig.time.advance(5_000);
    expect(node.displays.offered).toHaveLength(1);
    const { roomKey } = node.displays.offered[0] ?? {};
    expect(node.displays.dropped.some((isOf) => isOf(roomKey as never))).toBe(true);
  });

  it('shows what waits before everything is given up', async () => {
    const { node, run } = await rigWith(largeFrom(1));
    for (const user of ['u1', 'u2', 'u3']) await run(`j-${user}`, user, joinRoomBody());
    expect(node.displays.offered).toHaveLength(1);
    await node.cell.drain(1_000);
    expect(shownBy(node)[1]).toMatchObject({ display: { joinedCount: 1 } });
  });
});
