/** What a wallet refuses to read: requests outside of the bounds that `wallet.proto` names. */
import { userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { AppCode } from '../../domain/ids.ts';
import type { DebitRequest, PrizeRequest } from '../../ports/wallet.ts';

/** Largest amount of the wire format. */
const coinsMax = 2n ** 63n - 1n;
const purposeBytesMax = 255;
const payeesMax = 100;
const keyPattern = /^[0-9a-f]{64}$/;

/** What is wrong with a key, or null. */
export function keyFault(key: string, appCode: AppCode): string | null {
  if (!keyPattern.test(key)) return 'key must be 64 hex digits';
  return wideIdFault(appCode) === null ? null : 'app_code is malformed';
}

/** What is wrong with a prize, or null. */
export function prizeFault(request: PrizeRequest): string | null {
  const { key, debitKey, appCode, winnerUserId, coins, drawId } = request;
  const fault = keyFault(key, appCode);
  if (fault !== null) return fault;
  if (!keyPattern.test(debitKey)) return 'debit_key must be 64 hex digits';
  if (userIdFault(winnerUserId) !== null) return 'winner_user_id is malformed';
  if (coins < 1n || coins > coinsMax) return 'coins must be above 0 and fit into 64 bits';
  const isLong = Buffer.byteLength(drawId) > purposeBytesMax;
  return isLong ? `draw_id has more than ${purposeBytesMax} bytes` : null;
}

/** What is wrong with a payment, or null. */
export function debitFault(request: DebitRequest): string | null {
  const { key, appCode, payerUserId, coins, purpose, payees } = request;
  const fault = keyFault(key, appCode);
  if (fault !== null) return fault;
  if (userIdFault(payerUserId) !== null) return 'payer_user_id is malformed';
  if (coins < 1n || coins > coinsMax) return 'coins must be above 0 and fit into 64 bits';
  if (Buffer.byteLength(purpose) > purposeBytesMax) {
    return `purpose has more than ${purposeBytesMax} bytes`;
  }
  if (payees.length > payeesMax) return `payees are more than ${payeesMax}`;
  if (payees.some((payee) => userIdFault(payee.userId) !== null)) {
    return 'a payee’s user_id is malformed';
  }
  if (payees.some((payee) => payee.coins < 1n)) return 'a payee’s part must be above 0';
  const parts = payees.reduce((sum, payee) => sum + payee.coins, 0n);
  return parts > coins ? 'the payees’ parts are more than the coins' : null;
}
