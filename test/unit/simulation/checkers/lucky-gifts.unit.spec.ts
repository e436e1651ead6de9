/** The judge of draws and prizes, before doctored runs. */
import { describe } from 'vitest';
import type { LuckyDraw } from '../../../../src/domain/gift/lucky-draw.ts';
import type { AppCode, UserId } from '../../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { WalletLedger } from '../../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { debitKeyOf, keyBesideDebit } from '../../../simulation/checkers/derived.ts';
import { luckyGifts } from '../../../simulation/checkers/lucky-gifts.ts';
import { codec, editRow, isRowOf, itSees } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

const app1 = 'app1' as AppCode;
const debitKey = debitKeyOf('app1', 'r1', 'g3');
const drawId = `draw-${keyBesideDebit(debitKey, 'draw', 0).slice(0, 24)}`;

/** The gift g3 of 10 coins, as if it had been a lucky one. */
const g3Drew = (draw: Partial<LuckyDraw>) => {
  const luckyDraw = { drawId, multiplierPercent: 0, prizeCoins: 0n, prize: 'none', ...draw };
  const change = (row: LogRow): LogRow => {
    const decoded = codec.decodeLoggedEvents(row.events ?? new Uint8Array());
    if (!decoded.ok) throw new Error(decoded.fault);
    const events = decoded.value.map((event) => ({ ...event, luckyDraw }) as RoomEvent);
    return { ...row, events: codec.encodeLoggedEvents(events) };
  };
  return editRow('log', isRowOf('g3'), change);
};

const pay =
  (coins: bigint, { key = keyBesideDebit(debitKey, 'prize', 0), user = 'u2' } = {}) =>
  ({ wallet }: CheckedWorld): void => {
    const winnerUserId = user as UserId;
    const prize = { key, debitKey, appCode: app1, winnerUserId, coins, drawId };
    (wallet.ledger as WalletLedger).payPrize(prize);
  };

describe('INV-24: a lucky gift', () => {
  itSees(
    'drew what its key draws',
    luckyGifts,
    run,
    { entries: g3Drew({ drawId: 'draw-of-another-try' }) },
    'INV-24',
    'g3 for u1 is another draw than its key',
  );
  itSees(
    'was paid what it won',
    luckyGifts,
    run,
    { entries: g3Drew({ prizeCoins: 25n, prize: 'paid' }) },
    'INV-24',
    'g3 for u1 won 25 coins, 0 were paid',
  );
  itSees(
    'was paid nothing that it did not win',
    luckyGifts,
    run,
    { beforeEnd: pay(7n) },
    'INV-24',
    'g3 for u1 won 0 coins, 7 were paid',
  );
  itSees(
    'was paid to its sender',
    luckyGifts,
    run,
    { entries: g3Drew({ prizeCoins: 25n, prize: 'paid' }), beforeEnd: pay(25n, { user: 'u3' }) },
    'INV-24',
    'g3 for u1 won 25 coins, 25 were paid',
  );
  itSees(
    'has a row for a prize that was pending',
    luckyGifts,
    run,
    { entries: g3Drew({ prizeCoins: 25n, prize: 'pending' }), beforeEnd: pay(25n) },
    'INV-24',
    'the prize of g3 for u1 has no row',
  );
  itSees(
    'alone is paid prizes',
    luckyGifts,
    run,
    { beforeEnd: pay(7n, { key: 'e'.repeat(64) }) },
    'INV-24',
    '7 coins of a prize are u2’s, for no committed gift',
  );
});
