/** Tencent Cloud IM as the adapter uses it. Outcomes are sorted by what the adapter must do. */
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** `error` names code and text from outside, without secrets. */
export type SendOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'retryable'; readonly error: string }
  | { readonly kind: 'throttled'; readonly error: string; readonly retryAfterMs: number }
  | { readonly kind: 'permanent'; readonly error: string }
  | UnknownOutcome;

/** A group custom message; the body must be the same bytes for the same event (deduplication). */
export interface GroupMessage {
  readonly groupId: string;
  /** uint32, derived from the event id. */
  readonly random: number;
  readonly priority: 'High' | 'Normal' | 'Low';
  readonly data: string;
}

/** Every call ends within its own deadline. Never throws. */
export interface ImClient {
  /** Makes sure the room's group exists; "already there" is success (tencent A4). */
  ensureGroup(groupId: string, name: string): Promise<SendOutcome>;
  sendGroupMessage(message: GroupMessage): Promise<SendOutcome>;
  /** System notification to the whole group; no deduplication on the other side. */
  sendGroupNotification(groupId: string, content: string): Promise<SendOutcome>;
  /** Makes sure that the group is gone, for good; "not there" is success (tencent A7). */
  dissolveGroup(groupId: string): Promise<SendOutcome>;
}
