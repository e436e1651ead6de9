/**
 * Lucky gifts through the cell: checked before anything is paid, drawn once per target, prizes paid
 * once and for committed gifts only (LUCKY-1 … LUCKY-4, INV-24).
 */
import { describe, expect, it } from 'vitest';
import { MemorySchemaRegistry } from '../../../src/drivers/memory/memory-schema-registry.ts';
import { drawKeyOf, prizeKeyOf } from '../../../src/protocol/debit.ts';
import { CellRig, type RigNode } from '../../support/cell-rig.ts';
import {
  booksAgree,
  coinsOf,
  debitCount,
  fillRoom,
  giftBody,
  keyOfGift,
  openGiftRig,
  orderFault,
  passTime,
  sell,
} from '../../support/gift-rig.ts';
import type { GiftRig } from '../../support/gift-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** A rig that sells `clover`, a lucky gift of 20 coins. */
async function openLuckyRig(...options: Parameters<typeof openGiftRig>): Promise<GiftRig> {
  const opened = await openGiftRig(...options);
  await sell(opened.rig, 'clover', 20n, true);
  return opened;
}

const clover = (targets: readonly string[] = ['u2']) => giftBody(targets, 1, 'clover');

/** The first command id in `r1` whose first `targets` targets all win, by the stand-in's rule. */
function idThatWins(targets: number): string {
  for (let n = 1; ; n += 1) {
    const firsts = Array.from({ length: targets }, (_, at) => {
      return Number.parseInt(drawKeyOf(keyOfGift(`g${n}`), at).slice(0, 2), 16);
    });
    if (firsts.every((first) => first < 64)) return `g${n}`;
  }
}
const winner = idThatWins(1);

function prizesIn(rig: CellRig) {
  const of = (kind: string) => rig.wallet.ledger.entries().filter((entry) => entry.kind === kind);
  return { paid: of('prize'), back: of('prizeBack') };
}

async function kill(node: RigNode): Promise<void> {
  node.source.assign([]);
  await node.cell.stop();
}

async function nothingOpen(rig: CellRig): Promise<void> {
  await passTime(rig, 'every settlement is settled', () => {
    return [...rig.database.settlements.values()].every(({ status }) => status === 'settled');
  });
}

describe('a lucky gift', () => {
  it('is checked, debited, drawn and paid, and answers all of it (LUCKY-3, LUCKY-4, RES-10, RES-14, SVC-11)', async () => {
    const { rig, node } = await openLuckyRig();
    const sent = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    const [draw] = rig.lucky.draws();
    const prizeCoins = draw?.prizeCoins ?? 0n;
    expect(prizeCoins).toBeGreaterThan(0n);
    expect(sent.fields).toMatchObject({
      coinBalanceAfter: 980n + prizeCoins,
      luckyDraws: [{ targetUserId: 'u2', drawId: draw?.drawId, prizeCoins, prize: 'paid' }],
    });
    expect(coinsOf(rig, 'u1')).toBe(980n + prizeCoins);
    expect(prizesIn(rig).paid).toMatchObject([
      { key: prizeKeyOf(keyOfGift(winner), 0), userId: 'u1', coins: prizeCoins },
    ]);
    expect(rig.database.settlements.size).toBe(0);
    await booksAgree(rig);
  });

  it('to several targets draws once for each, under keys of their places (LUCKY-3, RES-15)', async () => {
    const { rig, node } = await openLuckyRig();
    const id = rig.send('r1', 'g1', 'u1', clover(['u2', 'u3', 'u4']));
    const { fields } = await rig.result(node, id);
    const keys = [0, 1, 2].map((at) => drawKeyOf(keyOfGift('g1'), at));
    expect(rig.lucky.draws().map(({ key }) => key)).toEqual(keys);
    expect(fields.luckyDraws?.map(({ targetUserId }) => targetUserId)).toEqual(['u2', 'u3', 'u4']);
    expect(debitCount(rig)).toBe(1);
  });

  it('answers a repeat from the log: nothing is drawn or paid again (INV-24)', async () => {
    const { rig, node } = await openLuckyRig();
    const first = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    const again = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    expect(again.bytes).toEqual(first.bytes);
    expect(rig.lucky.draws()).toMatchObject([{ repeats: 0 }]);
    expect(prizesIn(rig).paid).toHaveLength(1);
  });

  it('that the service refuses costs nothing (LUCKY-1)', async () => {
    const { rig, node } = await openLuckyRig();
    rig.lucky.faults.add({ kind: 'refuse', times: 1 });
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', clover()));
    expect(sent).toMatchObject({ outcome: 'rejected', reason: 'LUCKY_GIFT_NOT_ENABLED' });
    expect(rig.wallet.ledger.keys()).toEqual([]);
    expect(rig.lucky.draws()).toEqual([]);
  });

  it('without a service is not enabled; other gifts are (LUCKY-1, SVC-11, NEW-11)', async () => {
    const rig = new CellRig(1);
    await sell(rig, 'rose', 10n);
    await sell(rig, 'clover', 20n, true);
    const node = await rig.startNode('a', { hasLuckyGifts: false });
    await fillRoom(rig, node, 'r1');
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', clover()));
    expect(sent.facts).toMatchObject({ cause: 'NOT_CONFIGURED' });
    expect((await rig.result(node, rig.send('r1', 'g2', 'u1', giftBody()))).outcome).toBe(
      'applied',
    );
  });

  it('below the level of its release is not enabled, since a former release would void its prize', async () => {
    const rig = new CellRig(1);
    await new MemorySchemaRegistry(rig.database).level(3);
    await sell(rig, 'clover', 20n, true);
    const node = await rig.startNode('a');
    await fillRoom(rig, node, 'r1');
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', clover()));
    expect(sent).toMatchObject({ outcome: 'rejected', facts: { cause: 'NOT_YET_ENABLED' } });
    expect(rig.wallet.ledger.keys()).toEqual([]);
  });

  it('about which nobody can say whether it may be sent leaves its id free (LUCKY-2)', async () => {
    const { rig, node } = await openLuckyRig();
    rig.lucky.faults.add({ kind: 'unavailable', times: null });
    const id = rig.send('r1', winner, 'u1', clover());
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
    expect(await rig.reply(node, id)).toMatchObject({ kind: 'refusal', reason: 'LUCKY_GIFT_BUSY' });
    expect(rig.wallet.ledger.keys()).toEqual([]);
    rig.lucky.faults.clear();
    const again = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    expect(again).toMatchObject({ outcome: 'applied', replayed: false });
  });

  it('whose draws nobody can tell is given back, and its draws pay nothing (INV-24)', async () => {
    const { rig, node } = await openLuckyRig();
    // The check answers; every draw is made and its answer lost.
    const fault = { kind: 'applied_then_unavailable' as const, times: null, command: 'draw' };
    rig.lucky.faults.add(fault);
    const id = rig.send('r1', winner, 'u1', clover());
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
    expect(await rig.result(node, id)).toMatchObject({
      reason: 'GIFT_NOT_CHARGED',
      facts: { cause: 'LUCKY_UNKNOWN' },
    });
    await nothingOpen(rig);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    expect(prizesIn(rig).paid).toEqual([]);
    await booksAgree(rig);
  });
});

describe('a prize', () => {
  it('is paid for each target that won, under a key of its place (LUCKY-3, INV-24)', async () => {
    const { rig, node } = await openLuckyRig();
    const id = idThatWins(2);
    const { fields } = await rig.result(node, rig.send('r1', id, 'u1', clover(['u2', 'u3'])));
    const won = rig.lucky.draws().map(({ prizeCoins }) => prizeCoins);
    const { paid } = prizesIn(rig);
    expect(paid.map(({ coins }) => coins)).toEqual(won);
    expect(paid.map(({ key }) => key)).toEqual([0, 1].map((at) => prizeKeyOf(keyOfGift(id), at)));
    expect(fields.coinBalanceAfter).toBe(coinsOf(rig, 'u1'));
  });

  it('that is not certain in time is pending in the answer and paid once, later (LUCKY-3)', async () => {
    const { rig, node } = await openLuckyRig();
    orderFault(rig, { kind: 'applied_then_internal', times: 1, command: 'prize' });
    const sent = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    expect(sent).toMatchObject({ outcome: 'applied' });
    expect(sent.fields).toMatchObject({
      coinBalanceAfter: 980n,
      luckyDraws: [{ prize: 'pending' }],
    });
    await nothingOpen(rig);
    const [draw] = rig.lucky.draws();
    expect([...rig.database.settlements.values()]).toMatchObject([
      { reason: 'PRIZE_PENDING', refundedCoins: draw?.prizeCoins },
    ]);
    expect(prizesIn(rig).paid).toHaveLength(1);
    expect(coinsOf(rig, 'u1')).toBe(980n + (draw?.prizeCoins ?? 0n));
    const again = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    expect(again.bytes).toEqual(sent.bytes);
  });

  it('waits for a wallet that is away, and a slow one holds the room no longer than its budget', async () => {
    const { rig, node } = await openLuckyRig({ prizeBudgetMs: 300 });
    orderFault(rig, { kind: 'late', times: 3, delayMs: 100, command: 'prize' });
    const id = rig.send('r1', winner, 'u1', clover());
    const beganMs = rig.time.monoMs();
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
    expect(rig.time.monoMs() - beganMs).toBeLessThan(1_000);
    await nothingOpen(rig);
    expect(prizesIn(rig).paid).toHaveLength(1);
  });

  it.each([
    'cell.before_draw',
    'cell.after_draw_before_prize',
    'cell.after_prizes_before_commit',
  ] as const)(
    'of an owner that dies at %s is paid once, for the draw that was made (INV-24)',
    async (point) => {
      let isThere = false;
      let owner: RigNode | null = null;
      const { rig, node } = await openLuckyRig({}, (here) => {
        if (here !== point || isThere) return;
        isThere = true;
        // Nothing of it commits any more; what it has called outside is called.
        owner?.source.assign([]);
      });
      owner = node;
      const id = rig.send('r1', winner, 'u1', clover());
      await eventually('the owner is there', () => isThere);
      await kill(node);
      const next = await rig.startNode('b');
      expect(await rig.result(next, id)).toMatchObject({ outcome: 'applied' });
      await nothingOpen(rig);
      expect(rig.lucky.draws()).toHaveLength(1);
      expect(prizesIn(rig)).toMatchObject({ paid: [{}], back: [] });
      expect(debitCount(rig)).toBe(1);
      await booksAgree(rig);
    },
  );

  it('of a gift that is refused after all is taken back with its debit (INV-24)', async () => {
    const { rig, node } = await openLuckyRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1, command: 'prize' });
    const id = rig.send('r1', winner, 'u1', clover());
    await eventually('the prize is paid', () => prizesIn(rig).paid.length === 1);
    await kill(node);
    // A former owner's debit with a prize, and a successor that cannot tell what was drawn.
    rig.lucky.faults.add({ kind: 'unavailable', times: null });
    const next = await rig.startNode('b');
    await passTime(rig, 'the gift is answered', () => next.replies.byCorrelation.has(id));
    expect(await rig.result(next, id)).toMatchObject({ reason: 'GIFT_NOT_CHARGED' });
    await nothingOpen(rig);
    expect(prizesIn(rig)).toMatchObject({ paid: [{}], back: [{}] });
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    await booksAgree(rig);
  });
});

describe('the lock of a sender', () => {
  it('puts a second lucky gift off, in whatever room, before anything is paid (LUCKY-2, SVC-23)', async () => {
    const { rig, node } = await openLuckyRig();
    await fillRoom(rig, node, 'r2');
    orderFault(rig, { kind: 'slow', times: 1, delayMs: 900, command: 'debit' });
    const first = rig.send('r1', 'g1', 'u1', clover());
    await eventually('the first is debited', () => debitCount(rig) === 1);
    const second = rig.send('r2', 'g2', 'u1', clover());
    expect(await rig.reply(node, second)).toMatchObject({
      kind: 'refusal',
      reason: 'LUCKY_GIFT_BUSY',
    });
    expect(debitCount(rig)).toBe(1);
    await passTime(rig, 'the first is answered', () => node.replies.byCorrelation.has(first));
    const again = rig.send('r2', 'g2', 'u1', clover());
    expect((await rig.result(node, again)).outcome).toBe('applied');
  });

  it('that Redis cannot say anything about holds nobody up (LUCKY-2)', async () => {
    const { rig, node } = await openLuckyRig();
    rig.lucky.locks.isAway = true;
    const sent = await rig.result(node, rig.send('r1', winner, 'u1', clover()));
    expect(sent.outcome).toBe('applied');
  });

  it('that was lost in the middle leaves one draw and one prize (LUCKY-2)', async () => {
    const { rig, node } = await openLuckyRig({ luckyGiftLockTtlMs: 100 });
    orderFault(rig, { kind: 'slow', times: 1, delayMs: 900, command: 'debit' });
    const ids = [1, 2].map(() => rig.send('r1', winner, 'u1', clover()));
    await passTime(rig, 'both are answered', () =>
      ids.every((id) => node.replies.byCorrelation.has(id)),
    );
    expect(rig.lucky.draws()).toHaveLength(1);
    expect(prizesIn(rig).paid).toHaveLength(1);
    await booksAgree(rig);
  });
});
