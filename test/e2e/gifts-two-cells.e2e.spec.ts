/**
 * Gifts while two cells share the rooms and lose them to one another: one freezes in the middle of a
 * debit; both are killed under a load of gifts, with a wallet that lies in every way it can (INV-22,
 * INV-23).
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import type { Fleet } from './support/fleet.ts';
import { GiftFleet } from './support/gift-fleet.ts';
import { GiftLoad, type Gift, type GiftPlayer } from './support/gift-play.ts';
import { recordsProduced, walletRecord } from './support/observe.ts';
import { bothOwn, owners, partitionOfRoom, roomOf, roomWhere } from './support/ownership.ts';

const users = ['u1', 'u2', 'u3', 'u4'];
const rose: Gift = { from: 'u1', to: ['u2'] };

let gifts: GiftFleet;
let fleet: Fleet;
let player: GiftPlayer;

beforeAll(async () => {
  // The steps of a test, and a slow machine, must fit into the time of one gift.
  gifts = await GiftFleet.open('giftcells', ['gateway'], 20_000);
  ({ fleet, player } = gifts);
});
afterAll(async () => {
  await gifts.close();
});
afterEach(async () => {
  await gifts.tidyUp();
});

describe('with two cells', () => {
  it('an owner that freezes in the middle of a debit is taken over, its debit found and applied; thawed, it asks the wallet for nothing and changes nothing', async () => {
    const point = 'cell.after_debit_before_commit';
    const frozen = await gifts.doomedCell(point, 'freeze', 'stop');
    const healthy = await fleet.start('cell-b', ['cell']);
    await healthy.ready();
    const room = roomOf(await bothOwn(fleet, 'cell-a', 'cell-b'), 'cell-a', 'frozen');
    const partition = partitionOfRoom(room);
    const beside = roomWhere('beside', (other) => other === partition);
    await player.fill(room, users);
    const neighbour = await player.fill(beside, []);
    await gifts.lie({ kind: 'applied_then_hang', times: null, command: 'debit' });
    const first = player.give(room, 'g1', rose);
    await gifts.debited('g1', room);
    // In the frozen owner's hands as well, behind the first: the neighbour's answer says so.
    const produced = await recordsProduced(fleet);
    const second = player.give(room, 'g2', rose);
    await gifts.produced(produced, 1n);
    await neighbour.join('j1', 'u1');
    fleet.arm('freeze');
    await waitUntil(
      'the frozen owner is taken over',
      async () => (await owners(fleet)).get(partition) === 'cell-b',
      { limitMs: 60_000, everyMs: 100 },
    );
    await gifts.lie({ clear: true });
    expect(await first).toMatchObject({ kind: 'given', result: { roomVersion: 6n } });
    expect(await second).toMatchObject({ kind: 'given', result: { roomVersion: 7n } });
    const before = await walletRecord(fleet);
    frozen.thaw();
    await frozen.logged('it is fenced or lost its partitions', (line) =>
      /fenced|partition lost|assignment/.test(String(line['msg'])),
    );
    await bothOwn(fleet, 'cell-a', 'cell-b');
    await frozen.ready();
    // It may ask once more for the debit that it was in the middle of, and for nothing else.
    const after = await walletRecord(fleet);
    expect(after.entries).toEqual(before.entries);
    expect(after.keys.map(({ key }) => key)).toEqual(before.keys.map(({ key }) => key));
    expect(await gifts.keyOf('g2', room)).toMatchObject({ debits: 1, repeats: 0, late_debits: 0 });
    const rows = await fleet.sql(
      "SELECT command_id, owner_node_id FROM room_command_log WHERE command_type = 'SendGift' " +
        'AND room_id = ? ORDER BY applied_version',
      [room],
    );
    expect(rows).toEqual([
      { command_id: 'g1', owner_node_id: 'cell-b' },
      { command_id: 'g2', owner_node_id: 'cell-b' },
    ]);
    await gifts.books();
    expect((await frozen.terminate()).code).toBe(0);
    expect((await healthy.terminate()).code).toBe(0);
  });

  it('many gifts in many rooms, a wallet that lies in every way, and both cells killed in turn: the money adds up', async () => {
    const doomed = await gifts.doomedCell('cell.after_debit_before_commit', 'load');
    const other = await (await fleet.start('cell-b', ['cell'])).ready();
    await bothOwn(fleet, 'cell-a', 'cell-b');
    const rooms = [1, 2, 3, 4, 5, 6].map((n) => `load-${n}`);
    await Promise.all(rooms.map((room) => player.fill(room, users)));
    for (const fault of everyLie) await gifts.lie({ times: null, ...fault });
    const load = new GiftLoad(player);
    load.start(rooms, users);
    await load.more(60);
    fleet.arm('load');
    expect((await doomed.exited).signal).toBe('SIGKILL');
    const back = await fleet.start('cell-a', ['cell']);
    await load.more(40);
    await other.kill();
    const alsoBack = await fleet.start('cell-b', ['cell']);
    await load.more(40);
    await load.stop();
    await gifts.lie({ clear: true });
    const { gifts: given, refunds, closedKeys } = await gifts.books();
    expect(given).toBeGreaterThan(70);
    expect(refunds).toBeGreaterThan(0);
    expect(closedKeys).toBeGreaterThan(0);
    const ends = player.answers.map(({ end }) => (end.kind === 'given' ? 'given' : end.reason));
    expect(new Set(ends)).toEqual(new Set(['given', 'GIFT_NOT_CHARGED', 'INSUFFICIENT_BALANCE']));
    expect((await back.ready().then(() => back.terminate())).code).toBe(0);
    expect((await alsoBack.ready().then(() => alsoBack.terminate())).code).toBe(0);
  });
});

/** Each with a share of the calls, so that every gift may meet any of them, and several in a row. */
const everyLie: readonly Readonly<Record<string, unknown>>[] = [
  { kind: 'unavailable', chance: 0.04, command: 'debit' },
  { kind: 'applied_then_unavailable', chance: 0.04, command: 'debit' },
  { kind: 'applied_then_internal', chance: 0.04, command: 'debit' },
  { kind: 'applied_then_hang', chance: 0.04, command: 'debit' },
  { kind: 'slow', chance: 0.04, delay_ms: 300, command: 'debit' },
  { kind: 'late', chance: 0.04, delay_ms: 200, command: 'debit' },
  { kind: 'twice', chance: 0.04, command: 'debit' },
  { kind: 'insufficient', chance: 0.04 },
  { kind: 'refuse', chance: 0.04 },
  { kind: 'wrong_amount', chance: 0.04 },
  { kind: 'wrong_payer', chance: 0.04 },
  { kind: 'wrong_purpose', chance: 0.04 },
  { kind: 'find_lags', chance: 0.5 },
  { kind: 'applied_then_hang', chance: 0.1, command: 'find' },
  { kind: 'unavailable', chance: 0.2, command: 'void' },
  { kind: 'applied_then_internal', chance: 0.2, command: 'void' },
];
