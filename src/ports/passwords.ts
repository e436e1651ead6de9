/**
 * Room passwords, slow on purpose. Only the gateway handles the text of a password; what it hands on
 * is a hash or a verdict (architecture section 4).
 */
import type { AppCode, CommandId, RoomId } from '../domain/ids.ts';

/** What the salt is derived from: a repeated command must carry the same bytes. */
export interface PasswordOrigin {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
}

/**
 * Both calls run off the event loop, a bounded number at a time, and throw a Retry failure
 * (GATEWAY_BUSY) at once when too many wait.
 */
export interface Passwords {
  /** The encoded hash: the same for the same password and origin, on every node of a deployment. */
  hash(password: string, origin: PasswordOrigin): Promise<string>;
  /**
   * Compares in constant time. Throws a Corrupt failure when `encodedHash` is none of ours: a
   * damaged row must not read as a wrong password.
   */
  verify(password: string, encodedHash: string): Promise<boolean>;
}
