/**
 * The token of a room's Redis lease: `<epoch>.<counter>`. The epoch is the partition's from MySQL,
 * so a token of a later owner is greater than every token of an earlier one, whatever Redis lost in
 * between. The counter grows with each renewal, so a renewal is a new token of the same owner.
 */
import type { Brand } from '../kernel/brand.ts';

/** `<epoch>.<counter>`, both decimal without leading zeros. Stored with each command's log row. */
export type LeaseToken = Brand<string, 'LeaseToken'>;

/** The two parts of a token. */
export interface LeaseTokenParts {
  readonly epoch: bigint;
  readonly counter: bigint;
}

const tokenPattern = /^(0|[1-9]\d{0,18})\.(0|[1-9]\d{0,18})$/;

/** Builds a token. Both parts are at least 0. */
export function leaseToken(epoch: bigint, counter: bigint): LeaseToken {
  return `${epoch}.${counter}` as LeaseToken;
}

/** The parts of a token, or null when the text is none (a foreign or damaged value in Redis). */
export function parseLeaseToken(text: string): LeaseTokenParts | null {
  const match = tokenPattern.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { epoch: BigInt(match[1]), counter: BigInt(match[2]) };
}

/** Negative when `left` is the older one, positive when it is the newer one, 0 when equal. */
export function compareLeaseTokens(left: LeaseTokenParts, right: LeaseTokenParts): number {
  if (left.epoch !== right.epoch) return left.epoch < right.epoch ? -1 : 1;
  if (left.counter === right.counter) return 0;
  return left.counter < right.counter ? -1 : 1;
}
