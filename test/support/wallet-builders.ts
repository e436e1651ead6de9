/** Payments for tests of the wallet. */
import type { AppCode, UserId } from '../../src/domain/ids.ts';
import type { DebitRequest } from '../../src/ports/wallet.ts';

export const walletApp = 'demo' as AppCode;
export const payer = 'alice' as UserId;
export const payee = 'bob' as UserId;

/** The `nth` key: 64 hex digits. */
export function walletKey(nth: number): string {
  return nth.toString(16).padStart(64, '0');
}

/** Ten coins of alice for bob under the first key, but for what a test changes. */
export function payment(change: Partial<DebitRequest> = {}): DebitRequest {
  const coins = change.coins ?? 10n;
  return {
    key: walletKey(1),
    appCode: walletApp,
    payerUserId: payer,
    coins,
    purpose: `gift/1/${'a'.repeat(64)}/7`,
    payees: [{ userId: payee, coins }],
    ...change,
  };
}
