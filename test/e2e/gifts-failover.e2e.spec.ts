/**
 * Owners that die while a gift is under way: between debit and commit, between commit and answer,
 * between void and its mark. The coins are spent on a committed gift or given back, once (A15, TST-2,
 * INV-22, INV-23).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import type { Fleet } from './support/fleet.ts';
import { GiftFleet } from './support/gift-fleet.ts';
import type { Gift, GiftPlayer } from './support/gift-play.ts';
import { arrivedAt, logOf, recordsProduced, walletRecord } from './support/observe.ts';

const users = ['u1', 'u2', 'u3', 'u4'];
const rose: Gift = { from: 'u1', to: ['u2'] };

let gifts: GiftFleet;
let fleet: Fleet;
let player: GiftPlayer;

beforeAll(async () => {
  // The steps of a test, and a slow machine, must fit into the time of one gift.
  gifts = await GiftFleet.open('giftkills', ['gateway'], 20_000);
  ({ fleet, player } = gifts);
});
afterAll(async () => {
  await gifts.close();
});
afterEach(async () => {
  await gifts.tidyUp();
});

async function eventIdsAt(destination: 'im' | 'activity', room: string): Promise<string[]> {
  const events = (await arrivedAt(fleet, destination)).get(room) ?? [];
  return events.filter(({ type }) => type === 'RoomGiftSent').map(({ event_id }) => event_id);
}

describe('an owner that is killed', () => {
  it('between debit and commit, while its caller asks again and again, leaves one debit and one gift of three events with one receipt (A15)', async () => {
    const doomed = await gifts.doomedCell('cell.after_debit_before_commit', 'a15');
    const room = 'penny';
    await player.fill(room, users);
    const gift = { from: 'u1', to: ['u2', 'u3', 'u4'] };
    const before = await recordsProduced(fleet);
    // The wallet takes the coins, and no answer comes back.
    await gifts.lie({ kind: 'applied_then_hang', times: null, command: 'debit' });
    const tries = [player.give(room, 'g1', gift)];
    await gifts.debited('g1', room);
    tries.push(player.give(room, 'g1', gift), player.give(room, 'g1', gift));
    await gifts.produced(before, 3n);
    fleet.arm('a15');
    expect((await doomed.exited).signal).toBe('SIGKILL');
    await gifts.lie({ clear: true });
    // And what the successor looks for is not to be seen yet.
    await gifts.lie({ kind: 'find_lags', times: 1 });
    const next = await fleet.start('cell-a', ['cell']);
    for (let n = 3; n <= 5; n += 1) tries.push(player.give(room, 'g1', gift));
    const ends = await Promise.all(tries);
    const answers = ends.map((end) => {
      if (end.kind !== 'given') throw new Error(`a try ended ${end.reason}`);
      const { billingReceiptId, roomVersion, roomHeat, coinBalanceAfter } = end.result;
      return { billingReceiptId, roomVersion, roomHeat, coinBalanceAfter };
    });
    expect(answers).toHaveLength(6);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({
      roomVersion: 6n,
      roomHeat: 30n,
      coinBalanceAfter: 999_970n,
    });
    expect((await walletRecord(fleet)).keys).toMatchObject([
      { debits: 1, refunds: 0, conflicts: 0 },
    ]);
    expect(await gifts.coinsOf('u1')).toBe(999_970n);
    expect(await gifts.books()).toMatchObject({ keptCoins: 30n, gifts: 1, debits: 1, refunds: 0 });
    const stored = await fleet.sql(
      "SELECT event_id FROM room_events WHERE room_id = ? AND event_type = 'RoomGiftSent' " +
        'ORDER BY event_index',
      [room],
    );
    const ids = stored.map(({ event_id }) => String(event_id));
    expect(ids).toHaveLength(3);
    expect(await eventIdsAt('im', room)).toEqual(ids);
    expect(await eventIdsAt('activity', room)).toEqual(ids);
    const sums = await fleet.sql(
      'SELECT user_id, sent_coins, sent_count, received_coins, received_count ' +
        'FROM room_user_gift_stats WHERE room_id = ? ORDER BY user_id',
      [room],
    );
    expect(sums.map((row): unknown[] => Object.values(row))).toEqual([
      ['u1', '30', '3', '0', '0'],
      ['u2', '0', '0', '10', '1'],
      ['u3', '0', '0', '10', '1'],
      ['u4', '0', '0', '10', '1'],
    ]);
    const another = await player.give(room, 'g2', gift);
    expect(another).toMatchObject({ result: { coinBalanceAfter: 999_940n, roomHeat: 60n } });
    expect(await gifts.books()).toMatchObject({ keptCoins: 60n, gifts: 2, debits: 2 });
    expect((await next.terminate()).code).toBe(0);
  });

  it('between commit and answer has its gift answered from the log: one debit, one row per event and destination (TST-2)', async () => {
    const doomed = await gifts.doomedCell('cell.after_commit_before_reply', 'tst2');
    const room = 'unanswered';
    await player.fill(room, users);
    fleet.arm('tst2');
    const giving = player.give(room, 'g1', { from: 'u1', to: ['u2', 'u3'] }, 8_000);
    expect((await doomed.exited).signal).toBe('SIGKILL');
    const before = (await logOf(fleet, room)).filter(({ commandId }) => commandId === 'g1');
    expect(before).toMatchObject([{ outcome: 'applied', version: '6' }]);
    const next = await fleet.start('cell-a', ['cell']);
    expect(await giving).toMatchObject({
      kind: 'given',
      result: { replayed: true, roomHeat: 20n },
    });
    await gifts.books();
    const after = (await logOf(fleet, room)).filter(({ commandId }) => commandId === 'g1');
    expect(after).toEqual(before);
    expect(await gifts.keyOf('g1', room)).toMatchObject({ debits: 1, repeats: 0 });
    const rows = await fleet.sql(
      "SELECT destination, COUNT(*) AS n FROM room_outbox WHERE event_type = 'RoomGiftSent' " +
        'AND room_id = ? GROUP BY destination ORDER BY destination',
      [room],
    );
    expect(rows.map((row) => [String(row['destination']), Number(row['n'])])).toEqual([
      ['activity', 2],
      ['im', 2],
    ]);
    expect((await next.terminate()).code).toBe(0);
  });

  it('between debit and commit has its gift applied, though its time is over and nobody asks again', async () => {
    const doomed = await gifts.doomedCell('cell.after_debit_before_commit', 'gone');
    const room = 'gone';
    await player.fill(room, users);
    await gifts.lie({ kind: 'applied_then_hang', times: null, command: 'debit' });
    const asking = player.once(room, 'g1', rose, 2_000);
    await gifts.debited('g1', room);
    expect(await asking).toMatchObject({ status: 'DEADLINE_EXCEEDED', reason: 'OUTCOME_UNKNOWN' });
    fleet.arm('gone');
    expect((await doomed.exited).signal).toBe('SIGKILL');
    await gifts.lie({ clear: true });
    const next = await fleet.start('cell-a', ['cell']);
    const row = await waitUntil(
      'the gift stands in the log',
      async () => (await logOf(fleet, room)).find(({ commandId }) => commandId === 'g1') ?? null,
      { limitMs: 60_000, everyMs: 100 },
    );
    expect(row).toMatchObject({ outcome: 'applied', version: '6' });
    expect(await gifts.keyOf('g1', room)).toMatchObject({ state: 'debited', debits: 1 });
    await gifts.books();
    expect((await next.terminate()).code).toBe(0);
  });

  it('between void and its mark has the coins given back once', async () => {
    const doomed = await gifts.doomedCell('cell.after_void_before_mark', 'void');
    const room = 'voided';
    await player.fill(room, users);
    await gifts.lie({ kind: 'wrong_amount', times: 1 });
    fleet.arm('void');
    const end = player.give(room, 'g1', { from: 'u3', to: ['u1'] });
    expect((await doomed.exited).signal).toBe('SIGKILL');
    expect(await gifts.keyOf('g1', room)).toMatchObject({ state: 'voided', debits: 1, refunds: 1 });
    const open = await fleet.sql("SELECT command_id FROM wallet_settlement WHERE status = 'open'");
    expect(open).toEqual([{ command_id: 'g1' }]);
    const next = await fleet.start('cell-a', ['cell']);
    expect(await end).toMatchObject({
      reason: 'GIFT_NOT_CHARGED',
      facts: { cause: 'WRONG_AMOUNT' },
    });
    await gifts.books();
    expect(await gifts.keyOf('g1', room)).toMatchObject({
      debits: 1,
      refunds: 1,
      refunded_coins: '11',
    });
    expect(await gifts.coinsOf('u3')).toBe(1_000_000n);
    expect((await next.terminate()).code).toBe(0);
  });
});
