/** What can be ordered to go wrong at the wallet stand-in, and at which of its calls. */
import type { Fault, FaultBoard } from '../fault-board.ts';

/** The calls of the wallet, as orders name them. */
export const walletCommands = ['debit', 'find', 'void', 'prize'] as const;
/** One of them. */
export type WalletCommand = (typeof walletCommands)[number];

/**
 * `unavailable`: refused before anything happens. `applied_then_…`: the call does its work, and the
 * caller gets UNAVAILABLE, INTERNAL or nothing. `slow`: works at once, answers `delay_ms` later.
 * `late`: works `delay_ms` after its caller gave up. `twice`: the call arrives twice.
 * `insufficient`, `refuse`: a debit ends so. `wrong_amount`: takes one coin more and says so;
 * `wrong_payer`, `wrong_purpose`: the receipt names another. `find_lags`: what was written less than
 * `delay_ms` ago, or at any time without it, is not seen.
 */
export const walletFaultKinds = [
  'unavailable',
  'applied_then_unavailable',
  'applied_then_internal',
  'applied_then_hang',
  'slow',
  'late',
  'twice',
  'insufficient',
  'refuse',
  'wrong_amount',
  'wrong_payer',
  'wrong_purpose',
  'find_lags',
] as const;

/** One of them. */
export type WalletFaultKind = (typeof walletFaultKinds)[number];
/** One order. */
export type WalletFault = Fault<WalletFaultKind>;

/** Kinds that mean something at one call only. */
const onlyCommands: Partial<Record<WalletFaultKind, WalletCommand>> = {
  insufficient: 'debit',
  refuse: 'debit',
  wrong_amount: 'debit',
  wrong_payer: 'debit',
  wrong_purpose: 'debit',
  find_lags: 'find',
};

/** Puts an order on the board, or answers what is wrong with it. */
export function orderWalletFault(
  board: FaultBoard<WalletFaultKind>,
  fault: WalletFault,
): string | null {
  const only = onlyCommands[fault.kind];
  const command = fault.command ?? only;
  if (command !== undefined && !walletCommands.some((known) => known === command)) {
    return `command must be one of ${walletCommands.join(', ')}`;
  }
  if (only !== undefined && command !== only) return `${fault.kind} hits ${only} only`;
  const isAdded = board.add(command === undefined ? fault : { ...fault, command });
  return isAdded ? null : 'too many orders wait';
}
