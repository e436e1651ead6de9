/** Judges of coins, before doctored runs. */
import { describe } from 'vitest';
import type { AppCode, UserId } from '../../../../src/domain/ids.ts';
import type { SettlementRecord } from '../../../../src/drivers/memory/gift-rows.ts';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { WalletLedger } from '../../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { coinTotals } from '../../../simulation/checkers/coin-totals.ts';
import { debitKeyOf } from '../../../simulation/checkers/derived.ts';
import { money } from '../../../simulation/checkers/money.ts';
import { codec, editRow, isRowOf, itSees } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

const app1 = 'app1' as AppCode;
const keyOf = (commandId: string): string => debitKeyOf('app1', 'r1', commandId);

const walletAt = (fake: (world: CheckedWorld) => void) => ({ beforeEnd: fake });

const settled =
  (fields: Partial<SettlementRecord>, key = keyOf('g2')) =>
  ({ database }: CheckedWorld): void => {
    const row = database.settlements.get(keyOf('g2'));
    if (row === undefined) throw new Error('no settlement to doctor');
    database.settlements.set(key, { ...row, ...fields });
  };

/** The logged events of a row, changed. */
const eventsWith = (row: LogRow, change: (event: RoomEvent) => RoomEvent): LogRow => {
  const decoded = codec.decodeLoggedEvents(row.events ?? new Uint8Array());
  if (!decoded.ok) throw new Error(decoded.fault);
  return { ...row, events: codec.encodeLoggedEvents(decoded.value.map(change)) };
};

const gift =
  (fields: object) =>
  (event: RoomEvent): RoomEvent => ({ ...event, ...fields });

/** A judged run keeps them in a ledger that can be written to. */
const booksOf = (wallet: CheckedWorld['wallet']): WalletLedger => wallet.ledger as WalletLedger;

const debit = ({ wallet }: CheckedWorld, key: string, coins: bigint, user = 'u1'): void => {
  const payees = [] as const;
  booksOf(wallet).debit({
    key,
    appCode: app1,
    payerUserId: user as UserId,
    coins,
    purpose: 'x',
    payees,
  });
};

describe('INV-22: the wallet', () => {
  itSees(
    'was debited before a gift is committed',
    money,
    run,
    { entries: (list) => list.filter(({ kind }) => kind !== 'wallet') },
    'INV-22',
    'g1 was committed as a gift of 40 coins, and its key is absent',
  );
  itSees(
    'was debited for every gift that is committed at the end',
    money,
    run,
    { entries: (list) => list.filter(({ kind }) => kind !== 'wallet') },
    'INV-22',
    'g1 gave 40 coins of u1, and nothing was debited for it',
  );
  itSees(
    'was debited exactly the coins of the gift, of its sender',
    money,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => eventsWith(row, gift({ coins: 11n }))) },
    'INV-22',
    /committed as a gift of 11 coins, and 10 coins are debited[^]*g3 gave 11 coins of u2, and 10 of u2 in app1 were debited/,
  );
  itSees(
    'keeps the debit of a committed gift',
    money,
    run,
    walletAt(({ wallet }) => void booksOf(wallet).void(keyOf('g3'), app1)),
    'INV-22',
    'g3 gave 10 coins of u2, and its debit was given back',
  );
  itSees(
    'keeps no debit for which there is no gift and no settlement',
    money,
    run,
    walletAt((world) => debit(world, keyOf('nothing'), 7n)),
    'INV-22',
    /7 coins of u1 were debited under \w{64} for no committed gift, 0 given back, and no settlement knows of it/,
  );
  itSees(
    'has given back what is owed at the end',
    money,
    run,
    walletAt(settled({ status: 'open', tries: 3, lastError: 'away' })),
    'INV-22',
    'the settlement of g2 is open at the end after 3 tries: away',
  );
  itSees(
    'has given back what the settlement says',
    money,
    run,
    walletAt(settled({ refundedCoins: 5n })),
    'INV-22',
    'says 5 coins were given back, and the books 0',
  );
  itSees(
    'voids no committed gift',
    money,
    run,
    walletAt(settled({ commandId: 'g3' as never, debitKey: keyOf('g3') }, keyOf('g3'))),
    'INV-22',
    /the settlement of g3 voids the debit of a gift that is committed[^]*belongs to a command that ended applied/,
  );
  itSees(
    'is debited once per key',
    money,
    run,
    walletAt(({ wallet }) => {
      const entriesOf = wallet.ledger.entries.bind(wallet.ledger);
      wallet.ledger.entries = () => [...entriesOf(), ...entriesOf().slice(0, 1)];
    }),
    'INV-22',
    /key \w{64} of app1 was debited 2 times and given back 0 times/,
  );
});

describe('INV-25: coins', () => {
  itSees(
    'are neither made nor lost in an account',
    coinTotals,
    run,
    walletAt(({ wallet }) => {
      const accounts = wallet.ledger.allAccounts.bind(wallet.ledger);
      wallet.ledger.allAccounts = () =>
        accounts().map((account) => ({ ...account, coins: account.coins + 1n }));
    }),
    'INV-25',
    /u1 of app1 has 961 coins, and what it began with and was moved makes 960/,
  );
  itSees(
    'that payers have less are what receivers have more',
    coinTotals,
    run,
    walletAt(({ wallet }) => {
      const accounts = wallet.ledger.allAccounts.bind(wallet.ledger);
      wallet.ledger.allAccounts = () =>
        accounts().map((account) => ({ ...account, incomeCoins: 0n }));
    }),
    'INV-25',
    /u2 of app1 has an income of 0 coins, and the committed gifts to it are worth 20/,
  );
});
