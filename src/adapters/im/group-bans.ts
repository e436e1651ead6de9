/**
 * Bans from the room's group (PRES-7, PRES-11): who is banned from the room is kept out of its group by
 * the vendor as well, and let in again with the unban. Only for apps that have it switched on.
 *
 * The vendor keeps one ban per group and user and knows no order: the request that it executes last
 * counts. So the last one must be that of the newest event, or say the same.
 *
 * Race 1 (test "a ban that failed is over before its unban is sent"):
 *   1. A user is kicked; the ban fails and waits for its next try.
 *   2. The user is unbanned.
 *   3. A next try behind the unban would ban for ever somebody whom the room lets in.
 * Closed by the order per (room, im): one unfinished run exists at a time, and the unban waits in it, or
 * behind it, until the ban is done or given up.
 *
 * Race 2 (test "a ban that the room has taken back meanwhile is not made, and the event is done"):
 *   1. An adapter sends the message of a kick, and is frozen or loses its partition.
 *   2. Another one works on the same run, which is the same claim: message, ban, and then the unban.
 *   3. The first one goes on where it was. The same when an operator has an old row sent again, and the
 *      other way round: an old unban behind a new ban.
 * Closed by [A]: the room's owner is asked right before the call; a call that the room does not mean
 * any more is not made, nor one on a word that has grown old.
 *
 * Race 3 (test "an event whose ban brought no answer rests until the request cannot be under way"):
 *   1. The request of a ban brings no answer in time, and is still on its way.
 *   2. The next try bans, and the unban behind it lets the user in.
 *   3. The vendor gets the first request.
 * Closed by [B]: the event rests for longer than a request lives, and what comes behind it with it.
 *
 * What is left is a request of a process that died or lost its partition, on its way for longer than the
 * consumer group takes to notice. An operator unbans the user by hand, or kicks and unbans once more.
 */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import type { AskOwner } from '../../owners/ask-owner.ts';
import type { Clock } from '../../ports/clock.ts';
import { banSecondsMax } from '../../ports/im-client.ts';
import type { ImClient, SendOutcome } from '../../ports/im-client.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { ownerWord } from '../owner-word.ts';
import type { ImCall } from './im-message.ts';

/** Pause when what went before the ban left it no time. */
const noTimePauseMs = 1_000;
/** Longer than any request of ours is on its way, and than the vendor works on it. */
const requestLivesMs = 10_000;

/** What bans stand on. */
export interface GroupBansContext {
  /** Apps whose plan has bans; others get the messages alone. */
  readonly apps: ReadonlySet<AppCode>;
  readonly askOwner: AskOwner;
  /**
   * Bound of one call of the clients. What goes before the ban has as long in all, so that an event
   * with a ban ends within two of them.
   */
  readonly callTimeoutMs: number;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** A ban or its end, as an event asks for it. */
export type BanCall = Extract<ImCall, { readonly kind: 'ban' | 'unban' }>;

/** The event that asks: its room, and when its first call began, on the monotonic clock. */
export interface BanOccasion {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly startedMonoMs: number;
}

/** Makes one ban, or ends it; see the file header. Of an app in `apps`. */
export async function carryOutBan(
  context: GroupBansContext,
  client: ImClient,
  call: BanCall,
  { appCode, roomId, startedMonoMs }: BanOccasion,
): Promise<SendOutcome> {
  const { clock, callTimeoutMs } = context;
  const untilMonoMs = startedMonoMs + callTimeoutMs;
  const withinMs = untilMonoMs - clock.monoMs();
  if (withinMs <= 0) return noTime();
  const question = { kind: 'guard', userId: call.userId } as const;
  const said = await ownerWord(withinMs, ({ call: asked, asker }) =>
    context.askOwner(asked, { appCode, roomId, asker, question }),
  );
  if (said.kind !== 'word') return said;
  if (!isMeant(call, said.word.answer.refusal)) return ended(context, 'taken_back'); // [A]
  if (clock.monoMs() > untilMonoMs) return noTime();
  if (call.kind === 'unban') {
    const outcome = await client.unbanMember(call.groupId, call.userId);
    return outcome.kind === 'done' ? ended(context, 'unbanned') : rested(outcome);
  }
  const seconds = banSeconds(call.expiresAtMs, clock.wallMs());
  if (seconds === 0) return ended(context, 'over');
  const outcome = await client.banMember(call.groupId, call.userId, seconds);
  return outcome.kind === 'done' ? ended(context, 'banned') : rested(outcome);
}

function ended({ metrics }: GroupBansContext, how: string): SendOutcome {
  metrics.count('adapter_im_bans_total', { how });
  return { kind: 'done' };
}

/**
 * Of a room that is over nobody is let in any more: its events are carried out as they are. Of one that
 * is gone there is no group, and a ban would make it anew.
 */
function isMeant(call: BanCall, refusal: string | null): boolean {
  if (refusal === 'ROOM_NOT_FOUND') return false;
  if (refusal === 'ROOM_CLOSED') return true;
  return (refusal === 'USER_BANNED') === (call.kind === 'ban');
}

/** What is left of a ban, in whole seconds and never less; 0: it is over. */
export function banSeconds(expiresAtMs: number, nowMs: number): number {
  if (expiresAtMs === 0) return banSecondsMax;
  return Math.min(Math.max(Math.ceil((expiresAtMs - nowMs) / 1_000), 0), banSecondsMax);
}

function rested(outcome: SendOutcome): SendOutcome {
  if (outcome.kind !== 'unknown') return outcome;
  // [B]
  return { kind: 'retryable', error: `no answer: ${outcome.cause}`, restMs: requestLivesMs };
}

function noTime(): SendOutcome {
  const error = 'no time was left for the ban from the group';
  return { kind: 'throttled', error, retryAfterMs: noTimePauseMs };
}
