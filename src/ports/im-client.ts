/** Tencent Cloud IM as the adapter uses it. Outcomes are sorted by what the adapter must do. */
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** `error` names code and text from outside, without secrets. */
export type SendOutcome =
  | { readonly kind: 'done' }
  /** `restMs`: the next try comes no sooner. Absent: as soon as the pause between tries says. */
  | { readonly kind: 'retryable'; readonly error: string; readonly restMs?: number }
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

/** The longest ban, in seconds: all that the vendor's uint32 holds, a hundred years and more. */
export const banSecondsMax = 0xffffffff;

/** Every call ends within its own deadline. Never throws. */
export interface ImClient {
  /** Makes sure the room's group exists; "already there" is success (tencent A4). */
  ensureGroup(groupId: string, name: string): Promise<SendOutcome>;
  sendGroupMessage(message: GroupMessage): Promise<SendOutcome>;
  /** System notification to the whole group; no deduplication on the other side. */
  sendGroupNotification(groupId: string, content: string): Promise<SendOutcome>;
  /** Makes sure that the group is gone, for good; "not there" is success (tencent A7). */
  dissolveGroup(groupId: string): Promise<SendOutcome>;
  /**
   * Puts the user out of the group and keeps it out for whole seconds from now, 1 to `banSecondsMax`;
   * a ban that it has already gets this end instead. Makes a missing group, like a message: the next
   * message would, and the ban must hold in it. "No such account" is success: nobody is there to ban.
   */
  banMember(groupId: string, userId: string, seconds: number): Promise<SendOutcome>;
  /** Makes sure that the user is not banned from the group; no ban, group or account is success. */
  unbanMember(groupId: string, userId: string): Promise<SendOutcome>;
}
