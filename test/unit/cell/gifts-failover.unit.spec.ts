/**
 * Gifts whose owner dies, freezes or loses its partition in the middle, and rooms and rows that
 * cannot be trusted: the coins are spent on a committed gift, or they are given back (A15, TST-3).
 */
import { describe, expect, it } from 'vitest';
import type { CellRig, RigNode } from '../../support/cell-rig.ts';
import { joinRoomBody } from '../../support/cell-rig.ts';
import {
  booksAgree,
  coinsOf,
  debitCount,
  giftBody,
  keyOfGift,
  openGiftRig,
  orderFault,
  passTime,
  sell,
} from '../../support/gift-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** The node is gone from here on: nothing of it reaches the stores any more. */
async function kill(node: RigNode): Promise<void> {
  node.source.assign([]);
  await node.cell.stop();
}

/** A gift that the wallet has debited, whose owner dies before it commits. */
async function debitedAndOrphaned(ttlMs?: number): Promise<{ rig: CellRig; id: string }> {
  const { rig, node } = await openGiftRig();
  orderFault(rig, { kind: 'applied_then_hang', times: 1 });
  const options = ttlMs === undefined ? {} : { ttlMs };
  const id = rig.send('r1', 'g1', 'u1', giftBody(), options);
  await eventually('the wallet has debited', () => debitCount(rig) === 1);
  await kill(node);
  return { rig, id };
}

describe('an owner that dies between debit and commit', () => {
  it('leaves the debit to its successor, which finds and honours it (GIFT-3, GIFT-4)', async () => {
    const { rig, id } = await debitedAndOrphaned();
    const next = await rig.startNode('b');
    expect(await rig.result(next, id)).toMatchObject({ outcome: 'applied' });
    expect(rig.wallet.ledger.keys()).toMatchObject([{ repeats: 0, conflicts: 0 }]);
    expect(coinsOf(rig, 'u1')).toBe(990n);
    await booksAgree(rig);
  });

  it('has its gift applied although its time is over: expiry never eats a debit', async () => {
    const { rig, id } = await debitedAndOrphaned(1_000);
    rig.time.advance(60_000);
    const next = await rig.startNode('b');
    expect(await rig.result(next, id)).toMatchObject({ outcome: 'applied' });
    await booksAgree(rig);
  });

  it('has its gift honoured at the price of the debit, not at a newer one', async () => {
    const { rig, id } = await debitedAndOrphaned();
    await sell(rig, 'rose', 99n);
    const next = await rig.startNode('b');
    const given = await rig.result(next, id);
    expect(given.fields).toMatchObject({ roomHeat: 10n, coinBalanceAfter: 990n });
    await booksAgree(rig);
  });

  it('has its gift given back when the successor neither finds nor repeats the debit in time (GIFT-4)', async () => {
    const { rig, id } = await debitedAndOrphaned();
    orderFault(rig, { kind: 'find_lags', times: 1 });
    orderFault(rig, { kind: 'unavailable', times: null, command: 'debit' });
    const next = await rig.startNode('b');
    await passTime(rig, 'the gift is answered', () => next.replies.byCorrelation.has(id));
    const ended = await rig.result(next, id);
    expect(ended).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'WALLET_UNKNOWN' } });
    await booksAgree(rig);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
  });

  it('and whose successors die in the same place is debited once in all (A15)', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    orderFault(rig, { kind: 'applied_then_hang', times: 3, command: 'find' });
    const ids = [rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3', 'u4']))];
    await eventually('the wallet has debited', () => debitCount(rig) === 1);
    await kill(node);
    for (const name of ['b', 'c', 'd']) {
      const next = await rig.startNode(name);
      ids.push(rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3', 'u4'])));
      const left = rig.wallet.faults.show()[0]?.left ?? 0;
      await eventually(`${name} looks for the debit`, () => {
        return (rig.wallet.faults.show()[0]?.left ?? 0) <= left;
      });
      await kill(next);
    }
    rig.wallet.faults.clear();
    const last = await rig.startNode('e');
    const answers = [];
    for (const id of ids) answers.push((await rig.result(last, id)).bytes);
    expect(new Set(answers.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
    expect(debitCount(rig)).toBe(1);
    expect(coinsOf(rig, 'u1')).toBe(970n);
    await booksAgree(rig);
  });
});

describe('an owner that dies before its debit arrives', () => {
  it('has the gift charged by its successor under the same key', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'late', times: 1, delayMs: 30_000 });
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    await eventually('the wallet was asked', () => rig.wallet.faults.show().length === 0);
    await kill(node);
    const next = await rig.startNode('b');
    expect(await rig.result(next, id)).toMatchObject({ outcome: 'applied' });
    rig.time.advance(60_000);
    await eventually('the late debit has come', () =>
      rig.wallet.ledger.keys().some(({ repeats }) => repeats === 1),
    );
    expect(coinsOf(rig, 'u1')).toBe(990n);
    await booksAgree(rig);
  });

  it('and too late for its caller ends in the log with a closed key, so that the late debit takes nothing', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'late', times: 1, delayMs: 30_000 });
    const id = rig.send('r1', 'g1', 'u1', giftBody(), { ttlMs: 500 });
    await eventually('the wallet was asked', () => rig.wallet.faults.show().length === 0);
    await kill(node);
    rig.time.advance(1_000);
    const next = await rig.startNode('b');
    const ended = await rig.result(next, id);
    expect(ended).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'EXPIRED' } });
    await booksAgree(rig);
    rig.time.advance(60_000);
    await eventually('the late debit has come', () =>
      rig.wallet.ledger.keys().some(({ lateDebits }) => lateDebits === 1),
    );
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
  });
});

describe('a former owner', () => {
  it('asks the wallet for no gift that its successor would refuse', async () => {
    const { rig, node } = await openGiftRig();
    const row = rig.database.owners.get(0);
    if (row === undefined) throw new Error('partition 0 has no owner row');
    // A successor has taken over; this node does not know yet and still reads the topic.
    Object.assign(row, { epoch: row.epoch + 1n, incarnation: 'inc-b', released: true });
    node.source.assign([0]);
    rig.send('r1', 'g1', 'u1', giftBody(), { ttlMs: 100 });
    await eventually('it notices', () => node.cell.ownedPartitions().length === 0);
    expect(rig.wallet.ledger.keys()).toEqual([]);
    expect(rig.wallet.faults.show()).toEqual([]);
  });

  it('that is fenced while the wallet works leaves the gift to the next owner of the partition', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    await eventually('the wallet has debited', () => debitCount(rig) === 1);
    const row = rig.database.owners.get(0);
    if (row === undefined) throw new Error('partition 0 has no owner row');
    Object.assign(row, { epoch: row.epoch + 1n, incarnation: 'inc-b', released: true });
    rig.send('r1', 'join-u9', 'u9', joinRoomBody());
    // Fenced at its next commit, it takes the partition over again and finds its own debit.
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
    expect(debitCount(rig)).toBe(1);
    await booksAgree(rig);
  });
});

describe('a commit that fails under a gift', () => {
  it.each(['lostAfterCommit', 'lostBeforeCommit', 'conflict', 'unavailable'] as const)(
    'by %s costs no second debit and loses none',
    async (kind) => {
      const { rig, node } = await openGiftRig();
      node.memoryLane?.faults.push({ kind });
      const given = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
      expect(given.outcome).toBe('applied');
      expect(rig.wallet.ledger.keys()).toMatchObject([{ repeats: 0 }]);
      await booksAgree(rig);
    },
  );

  it('for its own data gives the coins back: the gift is rejected in the log, not set aside', async () => {
    const { rig, node } = await openGiftRig();
    if (node.memoryLane === null) throw new Error('the rig runs on another store');
    node.memoryLane.dataFault = ({ giftStats }) => giftStats.length > 0;
    const ended = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(ended).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'DATA_REFUSED' } });
    await booksAgree(rig);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    expect(rig.database.deadLetters).toHaveLength(0);
  });
});

describe('a room whose stored history does not add up', () => {
  it('gives back what a former owner may have debited, and answers the gift', async () => {
    const { rig, id } = await debitedAndOrphaned();
    const damaged = [...rig.database.log.entries()].find(([, row]) => row.appliedVersion === 3n);
    if (damaged === undefined) throw new Error('version 3 has no row');
    rig.database.log.set(damaged[0], { ...damaged[1], chainHash: new Uint8Array(32) });
    rig.database.snapshots.clear();
    const next = await rig.startNode('b');
    const ended = await rig.result(next, id);
    expect(ended).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'ROOM_CORRUPT' } });
    await booksAgree(rig).catch(() => undefined);
    await eventually('given back', () => coinsOf(rig, 'u1') === 1_000n);
    // A new gift asks nobody: it is refused like every command of such a room.
    const refused = await rig.reply(next, rig.send('r1', 'g2', 'u1', giftBody()));
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'ROOM_CORRUPT' });
    expect(debitCount(rig)).toBe(1);
  });
});

describe('an id that was used before', () => {
  it('below the log’s end at a takeover voids nothing of the gift that it names', async () => {
    const { rig, node } = await openGiftRig();
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    await kill(node);
    // Both lie below the log's end when the successor takes over.
    const again = rig.send('r1', 'g1', 'u1', giftBody());
    const other = rig.send('r1', 'g1', 'u1', giftBody(['u3']));
    const next = await rig.startNode('b');
    expect(await rig.result(next, again)).toMatchObject({ outcome: 'applied', replayed: true });
    const refused = await rig.reply(next, other);
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'COMMAND_ID_REUSED' });
    expect(rig.database.settlements.has(keyOfGift('g1'))).toBe(false);
    expect(coinsOf(rig, 'u1')).toBe(990n);
    await booksAgree(rig);
  });
});
