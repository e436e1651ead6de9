/**
 * Gifts on the real stack: the sandbox's wallet over gRPC is asked, lies, answers late and goes away.
 * Whatever it does, the coins that it keeps are those of the committed gifts, and no gift is charged
 * twice (GIFT-2 … GIFT-8, INV-22, INV-23). Owners that die meanwhile: gifts-failover.e2e.spec.ts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, CommandId, RoomId } from '../../src/domain/ids.ts';
import { PrizeState } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { debitKeyOf, drawKeyOf } from '../../src/protocol/debit.ts';
import { waitUntil } from '../support/wait-until.ts';
import { hostileModeOf } from './processes/hostile-modes.ts';
import { fleetApp, type Fleet, type FleetClient } from './support/fleet.ts';
import { GiftFleet, walletTimeoutMs } from './support/gift-fleet.ts';
import type { Gift, GiftPlayer } from './support/gift-play.ts';
import {
  failureOf,
  logOf,
  orderFault,
  recordsProduced,
  setWalletBalance,
} from './support/observe.ts';
import { valuesOf } from './support/topic-records.ts';

/** A gift that is never charged ends after so long. */
const budgetMs = 4_000;
const users = ['u1', 'u2', 'u3', 'u4'];
const rose: Gift = { from: 'u1', to: ['u2'] };

let gifts: GiftFleet;
let fleet: Fleet;
let client: FleetClient;
let player: GiftPlayer;

beforeAll(async () => {
  gifts = await GiftFleet.open('gifts', ['gateway', 'cell'], budgetMs);
  ({ fleet, client, player } = gifts);
  await player.fill('salon', users);
  // So that the wallet knows everybody, whichever tests run.
  for (const userId of users) {
    await setWalletBalance(fleet, { appCode: fleetApp, userId }, 1_000_000n);
  }
});
afterAll(async () => {
  await gifts.close();
});
afterEach(async () => {
  await gifts.tidyUp();
});

describe('a gift', () => {
  it('to three users is one debit and three events, and is answered with receipt, balance, heat and rank', async () => {
    await player.fill('first', users);
    const gift = { from: 'u1', to: ['u2', 'u3', 'u1'], count: 2 };
    const end = await player.give('first', 'g1', gift);
    expect(end).toMatchObject({ kind: 'given', result: { applied: true, roomHeat: 60n } });
    if (end.kind !== 'given') throw new Error('unreachable');
    const { coinBalanceAfter, billingReceiptId, giftRank } = end.result;
    expect(coinBalanceAfter).toBe(await gifts.coinsOf('u1'));
    expect(billingReceiptId).toMatch(/^receipt-/);
    expect(giftRank).toMatchObject([{ userId: 'u1', coins: 60n, rank: 1 }]);
    expect(await gifts.keyOf('g1', 'first')).toMatchObject({
      debits: 1,
      debited_coins: '60',
      repeats: 0,
    });
    const again = await player.give('first', 'g1', gift);
    expect(again).toMatchObject({ result: { billingReceiptId, replayed: true, coinBalanceAfter } });
    expect(await gifts.books()).toMatchObject({ keptCoins: 60n, gifts: 1, debits: 1 });
  });

  it('of numbers beyond 2^53 keeps every digit in answer, MySQL, IM text and activity event (A9)', async () => {
    const rich = ['9007199254740992', '9007199254740993'] as const;
    await player.fill('rich', [...rich]);
    const account = { appCode: fleetApp, userId: rich[1] };
    await setWalletBalance(fleet, account, 900_719_925_474_099_300n);
    await fleet.sql(
      'INSERT INTO gift_catalogue (app_code, gift_id, catalogue_version, coin_price, on_sale, ' +
        "created_at_ms) VALUES ('demo', 'palace', 1, 9007199254740993, 1, 0)",
    );
    const gift = { from: rich[1], to: [rich[0]], giftId: 'palace' };
    const first = await player.give('rich', 'g1', gift);
    expect(first).toMatchObject({
      result: {
        coinBalanceAfter: 891_712_726_219_358_307n,
        giftIncomeBalanceAfter: 9_007_199_254_740_993n,
        roomHeat: 9_007_199_254_740_993n,
        giftRank: [{ userId: rich[1], coins: 9_007_199_254_740_993n }],
      },
    });
    for (const id of ['g2', 'g3']) await player.give('rich', id, gift);
    await gifts.books();
    const stats = await fleet.sql(
      "SELECT user_id, sent_coins, received_coins FROM room_user_gift_stats WHERE room_id = 'rich' " +
        'ORDER BY user_id',
    );
    const sum = '27021597764222979';
    expect(stats).toEqual([
      { user_id: rich[0], sent_coins: '0', received_coins: sum },
      { user_id: rich[1], sent_coins: sum, received_coins: '0' },
    ]);
    const heat = await fleet.sql("SELECT heat FROM room_list_entries WHERE room_id = 'rich'");
    expect(heat).toEqual([{ heat: sum }]);
    const texts = gifts.taps.im.filter(
      (body) => body.includes('RoomGiftSent') && body.includes(rich[1]),
    );
    expect(texts).toHaveLength(3);
    const payload = { coins: '9007199254740993', unit_price: '9007199254740993' };
    for (const text of texts) expect(payloadIn(text)).toMatchObject(payload);
    const codec = createCodec();
    const events = gifts.taps.activity.filter((event) => event.roomId === 'rich');
    const given = events.filter(({ eventType }) => eventType === 'RoomGiftSent');
    expect(given).toHaveLength(3);
    for (const { envelope } of given) {
      expect(codec.decodeEnvelope(envelope)).toMatchObject({
        value: { event: { coins: 9_007_199_254_740_993n, senderUserId: rich[1] } },
      });
    }
  });

  it('of users next to each other beyond 2^53 keeps them two in records, rows and balances (A9)', async () => {
    const [one, next] = ['9007199254740992', '9007199254740993'] as const;
    const room = 'neighbours';
    await player.fill(room, [one, next]);
    const balances = { [one]: 9_007_199_254_741_002n, [next]: 9_007_199_254_741_003n };
    for (const userId of [one, next]) {
      await setWalletBalance(fleet, { appCode: fleetApp, userId }, balances[userId]);
    }
    for (const [from, to] of [
      [one, next],
      [next, one],
    ] as const) {
      const end = await player.give(room, `g-${from}`, { from, to: [to] });
      expect(end).toMatchObject({ result: { coinBalanceAfter: balances[from] - 10n } });
    }
    const present = await fleet.sql('SELECT user_id FROM user_rooms WHERE room_id = ? ORDER BY 1', [
      room,
    ]);
    expect(present.map((row) => String(row['user_id']))).toEqual([one, next]);

    const codec = createCodec();
    const topic = fleet.space.topic('room');
    const isTold = (bytes: Buffer): boolean => bytes.includes(`g-${next}`);
    const sent = await valuesOf(fleet, `${topic}.commands`, (values) => values.some(isTold));
    const gift = codec.decodeCommand(sent.find(isTold) ?? Buffer.alloc(0));
    expect(gift).toMatchObject({
      value: { actorUserId: next, body: { type: 'SendGift', targetUserIds: [one] } },
    });
    const log = await logOf(fleet, room);
    const stored = [one, next].map((from) => {
      const row = log.find(({ commandId }) => commandId === `g-${from}`);
      return codec.decodeResult(Buffer.from(row?.result ?? '', 'hex'));
    });
    expect(stored).toMatchObject(
      [one, next].map((from) => ({
        value: { fields: { coinBalanceAfter: balances[from] - 10n } },
      })),
    );
    await gifts.books();
  });
});

/** The event's own fields in a request to IM. */
function payloadIn(body: string): unknown {
  const { MsgBody } = JSON.parse(body) as { MsgBody: [{ MsgContent: { Data: string } }] };
  return (JSON.parse(MsgBody[0].MsgContent.Data) as { payload: unknown }).payload;
}

describe('a lucky gift', () => {
  /** The first id whose gift wins for both of its targets, by the stand-in's rule. */
  const winner = (): string => {
    for (let n = 1; ; n += 1) {
      const commandId = `lucky-${n}`;
      const key = debitKeyOf(fleetApp as AppCode, 'salon' as RoomId, commandId as CommandId);
      const firsts = [0, 1].map((at) => Number.parseInt(drawKeyOf(key, at).slice(0, 2), 16));
      if (firsts.every((first) => first < 64)) return commandId;
    }
  };

  it('to two users is one debit and two draws; its prizes are paid once by a wallet and a service that lie (LUCKY-3, RES-15, INV-24)', async () => {
    const before = await gifts.coinsOf('u1');
    await orderFault(fleet, { destination: 'lucky', kind: 'applied_then_unavailable', times: 2 });
    await gifts.lie({ kind: 'applied_then_internal', times: 1, command: 'prize' });
    const gift = { from: 'u1', to: ['u2', 'u3'], giftId: 'clover' };
    const end = await player.give('salon', winner(), gift);
    if (end.kind !== 'given') throw new Error(`the gift ended ${end.reason}`);
    const { luckyGifts } = end.result;
    expect(luckyGifts.map(({ targetUserId, win }) => [targetUserId, win])).toEqual([
      ['u2', true],
      ['u3', true],
    ]);
    expect(luckyGifts.map(({ prize }) => prize)).toEqual([PrizeState.PENDING, PrizeState.PAID]);
    const won = luckyGifts.reduce((sum, { prizeCoins }) => sum + prizeCoins, 0n);
    await gifts.books();
    expect(await gifts.coinsOf('u1')).toBe(before - 40n + won);
    expect(await player.give('salon', winner(), gift)).toMatchObject({
      result: { replayed: true, luckyGifts },
    });
  });
});

describe('a gift that breaks a rule', () => {
  const crowd = Array.from({ length: 51 }, (_, n) => `u${n + 2}`);
  it.each([
    [
      'that nobody sells',
      { ...rose, giftId: 'unknown' },
      'FAILED_PRECONDITION',
      'GIFT_NOT_OFFERED',
    ],
    ['of no pieces', { ...rose, count: 0 }, 'INVALID_ARGUMENT', 'INVALID_FIELD'],
    ['to 51 users', { from: 'u1', to: crowd }, 'INVALID_ARGUMENT', 'INVALID_FIELD'],
    ['to one user twice', { ...rose, to: ['u2', 'u2'] }, 'INVALID_ARGUMENT', 'INVALID_FIELD'],
    ['to an absent user', { ...rose, to: ['u9'] }, 'FAILED_PRECONDITION', 'USER_NOT_PRESENT'],
    ['from an absent user', { from: 'u9', to: ['u2'] }, 'FAILED_PRECONDITION', 'USER_NOT_PRESENT'],
  ])(
    '%s is refused by its reason, and the wallet is not asked',
    async (what, gift, status, reason) => {
      const id = `bad-${what.replaceAll(' ', '-')}`;
      expect(await player.give('salon', id, gift)).toMatchObject({
        kind: 'refused',
        status,
        reason,
      });
      expect(await gifts.keyOf(id, 'salon')).toBeUndefined();
    },
  );

  it('without a token is refused UNAUTHENTICATED, and the wallet is not asked', async () => {
    const meta = { appCode: fleetApp, roomId: 'salon', commandId: 'bad-token', actorUserId: 'u1' };
    const body = { meta, giftId: 'rose', giftCount: 1, targetUserIds: ['u2'], comboId: '' };
    const failure = await failureOf(client.commands.sendGift(body, { timeoutMs: 10_000 }));
    expect(failure.status).toBe('UNAUTHENTICATED');
    expect(await gifts.keyOf('bad-token', 'salon')).toBeUndefined();
  });

  it('of more coins than its sender has is refused, and nothing is taken', async () => {
    await setWalletBalance(fleet, { appCode: fleetApp, userId: 'u4' }, 9n);
    const end = await player.give('salon', 'too-dear', { from: 'u4', to: ['u1'] });
    expect(end).toMatchObject({ kind: 'refused', reason: 'INSUFFICIENT_BALANCE' });
    await gifts.books();
    expect(await gifts.keyOf('too-dear', 'salon')).toMatchObject({
      state: 'voided',
      debits: 0,
      refunds: 0,
    });
    expect(await gifts.coinsOf('u4')).toBe(9n);
  });
});

describe('a wallet that lies', () => {
  it.each([
    ['times out after it debited (TST-3)', { kind: 'applied_then_hang' }],
    ['debits and answers UNAVAILABLE', { kind: 'applied_then_unavailable' }],
    ['debits and answers INTERNAL', { kind: 'applied_then_internal' }],
    ['is slower than anybody waits', { kind: 'slow', delay_ms: 2 * walletTimeoutMs }],
    ['refuses for a moment', { kind: 'unavailable' }],
    ['gets the debit late', { kind: 'late', delay_ms: 300 }],
    ['gets the debit twice', { kind: 'twice' }],
  ])('and %s costs one debit, and the answer has its receipt', async (what, fault) => {
    const id = `once-${what.replaceAll(/[^a-z]+/gi, '-')}`;
    const before = await gifts.coinsOf('u1');
    await gifts.lie({ ...fault, times: 1, command: 'debit' });
    const end = await player.give('salon', id, rose);
    expect(end).toMatchObject({
      kind: 'given',
      result: { coinBalanceAfter: before - 10n },
    });
    expect(await gifts.keyOf(id, 'salon')).toMatchObject({
      state: 'debited',
      debits: 1,
      conflicts: 0,
    });
    expect(await gifts.coinsOf('u1')).toBe(before - 10n);
    await gifts.books();
  });

  it.each([
    ['takes another amount', 'wrong_amount', 'WRONG_AMOUNT', 1, ['unavailable', 'unavailable']],
    ['names another payer', 'wrong_payer', 'FOREIGN_PAYER', 1, ['applied_then_internal']],
    ['names another purpose', 'wrong_purpose', 'FOREIGN_PURPOSE', 1, ['applied_then_hang']],
    ['refuses the request', 'refuse', 'WALLET_REFUSED', 0, ['applied_then_unavailable']],
    ['says that coins are missing', 'insufficient', '', 0, ['twice']],
  ])('and %s ends the gift, and what it took is given back once', async (...lies) => {
    const [what, kind, cause, refunds, voidKinds] = lies;
    const id = `back-${what.replaceAll(' ', '-')}`;
    const before = await gifts.coinsOf('u1');
    await gifts.lie({ kind, times: 1 });
    // Whoever gives back is lied to as well, and asks until it is answered.
    for (const voidKind of voidKinds)
      await gifts.lie({ kind: voidKind, times: 1, command: 'void' });
    const end = await player.give('salon', id, rose);
    const reason = kind === 'insufficient' ? 'INSUFFICIENT_BALANCE' : 'GIFT_NOT_CHARGED';
    expect(end).toMatchObject({ reason, facts: cause === '' ? {} : { cause } });
    await gifts.books();
    expect(await gifts.keyOf(id, 'salon')).toMatchObject({
      state: 'voided',
      refunds,
      debits: refunds,
    });
    expect(await gifts.coinsOf('u1')).toBe(before);
    const [row] = await fleet.sql('SELECT tries FROM wallet_settlement WHERE command_id = ?', [id]);
    const fruitless = voidKinds.filter((voidKind) => voidKind !== 'twice').length;
    expect(Number(row?.['tries'])).toBe(fruitless);
  });

  it('and takes the coins only after everybody gave up finds the key closed', async () => {
    const before = await gifts.coinsOf('u1');
    await gifts.lie({ kind: 'late', times: null, command: 'debit', delay_ms: budgetMs });
    const end = await player.give('salon', 'too-late', rose);
    expect(end).toMatchObject({ reason: 'GIFT_NOT_CHARGED', facts: { cause: 'WALLET_UNKNOWN' } });
    await waitUntil(
      'a late debit comes',
      async () => ((await gifts.keyOf('too-late', 'salon'))?.late_debits ?? 0) > 0,
      {
        limitMs: 30_000,
      },
    );
    expect(await gifts.keyOf('too-late', 'salon')).toMatchObject({ state: 'voided', debits: 0 });
    expect(await gifts.coinsOf('u1')).toBe(before);
    await gifts.books();
  });
});

describe('a room that is closed while a gift waits for the wallet', () => {
  it('takes the gift that came before the close, and no other; nothing is debited without a gift (TST-11)', async () => {
    const room = await player.fill('closing', users);
    await gifts.lie({ kind: 'applied_then_hang', times: 1, command: 'debit' });
    const waiting = player.give('closing', 'before', rose);
    await gifts.debited('before', 'closing');
    const before = await recordsProduced(fleet);
    const closing = room.close('close');
    await gifts.produced(before, 1n);
    const late = player.give('closing', 'after', { from: 'u2', to: ['u1'] });
    expect(await waiting).toMatchObject({ kind: 'given', result: { roomVersion: 6n } });
    expect(await closing).toMatchObject({ applied: true, roomVersion: 7n });
    expect(await late).toMatchObject({ kind: 'refused', reason: 'ROOM_CLOSED' });
    expect(await gifts.keyOf('after', 'closing')).toBeUndefined();
    const afterwards = await player.give('closing', 'too-late', rose);
    expect(afterwards).toMatchObject({ kind: 'refused', reason: 'ROOM_CLOSED' });
    expect(await gifts.keyOf('too-late', 'closing')).toBeUndefined();
    await gifts.books();
  });
});

describe('a wallet that is away for ten seconds', () => {
  // Where every command waits for what is not its own, how soon a gift ends says nothing of the wallet.
  const inTime = it.skipIf(hostileModeOf(process.env)?.isSlow === true);
  inTime(
    'lets its gifts end in time and other commands go on, and gifts work again without a restart',
    async () => {
      const others = ['other-1', 'other-2', 'other-3'];
      const plays = await Promise.all(others.map((room) => player.fill(room, users)));
      const awayAtMs = performance.now();
      // Silent at first, as a machine that froze; then gone, as a process that ended.
      fleet.walletProxy.setMode({ kind: 'hold', direction: 'both' });
      const silent = player.give('salon', 'while-silent', rose);
      let hasEnded = false;
      void silent.finally(() => (hasEnded = true));
      for (let n = 1; n <= 10; n += 1) {
        await Promise.all(plays.map((play) => play.join(`away-${n}`, `guest-${n}`)));
      }
      // None of thirty commands waited for the wallet, or the gift would have ended before the last.
      expect(hasEnded).toBe(false);
      const refused = { reason: 'GIFT_NOT_CHARGED', facts: { cause: 'WALLET_UNKNOWN' } };
      expect(await silent).toMatchObject(refused);
      expect(performance.now() - awayAtMs).toBeLessThan(budgetMs + 15_000);
      await fleet.walletProxy.refuse();
      fleet.walletProxy.setMode({ kind: 'pass' });
      const gone = others.map((room) => player.give(room, 'while-gone', rose));
      for (const end of gone) expect(await end).toMatchObject(refused);
      await waitUntil('ten seconds', () => Promise.resolve(performance.now() - awayAtMs > 10_000), {
        limitMs: 15_000,
      });
      await fleet.walletProxy.accept();
      // The connection is tried again after a pause of seconds.
      let tries = 0;
      await waitUntil(
        'a gift is given again',
        async () => (await player.give('salon', `again-${(tries += 1)}`, rose)).kind === 'given',
        { limitMs: 30_000, everyMs: 100 },
      );
      const before = await gifts.coinsOf('u1');
      for (const room of others) {
        expect(await player.give(room, 'back-again', rose)).toMatchObject({ kind: 'given' });
      }
      expect(await gifts.coinsOf('u1')).toBe(before - 30n);
      await gifts.books();
    },
  );
});
