/**
 * What the scripts of the lease do, on the twin's keys: the same checks in the same order as
 * `drivers/redis/lease-scripts.ts`, which says why. The suite of the port holds the two together.
 */
import type { LeaseVerdict } from '../../ports/lease-directory.ts';

/** One key of the server, as a script sees it. */
export interface LeaseKey {
  get(): string | null;
  /** Time left; -1 when the key has no end. Asked only for a key that is there. */
  leftMs(): number;
  set(value: string, ttlMs: number): void;
  delete(): void;
}

/** The arguments of a script; times in ms. */
export interface LeaseArgs {
  readonly owner: string;
  readonly epoch: bigint;
  /** Counter that the owner believes in; 0 when in none. */
  readonly believed: bigint;
  /** Token that verify and release compare with. */
  readonly token: string;
  readonly ttlMs: number;
  readonly renewBelowMs: number;
}

/** A script: atomic, on one key. */
export type MemoryLeaseScript = (key: LeaseKey, args: LeaseArgs) => LeaseVerdict;

/** Takes an absent, damaged, older or own lease; renews it when it is no longer fresh. */
export const ensureOwner: MemoryLeaseScript = (key, args) => {
  const lease = parseLease(key.get());
  if (lease !== null) {
    const isOfOurEpoch = lease.epoch === String(args.epoch);
    if (isGreater(lease.epoch, String(args.epoch))) return foreign(lease);
    if (isOfOurEpoch && lease.owner !== args.owner) return foreign(lease);
    if (isOfOurEpoch) {
      const isFresh = key.leftMs() >= args.renewBelowMs;
      if (isFresh && lease.counter >= args.believed) return held(tokenOf(lease));
    }
  }
  return hold(key, args, lease);
};

/** Nothing refuses. */
export const overwriteOwner: MemoryLeaseScript = (key, args) => {
  return hold(key, args, parseLease(key.get()));
};

/** Compares the whole value, to the letter. */
export const verifyOwner: MemoryLeaseScript = (key, { owner, token }) => {
  const value = key.get();
  if (value === valueOf(token, owner)) return held(token);
  const lease = parseLease(value);
  return lease === null ? nobody : foreign(lease);
};

/** Compare and delete. */
export const releaseOwner: MemoryLeaseScript = (key, { owner, token }) => {
  if (key.get() !== valueOf(token, owner)) return nobody;
  key.delete();
  return held(token);
};

interface Lease {
  /** As it is stored: compared as text, like over there. */
  readonly epoch: string;
  readonly counter: bigint;
  readonly owner: string;
}

const nobody: LeaseVerdict = { kind: 'foreign', ownerNodeId: '', token: '' };

/** Reads a stored value; null when there is none or it is not one of ours. */
export function parseLease(value: string | null): Lease | null {
  const match = /^(\d+)\.(\d+)\|(.*)$/s.exec(value ?? '');
  const [, epoch, counter, owner] = match ?? [];
  if (epoch === undefined || counter === undefined || owner === undefined) return null;
  return { epoch, counter: BigInt(counter), owner };
}

/** `<epoch>.<counter>`. */
export function tokenOf({ epoch, counter }: Pick<Lease, 'epoch' | 'counter'>): string {
  return `${epoch}.${counter}`;
}

function isGreater(epoch: string, other: string): boolean {
  return epoch.length === other.length ? epoch > other : epoch.length > other.length;
}

/** After both the stored counter of our epoch and the one that the caller believes in. */
function hold(key: LeaseKey, args: LeaseArgs, lease: Lease | null): LeaseVerdict {
  const { owner, believed, ttlMs } = args;
  const epoch = String(args.epoch);
  const stored = lease?.epoch === epoch ? lease.counter : 0n;
  const counter = (stored > believed ? stored : believed) + 1n;
  const token = tokenOf({ epoch, counter });
  key.set(valueOf(token, owner), ttlMs);
  return held(token);
}

function valueOf(token: string, owner: string): string {
  return `${token}|${owner}`;
}

function held(token: string): LeaseVerdict {
  return { kind: 'held', token };
}

function foreign(lease: Lease): LeaseVerdict {
  return { kind: 'foreign', ownerNodeId: lease.owner, token: tokenOf(lease) };
}
