/** The wallet's books, as its pages show them, behind the questions that the checkers ask a ledger. */
import type { AppCode, UserId } from '../../../src/domain/ids.ts';
import type {
  LedgerEntry,
  LedgerFound,
} from '../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { CheckedWorld } from '../../simulation/checkers/checker.ts';
import type { WalletBooks } from '../record/chaos-record.ts';

/** See the file header. Of a receipt the pages show coins and payer; the rest stays empty. */
export function ledgerOf(books: WalletBooks): CheckedWorld['wallet']['ledger'] {
  const entries = books.entries.map((entry): LedgerEntry => {
    const { appCode, userId } = entry;
    return { ...entry, appCode: appCode as AppCode, userId: userId as UserId, atMs: 0 };
  });
  const debits = new Map<string, LedgerEntry>();
  for (const entry of entries) {
    if (entry.kind === 'debit') debits.set(nameOf(entry), entry);
  }
  const voided = new Set(books.voidedKeys.map(nameOf));
  return {
    find: (key, appCode) => foundOf(debits.get(nameOf({ appCode, key })), voided, { appCode, key }),
    entries: () => entries,
    allAccounts: () =>
      books.accounts.map((account) => ({
        ...account,
        appCode: account.appCode as AppCode,
        userId: account.userId as UserId,
      })),
    keys: () =>
      [...new Set([...debits.keys(), ...voided])].map((name) => {
        const [appCode = '', key = ''] = name.split('\0');
        const state = voided.has(name) ? 'voided' : 'debited';
        const counts = { repeats: 0, conflicts: 0, lateDebits: 0 };
        return { appCode: appCode as AppCode, key, state, ...counts };
      }),
  };
}

function foundOf(
  debit: LedgerEntry | undefined,
  voided: ReadonlySet<string>,
  at: { readonly appCode: string; readonly key: string },
): LedgerFound {
  if (voided.has(nameOf(at))) return { kind: 'voided' };
  if (debit === undefined) return { kind: 'absent' };
  const { userId: payerUserId, coins } = debit;
  const unshown = { receiptId: '', purpose: '', balanceAfter: null, incomeBalanceAfter: null };
  return { kind: 'found', receipt: { ...unshown, payerUserId, coins } };
}

function nameOf({ appCode, key }: { readonly appCode: string; readonly key: string }): string {
  return `${appCode}\0${key}`;
}
