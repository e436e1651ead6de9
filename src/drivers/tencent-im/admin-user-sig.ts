/** The admin's UserSig, kept and renewed well before it expires. */
import type { Clock } from '../../ports/clock.ts';
import { signUserSig } from '../user-sig.ts';

/** The vendor advises against less than a day for servers. */
const expireSeconds = 2 * 24 * 60 * 60;
/** Half of its life: a clock that is wrong by hours is still inside. */
const renewAfterMs = (expireSeconds * 1000) / 2;

/** Whose signature. */
export interface AdminAccount {
  readonly sdkAppId: number;
  readonly identifier: string;
  readonly secretKey: string;
}

/** See the file header. */
export class AdminUserSig {
  private readonly account: AdminAccount;
  private readonly clock: Clock;
  private current: { readonly text: string; readonly signedWallMs: number } | null = null;

  constructor(account: AdminAccount, clock: Clock) {
    this.account = account;
    this.clock = clock;
  }

  /** A signature that is valid for a day at least, unless the clock jumps. */
  get(): string {
    const nowMs = this.clock.wallMs();
    const ageMs = this.current === null ? 0 : nowMs - this.current.signedWallMs;
    // A clock that was set back makes the age negative: sign anew as well.
    if (this.current === null || ageMs < 0 || ageMs > renewAfterMs) {
      const { sdkAppId, identifier, secretKey } = this.account;
      const timeSeconds = Math.floor(nowMs / 1000);
      const fields = { sdkAppId, identifier, timeSeconds, expireSeconds };
      this.current = { text: signUserSig(secretKey, fields), signedWallMs: nowMs };
    }
    return this.current.text;
  }

  /** The vendor refused it: the next `get` signs anew. */
  drop(): void {
    this.current = null;
  }
}
