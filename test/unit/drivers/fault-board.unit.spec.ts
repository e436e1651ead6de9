/** Orders of faults: which requests they hit, how often, and what is no order. */
import { describe, expect, it } from 'vitest';
import { FaultBoard, readFault } from '../../../src/drivers/fault-board.ts';
import { createSeededRandom } from '../../../src/drivers/memory/seeded-random.ts';
import { orderWalletFault } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';
import { walletFaultKinds } from '../../../src/drivers/wallet-stand-in/wallet-faults.ts';

const kinds = ['slow', 'refuse'] as const;
const newBoard = () => new FaultBoard(kinds, createSeededRandom('board'));

describe('a fault board', () => {
  it('hits as often as ordered, in the order of the orders, and for good without a number', () => {
    const board = newBoard();
    board.add({ kind: 'slow', times: 2 });
    board.add({ kind: 'refuse', times: null });
    const taken = Array.from({ length: 5 }, () => board.take('any')?.kind);
    expect(taken).toEqual(['slow', 'slow', 'refuse', 'refuse', 'refuse']);
    expect(board.show()).toEqual([{ kind: 'refuse', left: null }]);
    board.clear();
    expect(board.take('any')).toBeNull();
  });

  it('hits only the command that an order names', () => {
    const board = newBoard();
    board.add({ kind: 'slow', times: 1, command: 'find' });
    expect(board.take('debit')).toBeNull();
    expect(board.take('find')?.kind).toBe('slow');
  });

  it('lets so many requests pass first as the order says', () => {
    const board = newBoard();
    board.add({ kind: 'slow', times: 2, after: 2 });
    const taken = Array.from({ length: 5 }, () => board.take('any')?.kind ?? null);
    expect(taken).toEqual([null, null, 'slow', 'slow', null]);
  });

  it('hits with an order of the kinds that the request can bear, and leaves the others', () => {
    const board = newBoard();
    board.add({ kind: 'slow', times: 1, after: 1 });
    expect(board.take('any', ['refuse'])).toBeNull();
    expect(board.take('any')).toBeNull();
    expect(board.take('any')?.kind).toBe('slow');
  });

  it('leaves a chance to the draws, and spends a hit only on a hit', () => {
    const board = newBoard();
    board.add({ kind: 'slow', times: 100, chance: 0.25 });
    let requests = 0;
    while (board.show().length > 0) {
      board.take('any');
      requests += 1;
    }
    // A hundred hits at a quarter: 400 requests on average, with a deviation of about 35.
    expect(requests).toBeGreaterThan(250);
    expect(requests).toBeLessThan(550);
  });

  it('draws nothing for orders without a chance', () => {
    const drawn: string[] = [];
    const board = new FaultBoard(
      kinds,
      createSeededRandom('board', (why) => drawn.push(why)),
    );
    board.add({ kind: 'slow', times: null });
    board.take('any');
    expect(drawn).toEqual([]);
  });

  it('refuses an order too many', () => {
    const board = newBoard();
    for (let order = 0; order < 100; order += 1) {
      expect(board.add({ kind: 'slow', times: 1 })).toBe(true);
    }
    expect(board.add({ kind: 'slow', times: 1 })).toBe(false);
  });

  it.each([
    ['text', /JSON object/],
    [{ kind: 'other' }, /kind must be one of slow, refuse/],
    [{ kind: 'slow', times: 0 }, /times/],
    [{ kind: 'slow', delay_ms: -1 }, /delay_ms/],
    [{ kind: 'slow', chance: 0 }, /chance/],
    [{ kind: 'slow', chance: 1.5 }, /chance/],
    [{ kind: 'slow', chance: 'half' }, /chance/],
    [{ kind: 'slow', command: 5 }, /command/],
  ])('reads %j as no order', (value, fault) => {
    expect(readFault(value, kinds)).toEqual({
      ok: false,
      fault: expect.stringMatching(fault) as unknown,
    });
  });

  it('reads an order with all its fields', () => {
    const value = { kind: 'slow', times: null, delay_ms: 5, command: 'find', chance: 0.5 };
    expect(readFault(value, kinds)).toEqual({
      ok: true,
      fault: { kind: 'slow', times: null, delayMs: 5, command: 'find', chance: 0.5 },
    });
  });
});

describe('an order at the wallet', () => {
  const newWalletBoard = () => new FaultBoard(walletFaultKinds, createSeededRandom('board'));

  it('hits no call at which it would mean nothing', () => {
    const board = newWalletBoard();
    expect(orderWalletFault(board, { kind: 'wrong_amount', times: 1 })).toBeNull();
    expect([board.take('find'), board.take('void')]).toEqual([null, null]);
    expect(board.take('debit')?.kind).toBe('wrong_amount');
  });

  it('is refused for a call that the wallet does not have or the fault does not hit', () => {
    const board = newWalletBoard();
    expect(orderWalletFault(board, { kind: 'slow', times: 1, command: 'pay' })).toMatch(/command/);
    expect(orderWalletFault(board, { kind: 'find_lags', times: 1, command: 'debit' })).toMatch(
      /find only/,
    );
    expect(board.show()).toEqual([]);
  });
});
