/** Gifts through the cell: charged once or not at all, applied or given back (GIFT-2 … GIFT-8). */
import { describe, expect, it } from 'vitest';
import { CellRig, joinRoomBody } from '../../support/cell-rig.ts';
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
import { eventually } from '../../support/stepped-time.ts';

describe('a gift', () => {
  it('is debited once for all targets and answers receipt, balance, heat and rank (PIPE-5, GIFT-6, RES-9, RES-10, RES-12, RES-13, CMD-12, SVC-10)', async () => {
    const { rig, node } = await openGiftRig();
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3'], 3)));
    expect(sent).toMatchObject({ outcome: 'applied', roomVersion: 7n });
    expect(sent.fields).toMatchObject({ coinBalanceAfter: 940n, roomHeat: 60n });
    expect(sent.fields.billingReceiptId).toMatch(/^receipt-/);
    expect(sent.fields.giftRank).toMatchObject([{ userId: 'u1', coins: 60n }]);
    expect(debitCount(rig)).toBe(1);
    expect(coinsOf(rig, 'u1')).toBe(940n);
    await booksAgree(rig);
  });

  it('leaves sums per user, heat and one event per target in the same transaction (RES-34, GIFT-6, LB-2)', async () => {
    const { rig, node } = await openGiftRig();
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u1'], 2)));
    await rig.result(node, rig.send('r1', 'g2', 'u2', giftBody(['u1'])));
    const sums = new Map([...rig.database.giftStats.values()].map((row) => [row.userId, row]));
    expect(sums.get('u1' as never)).toMatchObject({
      sentCoins: 40n,
      sentCount: 4n,
      receivedCoins: 30n,
      receivedCount: 3n,
    });
    expect(sums.get('u2' as never)).toMatchObject({ sentCoins: 10n, receivedCoins: 20n });
    expect([...rig.database.rooms.values()][0]?.heat).toBe(50n);
    expect([...rig.database.log.values()].at(-1)).toMatchObject({ commandType: 'SendGift' });
  });

  it('counts in the week in which it is decided: Sunday 23:59:59.999 and Monday 00:00 UTC are two (LB-3, TST-20)', async () => {
    const { rig, node } = await openGiftRig();
    const mondayMs = Date.UTC(2023, 10, 20);
    rig.time.advance(mondayMs - 1 - rig.time.wallMs());
    await rig.result(node, rig.send('r1', 'sunday', 'u1', giftBody(['u2'], 3)));
    rig.time.advance(1);
    await rig.result(node, rig.send('r1', 'monday', 'u1', giftBody(['u2'])));
    await rig.result(node, rig.send('r1', 'later', 'u2', giftBody(['u1'])));
    const times = ['sunday', 'monday'].map(
      (id) => rig.database.log.get(`app1\0r1\0${id}`)?.decidedAtMs,
    );
    expect(times).toEqual([mondayMs - 1, mondayMs]);
    const { roomDays, roomWeeks, userWeeks } = rig.database;
    expect([...roomDays.values()]).toMatchObject([
      { roomId: 'r1', utcDay: '2023-11-19', coins: 30n, giftCount: 3n },
      { roomId: 'r1', utcDay: '2023-11-20', coins: 20n, giftCount: 2n },
    ]);
    expect([...roomWeeks.values()]).toMatchObject([
      { roomId: 'r1', isoWeek: '2023-W46', coins: 30n, giftCount: 3n },
      { roomId: 'r1', isoWeek: '2023-W47', coins: 20n, giftCount: 2n },
    ]);
    expect([...userWeeks.values()]).toMatchObject([
      { userId: 'u1', isoWeek: '2023-W46', coins: 30n },
      { userId: 'u1', isoWeek: '2023-W47', coins: 10n },
      { userId: 'u2', isoWeek: '2023-W47', coins: 10n },
    ]);
  });

  it('is told to the boards behind its COMMIT, by its own time, and a repeat or a refusal is not (RES-32, LB-3)', async () => {
    const told: string[] = [];
    const rig = new CellRig(1);
    await sell(rig, 'rose', 10n);
    const node = await rig.startNode('a', {
      giftsStored: (rooms) => {
        for (const { roomKey, givenAtMs } of rooms) {
          const [row] = [...rig.database.roomDays.values()];
          told.push(`${roomKey.replace('\0', '/')} at ${givenAtMs}, ${row?.coins} stored`);
        }
      },
    });
    await fillRoom(rig, node, 'r1');
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3'])));
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3'])));
    await rig.result(node, rig.send('r1', 'g2', 'u1', giftBody(['nobody'])));
    const decidedAtMs = rig.database.log.get('app1\0r1\0g1')?.decidedAtMs;
    expect(told).toEqual([`app1/r1 at ${decidedAtMs}, 20 stored`]);
  });

  it('answers a repeat from the log, byte for byte, without another debit (PIPE-11, GIFT-3)', async () => {
    const { rig, node } = await openGiftRig();
    const first = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    const again = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(again.bytes).toEqual(first.bytes);
    expect(again.replayed).toBe(true);
    expect(debitCount(rig)).toBe(1);
  });

  it('sent twice before the first is answered is debited once', async () => {
    const { rig, node } = await openGiftRig();
    const both = [1, 2].map(() => rig.send('r1', 'g1', 'u1', giftBody()));
    const [first, second] = await Promise.all(both.map((id) => rig.result(node, id)));
    expect(second?.bytes).toEqual(first?.bytes);
    expect(rig.wallet.ledger.keys()).toMatchObject([{ repeats: 0, conflicts: 0 }]);
  });

  it.each([
    ['to somebody who is not there', 'u1', giftBody(['nobody']), 'USER_NOT_PRESENT'],
    ['from somebody who is not there', 'nobody', giftBody(), 'USER_NOT_PRESENT'],
  ])('%s is refused before the wallet is asked (GIFT-2)', async (_what, user, body, reason) => {
    const { rig, node } = await openGiftRig();
    const sent = await rig.result(node, rig.send('r1', 'g1', user, body));
    expect(sent).toMatchObject({ outcome: 'rejected', reason });
    expect(rig.wallet.ledger.keys()).toEqual([]);
    expect(rig.database.settlements.size).toBe(0);
  });

  it('that is not in the catalogue is refused before the wallet is asked', async () => {
    const { rig, node } = await openGiftRig();
    const body = { ...giftBody(), giftId: 'unknown' as never };
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', body));
    expect(sent).toMatchObject({ outcome: 'rejected', reason: 'GIFT_NOT_OFFERED' });
    expect(rig.wallet.ledger.keys()).toEqual([]);
  });

  it('to somebody who joined just before it, in the same batch, is charged and applied', async () => {
    const { rig, node } = await openGiftRig();
    node.source.pause(0);
    rig.send('r1', 'join-u9', 'u9', joinRoomBody());
    const gift = rig.send('r1', 'g1', 'u1', giftBody(['u9']));
    node.source.resume(0);
    expect((await rig.result(node, gift)).outcome).toBe('applied');
  });

  it('to somebody who left just before it, in the same batch, costs nothing', async () => {
    const { rig, node } = await openGiftRig();
    node.source.pause(0);
    rig.send('r1', 'leave-u2', 'u2', { type: 'LeaveRoom' });
    const gift = rig.send('r1', 'g1', 'u1', giftBody(['u2']));
    node.source.resume(0);
    const sent = await rig.result(node, gift);
    expect(sent).toMatchObject({ outcome: 'rejected', reason: 'USER_NOT_PRESENT' });
    expect(rig.wallet.ledger.keys()).toEqual([]);
  });

  it('without the coins is refused, and its key is closed without a refund (GIFT-4, SVC-10)', async () => {
    const { rig, node } = await openGiftRig();
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2'], 101)));
    expect(sent).toMatchObject({ outcome: 'rejected', reason: 'INSUFFICIENT_BALANCE' });
    await booksAgree(rig);
    expect([...rig.database.settlements.values()]).toMatchObject([{ refundedCoins: 0n }]);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
  });

  it.each([
    ['command id', 'g 1', 'u1'],
    ['sender', 'g1', 'x'.repeat(33)],
  ])('whose %s is none is set aside before the wallet is asked', async (_what, id, user) => {
    const { rig, node } = await openGiftRig();
    const refused = await rig.reply(node, rig.send('r1', id, user, giftBody()));
    expect(refused).toMatchObject({ kind: 'refusal', reason: 'UNDECODABLE' });
    expect(rig.database.deadLetters).toHaveLength(1);
    expect(rig.wallet.ledger.keys()).toEqual([]);
  });

  it('that expired before anybody asked the wallet leaves its id free and costs nothing', async () => {
    const { rig, node } = await openGiftRig();
    node.source.pause(0);
    const id = rig.send('r1', 'g1', 'u1', giftBody(), { ttlMs: 100 });
    rig.time.advance(200);
    node.source.resume(0);
    expect(await rig.reply(node, id)).toMatchObject({ kind: 'refusal', reason: 'EXPIRED' });
    const again = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(again.outcome).toBe('applied');
    expect(debitCount(rig)).toBe(1);
  });
});

describe('a wallet that lies', () => {
  it.each(['applied_then_unavailable', 'applied_then_internal', 'applied_then_hang'] as const)(
    'debits once when it %s: the same key is asked again (TST-3)',
    async (kind) => {
      const { rig, node } = await openGiftRig();
      orderFault(rig, { kind, times: 1, command: 'debit' });
      const id = rig.send('r1', 'g1', 'u1', giftBody());
      await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
      expect((await rig.result(node, id)).outcome).toBe('applied');
      expect(rig.wallet.ledger.keys()).toMatchObject([{ repeats: 1, conflicts: 0 }]);
      expect(coinsOf(rig, 'u1')).toBe(990n);
      await booksAgree(rig);
    },
  );

  it.each([
    ['wrong_amount', 'WRONG_AMOUNT'],
    ['wrong_payer', 'FOREIGN_PAYER'],
    ['wrong_purpose', 'FOREIGN_PURPOSE'],
  ] as const)('with a receipt of %s gets its debit voided', async (kind, cause) => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind, times: 1 });
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(sent).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause } });
    await booksAgree(rig);
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    expect(node.log.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ cause }) }),
    );
  });

  it('that refuses the request itself ends in a rejection with a closed key', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'refuse', times: 1 });
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    expect(sent).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'WALLET_REFUSED' } });
    await booksAgree(rig);
  });

  it('that debits after everybody gave up finds the key closed, and takes nothing', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'late', times: null, command: 'debit', delayMs: 60_000 });
    const id = rig.send('r1', 'g1', 'u1', giftBody());
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(id));
    const sent = await rig.result(node, id);
    expect(sent).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'WALLET_UNKNOWN' } });
    await booksAgree(rig);
    await passTime(rig, 'the late debits have come', () =>
      rig.wallet.ledger.keys().some(({ lateDebits }) => lateDebits > 0),
    );
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    await booksAgree(rig);
  });

  it('that does not void is asked until it does', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'wrong_amount', times: 1 });
    orderFault(rig, { kind: 'unavailable', times: 3, command: 'void' });
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    const row = (): { tries: number; status: string } | undefined =>
      rig.database.settlements.get(keyOfGift('g1'));
    await passTime(rig, 'three fruitless tries', () => row()?.tries === 3);
    await passTime(rig, 'the void is acknowledged', () => row()?.status === 'settled');
    expect(coinsOf(rig, 'u1')).toBe(1_000n);
    await booksAgree(rig);
  });
});

describe('a debit that is owed back', () => {
  it('and meets a fault of ours keeps no other one from being paid back', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'wrong_amount', times: 2 });
    orderFault(rig, { kind: 'unavailable', times: 2, command: 'void' });
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    await rig.result(node, rig.send('r1', 'g2', 'u2', giftBody()));
    const bad = rig.database.settlements.get(keyOfGift('g1'));
    if (bad === undefined) throw new Error('g1 has no settlement');
    Object.defineProperty(rig.wallet, 'void', {
      value: async (key: string, app: never) => {
        if (key === bad.debitKey) throw new TypeError('a fault of ours');
        return rig.wallet.ledger.void(key, app);
      },
    });
    await passTime(rig, 'the other one is paid back', () => {
      return rig.database.settlements.get(keyOfGift('g2'))?.status === 'settled';
    });
    await passTime(rig, 'the bad one was tried again', () => {
      return (rig.database.settlements.get(keyOfGift('g1'))?.tries ?? 0) >= 2;
    });
    expect(rig.database.settlements.get(keyOfGift('g1'))?.status).toBe('open');
  });
});

describe('a slow wallet', () => {
  it('parks only its room, and keeps the order within it (ARC-18, GIFT-8)', async () => {
    const { rig, node } = await openGiftRig();
    await fillRoom(rig, node, 'r2');
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    const gift = rig.send('r1', 'g1', 'u1', giftBody());
    const behind = rig.send('r1', 'leave-u5', 'u5', { type: 'LeaveRoom' });
    const elsewhere = rig.send('r2', 'g1', 'u1', giftBody());
    expect((await rig.result(node, elsewhere)).outcome).toBe('applied');
    expect(node.replies.byCorrelation.has(behind)).toBe(false);
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(gift));
    const given = await rig.result(node, gift);
    const left = await rig.result(node, behind);
    expect(left.roomVersion).toBe(given.roomVersion + 1n);
  });

  it('is asked for gifts of several senders at once, and decide keeps their order', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    const first = rig.send('r1', 'g1', 'u1', giftBody());
    const second = rig.send('r1', 'g2', 'u2', giftBody(['u1']));
    const third = rig.send('r1', 'g3', 'u1', giftBody());
    await eventually('the second sender is debited', () => debitCount(rig) === 2);
    expect(coinsOf(rig, 'u1')).toBe(990n);
    await passTime(rig, 'all are answered', () =>
      [first, second, third].every((id) => node.replies.byCorrelation.has(id)),
    );
    const versions = [];
    for (const id of [first, second, third]) {
      versions.push((await rig.result(node, id)).roomVersion);
    }
    expect(versions).toEqual([7n, 8n, 9n]);
    await booksAgree(rig);
  });

  it('is never asked more than so many times at once, and every gift gets its turn', async () => {
    const { rig, node } = await openGiftRig({ chargesMax: 2, chargesPerRoomMax: 2 });
    for (const room of ['r2', 'r3', 'r4']) await fillRoom(rig, node, room);
    orderFault(rig, { kind: 'applied_then_hang', times: 6 });
    const ids = ['r1', 'r2', 'r3', 'r4'].flatMap((room) =>
      ['u1', 'u2'].map((user) => rig.send(room, `g-${user}`, user, giftBody(['u3']))),
    );
    await eventually('two are debited', () => debitCount(rig) === 2);
    let most = 0;
    await passTime(rig, 'all are answered', () => {
      most = Math.max(most, debitCount(rig) - node.replies.byCorrelation.size);
      return ids.every((id) => node.replies.byCorrelation.has(id));
    });
    for (const id of ids) expect((await rig.result(node, id)).outcome).toBe('applied');
    expect(most).toBeLessThanOrEqual(2);
    await booksAgree(rig);
  });

  it('decides a close that comes behind a waiting gift after the gift (TST-11)', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    const gift = rig.send('r1', 'g1', 'u1', giftBody());
    const close = rig.send('r1', 'close', 'u1', { type: 'CloseRoom', reason: 'end', note: '' });
    const late = rig.send('r1', 'g2', 'u1', giftBody());
    await passTime(rig, 'all are answered', () => node.replies.byCorrelation.has(late));
    expect((await rig.result(node, gift)).outcome).toBe('applied');
    expect((await rig.result(node, close)).outcome).toBe('applied');
    expect(await rig.result(node, late)).toMatchObject({ reason: 'ROOM_CLOSED' });
    expect(debitCount(rig)).toBe(1);
    await booksAgree(rig);
  });

  it('does not keep a drain from ending: the gift in hand is applied and answered', async () => {
    const { rig, node } = await openGiftRig();
    orderFault(rig, { kind: 'applied_then_hang', times: 1 });
    const gift = rig.send('r1', 'g1', 'u1', giftBody());
    await eventually('the wallet has debited', () => debitCount(rig) === 1);
    const drained = node.cell.drain(60_000);
    await passTime(rig, 'the gift is answered', () => node.replies.byCorrelation.has(gift));
    await drained;
    expect((await rig.result(node, gift)).outcome).toBe('applied');
    expect(rig.database.owners.get(0)?.released).toBe(true);
  });
});

describe('the price of a gift', () => {
  it('is asked of MySQL once a moment, however many gifts are sent (GIFT-1)', async () => {
    const { rig, node } = await openGiftRig();
    let reads = 0;
    const current = rig.catalogue.current.bind(rig.catalogue);
    rig.catalogue.current = (app, gift) => {
      reads += 1;
      return current(app, gift);
    };
    for (const id of ['g1', 'g2', 'g3']) {
      await rig.result(node, rig.send('r1', id, 'u1', giftBody()));
    }
    expect(reads).toBe(1);
    rig.time.advance(1_000);
    await rig.result(node, rig.send('r1', 'g4', 'u1', giftBody()));
    expect(reads).toBe(2);
  });

  it('is that of the catalogue version which stands in the receipt', async () => {
    const { rig, node } = await openGiftRig();
    const first = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody()));
    await sell(rig, 'rose', 25n);
    rig.time.advance(1_000);
    const second = await rig.result(node, rig.send('r1', 'g2', 'u1', giftBody()));
    expect([first.fields.roomHeat, second.fields.roomHeat]).toEqual([10n, 35n]);
    await booksAgree(rig);
  });
});
