/**
 * The record that ends the process which executes it (ADR 11): it is found by the lives it costs,
 * set aside and answered, and nothing else is blamed for it.
 */
import { describe, expect, it } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { booksAgree, coinsOf, giftBody, openGiftRig } from '../../support/gift-rig.ts';
import { startMortal, type Deadly, type MortalNode } from '../../support/mortal-node.ts';
import { eventually } from '../../support/stepped-time.ts';

/** Ends the process that decides a command of the user `poison`. */
const inDecide: Deadly = (codec, die) => ({
  encodeLoggedEvents: (events) => {
    if (events.some((event) => 'userId' in event && event.userId === 'poison')) die();
    return codec.encodeLoggedEvents(events);
  },
});

/** Ends the process that reads a command of the user `poison`. */
const inReading: Deadly = (codec, die) => ({
  decodeCommand: (bytes) => {
    const decoded = codec.decodeCommand(bytes);
    if (decoded.ok && decoded.value.kind === 'command' && decoded.value.actorUserId === 'poison') {
      die();
    }
    return decoded;
  },
});

/** Ends nothing. */
const harmless: Deadly = () => ({});

/** A room id that lies on the given partition. */
function roomOn(rig: CellRig, partition: number): string {
  for (let n = 0; ; n += 1) {
    const room = `room-${n}`;
    if (partitionOf(roomKeyOf(rigApp, room as RoomId), rig.partitionCount) === partition)
      return room;
  }
}

/** Starts one node after the other, each when the one before is dead, until one answers `id`. */
async function livesUntil(
  rig: CellRig,
  id: string,
  deadly: Deadly,
): Promise<{ readonly lives: readonly MortalNode[]; readonly last: MortalNode }> {
  const lives: MortalNode[] = [];
  for (;;) {
    const node = await startMortal(rig, `n${lives.length}`, deadly);
    lives.push(node);
    await eventually('an answer, or the end of the node', () => {
      return node.isDead() || node.replies.byCorrelation.has(id);
    });
    if (!node.isDead()) return { lives, last: node };
    await node.source.stop();
    if (lives.length > 12) throw new Error('the record is never found');
  }
}

describe('a record that ends the process deciding it', () => {
  it('is set aside and answered, and everything before and behind it is executed', async () => {
    const rig = new CellRig(1);
    const ids = [rig.send('r1', 'c1', 'u1', createRoomBody())];
    const poison = rig.send('r1', 'p1', 'poison', joinRoomBody());
    ids.push(
      rig.send('r1', 'j2', 'u2', joinRoomBody()),
      rig.send('r2', 'c2', 'u1', createRoomBody()),
    );
    const { lives, last } = await livesUntil(rig, poison, inDecide);
    expect(await rig.reply(last, poison)).toMatchObject({ kind: 'refusal', reason: 'POISON' });
    for (const id of ids) {
      expect(await rig.result(lives, id)).toMatchObject({ outcome: 'applied' });
    }
    expect(rig.database.deadLetters).toMatchObject([{ reason: 'POISON', kafkaOffset: 1n }]);
    expect(rig.database.log.size).toBe(3);
    // One life that may be any crash, one that moved nothing, and two lonely tries: no more.
    expect(lives.length).toBeLessThanOrEqual(5);
  });

  it('is found although heartbeats stand before it, which are settled without a commit', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('a');
    await rig.result(first, rig.send('r1', 'c1', 'u1', createRoomBody()));
    await first.cell.stop();
    for (let n = 0; n < 3; n += 1) rig.sendHeartbeats(0, [['r1', 'u1']]);
    const poison = rig.send('r1', 'p1', 'poison', joinRoomBody());
    const { last } = await livesUntil(rig, poison, inDecide);
    expect(await rig.reply(last, poison)).toMatchObject({ reason: 'POISON' });
    expect(rig.database.deadLetters).toMatchObject([{ reason: 'POISON', kafkaOffset: 4n }]);
  });

  it('is the only one blamed: records of other partitions that died with it are executed', async () => {
    const rig = new CellRig(4);
    const poison = rig.send(roomOn(rig, 2), 'p1', 'poison', createRoomBody());
    const ids = [0, 1, 3].map((partition) =>
      rig.send(roomOn(rig, partition), 'c1', 'u1', createRoomBody()),
    );
    const { lives, last } = await livesUntil(rig, poison, inReading);
    expect(await rig.reply(last, poison)).toMatchObject({ reason: 'POISON' });
    for (const id of ids) expect(await rig.result(lives, id)).toMatchObject({ outcome: 'applied' });
    expect(rig.database.deadLetters).toMatchObject([{ reason: 'POISON', partition: 2 }]);
  });

  it('being a gift, ends as a rejection in the log, and its coins are given back', async () => {
    const { rig, node } = await openGiftRig();
    await node.cell.stop();
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    const onGift: Deadly = (codec, die) => ({
      encodeLoggedEvents: (events) => {
        if (events.some(({ type }) => type === 'RoomGiftSent')) die();
        return codec.encodeLoggedEvents(events);
      },
    });
    const { last } = await livesUntil(rig, id, onGift);
    expect(await rig.result(last, id)).toMatchObject({
      outcome: 'rejected',
      reason: 'GIFT_NOT_CHARGED',
      facts: { cause: 'POISON' },
    });
    await booksAgree(rig);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
  });

  it('in paying for a gift, has it given back without asking the wallet again', async () => {
    const { rig, node } = await openGiftRig();
    await node.cell.stop();
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    const inPaying: Deadly = (_codec, die) => ({
      onTrace: (point) => void (point === 'cell.before_debit' && die()),
    });
    const { last } = await livesUntil(rig, id, inPaying);
    expect(await rig.result(last, id)).toMatchObject({ reason: 'GIFT_NOT_CHARGED' });
    expect(rig.database.deadLetters).toEqual([]);
  });

  it('being the repeat of a gift that was applied, takes nothing of it back', async () => {
    const { rig, node } = await openGiftRig();
    const first = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    await node.cell.stop();
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    let deaths = 0;
    const inItsTries: Deadly = (codec, die) => ({
      decodeCommand: (bytes) => {
        const decoded = codec.decodeCommand(bytes);
        const isGift =
          decoded.ok && 'commandId' in decoded.value && decoded.value.commandId === 'g1';
        if (isGift && (deaths += 1) <= 4) die();
        return decoded;
      },
    });
    const { last } = await livesUntil(rig, id, inItsTries);
    expect(deaths).toBe(5);
    expect((await rig.result(last, id)).bytes).toEqual(first.bytes);
    expect(coinsOf(rig, 'u1')).toBe(990n);
    await booksAgree(rig);
  });
});

describe('a record that ends the process reading it', () => {
  it('is set aside without being read once reading it alone has ended a process', async () => {
    const rig = new CellRig(1);
    const poison = rig.send('r1', 'p1', 'poison', createRoomBody());
    const behind = rig.send('r1', 'c1', 'u1', createRoomBody());
    const { lives, last } = await livesUntil(rig, poison, inReading);
    expect(await rig.reply(last, poison)).toMatchObject({ kind: 'refusal', reason: 'POISON' });
    expect(await rig.result(last, behind)).toMatchObject({ outcome: 'applied' });
    expect(rig.database.deadLetters).toMatchObject([
      { reason: 'POISON', kafkaOffset: 0n, recordValue: expect.any(Uint8Array) as unknown },
    ]);
    expect(lives.length).toBeLessThanOrEqual(6);
  });

  it('by throwing is set aside at once, and its partition goes on', async () => {
    const rig = new CellRig(1);
    const throwing: Deadly = (codec) => ({
      decodeCommand: (bytes) => {
        const decoded = codec.decodeCommand(bytes);
        const isPoison = decoded.ok && 'actorUserId' in decoded.value;
        if (isPoison && decoded.value.actorUserId === 'poison') throw new Error('a fault of ours');
        return decoded;
      },
    });
    const node = await startMortal(rig, 'a', throwing);
    const poison = rig.send('r1', 'p1', 'poison', createRoomBody());
    const behind = rig.send('r1', 'c1', 'u1', createRoomBody());
    expect(await rig.reply(node, poison)).toMatchObject({ kind: 'refusal', reason: 'INTERNAL' });
    expect(await rig.result(node, behind)).toMatchObject({ outcome: 'applied' });
    expect(rig.database.deadLetters).toMatchObject([{ reason: 'INTERNAL', kafkaOffset: 0n }]);
  });
});

describe('ordinary crashes', () => {
  /** Transactions that it takes to execute twenty rooms' first commands, all there at the start. */
  async function transactionsAfter(crashes: number, moving: boolean): Promise<number> {
    const rig = new CellRig(1);
    for (let n = 0; n < crashes; n += 1) {
      const node = await startMortal(rig, `crash-${n}`, harmless);
      await eventually('it owns the partition', () => node.cell.ownedPartitions().length === 1);
      if (moving) await rig.result(node, rig.send(`m${n}`, 'c1', 'u1', createRoomBody()));
      await node.source.stop();
    }
    const ids = Array.from({ length: 20 }, (_, n) =>
      rig.send(`r${n}`, 'c1', 'u1', createRoomBody()),
    );
    const node = await startMortal(rig, 'last', harmless, { concurrentLoadsMax: 100 });
    for (const id of ids) await rig.result(node, id);
    return node.memoryLane?.tries ?? 0;
  }

  it('cost no batching as long as each owner got on', async () => {
    expect(await transactionsAfter(4, true)).toBeLessThan(10);
  });

  it('cost no batching the first time, even when nothing had moved', async () => {
    expect(await transactionsAfter(1, false)).toBeLessThan(10);
  });

  it('in a row in which nothing moved make the records that lie there go one by one', async () => {
    expect(await transactionsAfter(4, false)).toBeGreaterThanOrEqual(20);
  });
});

describe('while records are tried one by one', () => {
  /** A partition whose last owners died without getting on, with so many commands in it. */
  async function stalled(commands: number): Promise<{ rig: CellRig; ids: readonly string[] }> {
    const rig = new CellRig(1);
    for (const name of ['x', 'y', 'z']) {
      const node = await startMortal(rig, name, harmless);
      await eventually('it owns the partition', () => node.cell.ownedPartitions().length === 1);
      await node.source.stop();
    }
    const ids = Array.from({ length: commands }, (_, n) =>
      rig.send(`r${n}`, 'c1', 'u1', createRoomBody()),
    );
    return { rig, ids };
  }

  /** Does this in the middle of the first commit: behind it, or before it has begun. */
  function atFirstCommit(
    act: () => void,
    where: TracePoint = 'cell.after_commit_before_reply',
  ): Deadly {
    let commits = 0;
    return () => ({ onTrace: (point) => void (point === where && (commits += 1) === 1 && act()) });
  }

  it('an outage of MySQL sets nothing aside', async () => {
    const { rig, ids } = await stalled(5);
    rig.database.server.mode = 'down';
    const starting = startMortal(rig, 'last', harmless);
    const turns = performance.now() + 100;
    await eventually('the outage lasts', () => performance.now() > turns);
    rig.database.server.mode = 'up';
    const node = await starting;
    for (const id of ids) expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(rig.database.deadLetters).toEqual([]);
  });

  it('new records go in batches as soon as the old ones are through', async () => {
    const { rig, ids } = await stalled(3);
    const node = await startMortal(rig, 'last', harmless);
    for (const id of ids) await rig.result(node, id);
    const before = node.memoryLane?.tries ?? 0;
    node.source.pause(0);
    const more = Array.from({ length: 20 }, (_, n) =>
      rig.send(`s${n}`, 'c1', 'u1', createRoomBody()),
    );
    node.source.resume(0);
    for (const id of more) await rig.result(node, id);
    expect((node.memoryLane?.tries ?? 0) - before).toBeLessThan(10);
  });

  it('no more are tried than a dead owner can have had in hand', async () => {
    const { rig, ids } = await stalled(40);
    const limits = { partitionHighWater: 4, partitionLowWater: 2, concurrentLoadsMax: 100 };
    const node = await startMortal(rig, 'last', harmless, limits);
    for (const id of ids) await rig.result(node, id);
    // Eight of them alone.
    expect(node.memoryLane?.tries ?? 0).toBeGreaterThanOrEqual(8);
    expect(node.memoryLane?.tries ?? 0).toBeLessThan(20);
  });

  it('records keep their order, those that come behind the search among them', async () => {
    const { rig, ids } = await stalled(2);
    const starting = startMortal(rig, 'last', harmless);
    const joins = Array.from({ length: 5 }, (_, n) =>
      rig.send('r0', `j${n}`, `u${n}`, joinRoomBody()),
    );
    const node = await starting;
    await rig.result(node, ids[0] ?? '');
    const versions: bigint[] = [];
    for (const id of joins) versions.push((await rig.result(node, id)).roomVersion);
    expect(versions).toEqual([2n, 3n, 4n, 5n, 6n]);
  });

  it('a drain ends with the record on trial and leaves the others to the next owner', async () => {
    const { rig, ids } = await stalled(30);
    const drains: Promise<void>[] = [];
    const node: MortalNode = await startMortal(
      rig,
      'drained',
      atFirstCommit(() => void drains.push(node.cell.drain(5_000))),
    );
    await eventually('the drain begins', () => drains.length > 0);
    await Promise.all(drains);
    await node.cell.stop();
    expect(rig.database.log.size).toBe(1);
    const next = await startMortal(rig, 'next', harmless);
    for (const id of ids) {
      expect(await rig.result([node, next], id)).toMatchObject({ outcome: 'applied' });
    }
    expect(rig.database.log.size).toBe(30);
  });

  it('a partition that is lost in the middle is tried on by its next owner', async () => {
    const { rig, ids } = await stalled(10);
    const node: MortalNode = await startMortal(
      rig,
      'loser',
      atFirstCommit(() => node.source.assign([])),
    );
    await eventually('it is lost', () => node.cell.ownedPartitions().length === 0);
    const next = await startMortal(rig, 'next', harmless);
    for (const id of ids) {
      expect(await rig.result([node, next], id)).toMatchObject({ outcome: 'applied' });
    }
    expect(rig.database.deadLetters).toEqual([]);
  });

  it('a partition that is lost and given back is tried on by the same node', async () => {
    const { rig, ids } = await stalled(10);
    const node: MortalNode = await startMortal(
      rig,
      'back',
      atFirstCommit(() => {
        node.source.assign([]);
        node.source.assign([0]);
      }, 'cell.before_commit_packet'),
    );
    for (const id of ids) expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
  });

  it.each([
    ['before a trial', 'cell.after_commit_before_reply', 1],
    ['in the middle of a trial', 'cell.before_commit_packet', 0],
  ] as const)(
    'an owner that loses its partition in MySQL %s comes back by a takeover',
    async (_when, where, executedBefore) => {
      const { rig, ids } = await stalled(10);
      const takeAway = (): void => {
        const row = rig.database.owners.get(0);
        if (row !== undefined)
          Object.assign(row, { epoch: row.epoch + 1n, incarnation: 'stranger' });
      };
      const node = await startMortal(rig, 'fenced', atFirstCommit(takeAway, where));
      for (const id of ids) {
        expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
      }
      // The third owner was the last one that died, the fifth is the stranger.
      const epochs = [...rig.database.log.values()].map(({ epoch }) => epoch);
      expect(epochs).toEqual(ids.map((_id, n) => (n < executedBefore ? 4n : 6n)));
    },
  );
});
