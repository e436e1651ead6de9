/** Strongly consistent reads at cells, on the memory twins: who answers, from what, and who refuses. */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId, type RoomKey, type UserId } from '../../../src/domain/ids.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { OwnerQuestion, OwnerRead, OwnerReply } from '../../../src/ports/owner-reads.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import { OwnerRowsGate } from '../../support/owner-rows-gate.ts';
import { eventually } from '../../support/stepped-time.ts';

const viewQuestion: OwnerQuestion = { kind: 'view' };
const keyOf = (room: string): RoomKey => roomKeyOf(rigApp, room as RoomId);

/** A read by a service; ends only by an answer or by the test's clock. */
function ask(
  node: RigNode,
  room: string,
  change: Partial<OwnerRead> = {},
  call: { readonly withinMs?: number; readonly signal?: AbortSignal } = {},
): Promise<OwnerReply> {
  const read: OwnerRead = {
    roomKey: keyOf(room),
    asker: { role: 'service', userId: null },
    question: viewQuestion,
    forwardedBy: '',
    ...change,
  };
  const { withinMs = 2_000, signal = new AbortController().signal } = call;
  return node.cell.reads.read(read, { withinMs, signal });
}

/** How a read ends: the version of its answer, or the reason of its refusal. */
async function endOf(reply: Promise<OwnerReply>): Promise<bigint | string> {
  try {
    return (await reply).roomVersion;
  } catch (error) {
    if (error instanceof Failure) return error.reason;
    throw error;
  }
}

/** Lets everything happen that needs no time: a read that could end has ended then. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setImmediate(go));
}

function partitionOfRoom(rig: CellRig, room: string): number {
  return partitionOf(keyOf(room), rig.partitionCount);
}

/** A room of the partition. */
function roomOn(rig: CellRig, partition: number): string {
  for (let n = 0; ; n += 1) if (partitionOfRoom(rig, `r${n}`) === partition) return `r${n}`;
}

async function create(rig: CellRig, nodes: readonly RigNode[], room: string): Promise<void> {
  await rig.result(nodes, rig.send(room, 'c1', 'u1', createRoomBody()));
}

/** Another node takes the partition over, as MySQL knows; nobody tells the former owner. */
function takenOver(rig: CellRig, partition: number): void {
  const row = rig.database.owners.get(partition);
  if (row === undefined) throw new Error('the partition has no owner row');
  const other = { ownerNodeId: 'b', incarnation: 'inc-b', released: false, advertiseAddr: 'b' };
  Object.assign(row, { ...other, epoch: row.epoch + 1n, commitSeq: 0n });
}

describe('the owner', () => {
  it('answers with everything that was acknowledged, and with the epoch that MySQL confirmed (ROOM-20, QRY-3)', async () => {
    const rig = new CellRig(2);
    const node = await rig.startNode('a');
    await create(rig, [node], 'r1');
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    const reply = await ask(node, 'r1');
    expect(reply).toMatchObject({ roomVersion: 2n, ownerEpoch: 1n });
    expect(reply.answer).toMatchObject({ kind: 'view', view: { counts: { online: 1 } } });
  });

  it('loads a room that nobody has in memory', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('first');
    await create(rig, [first], 'r1');
    await first.cell.drain(1_000);
    const second = await rig.startNode('second');
    expect(await endOf(ask(second, 'r1'))).toBe(1n);
  });

  it('says ROOM_NOT_FOUND of a room that was never created, and the guard says no', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    expect(await endOf(ask(node, 'nowhere'))).toBe('ROOM_NOT_FOUND');
    const question = { kind: 'guard', userId: 'u1' as UserId } as const;
    expect(await ask(node, 'nowhere', { question })).toMatchObject({
      roomVersion: 0n,
      answer: { kind: 'guard', refusal: 'ROOM_NOT_FOUND', onSeat: false },
    });
  });

  it('a node that lost its partition without noticing answers NOT_OWNER, and not from its memory', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await create(rig, [node], 'r1');
    takenOver(rig, 0);
    const refused = ask(node, 'r1');
    await expect(refused).rejects.toMatchObject({ reason: 'NOT_OWNER', facts: { owner: 'b' } });
  });

  it('an epoch that rises between the read and its answer refuses the read', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node], 'r1');
    rows.hold();
    const reading = endOf(ask(node, 'r1'));
    await eventually('MySQL has answered', () => rows.heldCount === 1);
    takenOver(rig, 0);
    // The node learns of it by a commit that the fence refuses, while the read still waits.
    rig.send('r1', 'j1', 'u2', joinRoomBody());
    await eventually('the partition is lost', () => node.cell.ownedPartitions().length === 0);
    rows.release();
    expect(await reading).toBe('NOT_OWNER');
  });

  it('a read that comes while a confirmation runs waits for the next one, which all who wait share', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node], 'r1');
    rows.queries = 0;
    rows.hold();
    const first = endOf(ask(node, 'r1'));
    await eventually('MySQL has answered', () => rows.heldCount === 1);
    takenOver(rig, 0);
    const later = [1, 2, 3].map(() => endOf(ask(node, 'r1')));
    await someTurns();
    expect(rows.queries).toBe(1);
    rows.release();
    await eventually('the next one runs', () => rows.heldCount === 1);
    // True when MySQL said it, and after the first read had come.
    expect(await first).toBe(1n);
    rows.release();
    expect(await Promise.all(later)).toEqual(['NOT_OWNER', 'NOT_OWNER', 'NOT_OWNER']);
    expect(rows.queries).toBe(2);
  });

  it('answers UNAVAILABLE while MySQL is out of reach, and never from memory alone', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node], 'r1');
    rows.isAway = true;
    expect(await endOf(ask(node, 'r1'))).toBe('UNAVAILABLE');
    rows.isAway = false;
    expect(await endOf(ask(node, 'r1'))).toBe(1n);
  });

  it('a commit that MySQL has and memory does not is waited for', async () => {
    const rig = new CellRig(1);
    const held: (() => void)[] = [];
    let holding = false;
    const gate = <Port extends object>(port: Port): Port => {
      if (!('commit' in port)) return port;
      return new Proxy(port, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'commit') return value.bind(target) as unknown;
          return async (...args: unknown[]): Promise<unknown> => {
            const outcome: unknown = await (value.apply(target, args) as Promise<unknown>);
            if (holding) await new Promise<void>((go) => held.push(go));
            return outcome;
          };
        },
      });
    };
    const node = await rig.startNode('a', { gate });
    await create(rig, [node], 'r1');
    holding = true;
    rig.send('r1', 'j1', 'u2', joinRoomBody());
    await eventually('MySQL has it', () => held.length === 1);
    const seen: (bigint | string)[] = [];
    const reading = endOf(ask(node, 'r1')).then((end) => seen.push(end));
    await someTurns();
    expect(seen).toEqual([]);
    held.splice(0).forEach((go) => go());
    await reading;
    expect(seen).toEqual([2n]);
  });

  it('a commit whose end stays unknown refuses the read when its time is over', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await create(rig, [node], 'r1');
    const row = rig.database.owners.get(0);
    Object.assign(row ?? {}, { commitSeq: (row?.commitSeq ?? 0n) + 1n });
    const reading = endOf(ask(node, 'r1'));
    await someTurns();
    rig.time.advance(2_000);
    expect(await reading).toBe('UNAVAILABLE');
  });

  it.each([
    [
      'a commit to be shown',
      (rig: CellRig) => {
        const row = rig.database.owners.get(0);
        Object.assign(row ?? {}, { commitSeq: (row?.commitSeq ?? 0n) + 1n });
        return 'r1';
      },
    ],
    [
      'a room to be loaded',
      (rig: CellRig) => {
        rig.database.server.mode = 'down';
        return 'r2';
      },
    ],
  ])('a read that waits for %s ends with its partition', async (_, hinder) => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await create(rig, [node], 'r1');
    const reading = endOf(ask(node, hinder(rig)));
    await someTurns();
    rig.database.server.mode = 'up';
    node.source.assign([]);
    expect(await reading).toBe('NOT_OWNER');
  });

  it('a room that leaves memory while its read waits is loaded again', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const options = { residentRoomsMax: 1 };
    const node = await rig.startNode('a', { gate: rows.gate, options });
    await create(rig, [node], 'r1');
    rows.hold();
    const reading = endOf(ask(node, 'r1'));
    await eventually('MySQL has answered', () => rows.heldCount === 1);
    for (const room of ['r2', 'r3', 'r4']) await create(rig, [node], room);
    await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    rows.release();
    // Memory has another copy by now, and MySQL is asked for that one too.
    rows.stopHolding();
    const end = await reading;
    expect(end).toBe(2n);
  });

  it('refuses more reads than it may hold, and takes new ones when those have ended', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate, options: { readsMax: 2 } });
    await create(rig, [node], 'r1');
    rows.hold();
    const held = [endOf(ask(node, 'r1')), endOf(ask(node, 'r1'))];
    await eventually('MySQL has answered', () => rows.heldCount === 1);
    expect(await endOf(ask(node, 'r1'))).toBe('OWNER_BUSY');
    rig.time.advance(2_000);
    expect(await Promise.all(held)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    rows.stopHolding();
    const next = endOf(ask(node, 'r1'));
    expect(await next).toBe(1n);
  });

  it('ends a read whose caller has gone', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node], 'r1');
    rows.hold();
    const caller = new AbortController();
    const reading = endOf(ask(node, 'r1', {}, { signal: caller.signal }));
    await eventually('MySQL has answered', () => rows.heldCount === 1);
    caller.abort();
    expect(await reading).toBe('UNAVAILABLE');
  });

  it('refuses as DRAINING once it drains', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await create(rig, [node], 'r1');
    const draining = node.cell.drain(1_000);
    expect(await endOf(ask(node, 'r1'))).toBe('DRAINING');
    await draining;
  });
});

describe('a node that is not the owner', () => {
  async function twoNodes() {
    const rig = new CellRig(2);
    const a = await rig.startNode('a', { assign: [0] });
    const b = await rig.startNode('b', { assign: [1] });
    const room = roomOn(rig, 1);
    await create(rig, [a, b], room);
    return { rig, a, b, room };
  }

  it('passes the read on to the owner that the route in Redis names (LEASE-11, LEASE-10)', async () => {
    const { rig, a, room } = await twoNodes();
    // MySQL's address leads nowhere: only the route can have led there.
    Object.assign(rig.database.owners.get(1) ?? {}, { advertiseAddr: 'nowhere' });
    expect(await endOf(ask(a, room))).toBe(1n);
  });

  it.each([
    ['emptied', (rig: CellRig) => rig.keys.held.clear()],
    ['out of reach', (rig: CellRig) => void (rig.keys.unreachable = true)],
  ])('asks MySQL for the owner when Redis is %s (QRY-6)', async (_, harm) => {
    const { rig, a, room } = await twoNodes();
    harm(rig);
    expect(await endOf(ask(a, room))).toBe(1n);
  });

  it('asks the owner by MySQL when nobody is at the address of the route (LEASE-35)', async () => {
    const { rig, a, room } = await twoNodes();
    rig.keys.server.plant('room:node:b' as RoomKey, 'a-dead-pod', 60_000);
    expect(await endOf(ask(a, room))).toBe(1n);
  });

  it('refuses a forwarded read with the owner as a hint, and passes it on no further (LEASE-26)', async () => {
    const { a, room } = await twoNodes();
    const refused = ask(a, room, { forwardedBy: 'c' });
    await expect(refused).rejects.toMatchObject({ reason: 'NOT_OWNER', facts: { owner: 'b' } });
  });

  it('an address that leads back to the one who forwards ends after one hop (LEASE-26, TST-14)', async () => {
    const { rig, a, room } = await twoNodes();
    rig.network.lead('b', 'a');
    const arrived: string[] = [];
    const { read } = a.cell.reads;
    Object.assign(a.cell.reads, {
      read: (...args: Parameters<typeof read>) => {
        arrived.push(args[0].forwardedBy);
        return read(...args);
      },
    });
    expect(await endOf(ask(a, room))).toBe('NOT_OWNER');
    expect(arrived).toEqual(['', 'a']);
  });

  it('says NOT_OWNER of a partition that nobody has', async () => {
    const rig = new CellRig(2);
    const a = await rig.startNode('a', { assign: [0] });
    expect(await endOf(ask(a, roomOn(rig, 1)))).toBe('NOT_OWNER');
  });

  it('waits no longer for a silent owner than the caller does', async () => {
    const { rig, a, room } = await twoNodes();
    rig.network.silence('b');
    const reading = endOf(ask(a, room, {}, { withinMs: 500 }));
    await someTurns();
    rig.time.advance(500);
    expect(await reading).toBe('UNAVAILABLE');
  });
});
