/** Bearer tokens, as transports check them before they hand a call to the gateway. */
import type { Caller } from './room-api.ts';

/** What a token says, what is wrong with it, or that nobody could be asked for the keys. */
export type TokenVerdict =
  /** `expiresAtMs`: wall time from which on the token is refused. */
  | { readonly kind: 'valid'; readonly caller: Caller; readonly expiresAtMs: number }
  /** `fault` is a sentence for the caller; it never repeats the token. */
  | { readonly kind: 'refused'; readonly fault: string }
  /** The key set is out of reach: says nothing about the token, the caller tries again. */
  | { readonly kind: 'unreachable'; readonly cause: string };

/** Never throws. Expiry is judged by the injected clock. */
export interface TokenVerifier {
  verify(token: string): Promise<TokenVerdict>;
}
