/**
 * The Redis lease: hot route and early warning, never the fence (architecture section 3). Whatever
 * it answers, a write is safe, because MySQL decides. Keys: `app_code + "\0" + room_id` → owner and
 * token, `room:node:{node_id}` → address.
 */
import type { RoomKey } from '../domain/ids.ts';

/** What Redis said about one room. */
export type LeaseVerdict =
  /** Ours: taken, renewed, or still fresh. `token` is what Redis holds now. */
  | { readonly kind: 'held'; readonly token: string }
  /** Somebody with a higher epoch, or (verify only) another token: ask MySQL who is right. */
  | { readonly kind: 'foreign'; readonly ownerNodeId: string; readonly token: string }
  /** No answer in time, an error, or the breaker is open: go on, MySQL fences. */
  | { readonly kind: 'unreachable'; readonly cause: string };

/** A claim by this node for one room. */
export interface LeaseClaim {
  readonly roomKey: RoomKey;
  readonly epoch: bigint;
  /** Token this node believes it holds, or '' when it holds none. */
  readonly token: string;
}

/** Scripts are atomic and single-key. One call is one pipeline and ends within `budgetMs`. */
export interface LeaseDirectory {
  /**
   * EnsureOwner for each claim, in order: takes an absent lease, one of a lower epoch or one of our
   * own; renews (new token) when less than two thirds of the TTL is left; refuses to a lower epoch.
   */
  ensure(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]>;
  /** VerifyOwner for each claim: held only when Redis has exactly this token. */
  verify(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]>;
  /** Overwrites with our claim, whatever is there. Only after MySQL said that we are the owner. */
  overwrite(claims: readonly LeaseClaim[], budgetMs: number): Promise<readonly LeaseVerdict[]>;
  /** Deletes each lease that still has our token (compare-and-delete). Never throws. */
  release(claims: readonly LeaseClaim[], budgetMs: number): Promise<void>;
  /** Who holds the room, for routing. Null when unknown or unreachable. */
  ownerOf(
    roomKey: RoomKey,
  ): Promise<{ readonly ownerNodeId: string; readonly token: string } | null>;
  /** Announces `room:node:{node_id}` with a TTL. Never throws. */
  announceNode(nodeId: string, advertiseAddr: string, ttlMs: number): Promise<void>;
  addressOf(nodeId: string): Promise<string | null>;
  isHealthy(): boolean;
  stop(): Promise<void>;
}
