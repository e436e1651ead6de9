/**
 * Removals from RTC rooms (RTC-1): whoever was kicked or evicted loses the audio as well. The room has
 * long decided; nothing here is told back to it.
 *
 * Race (test "a user who was let in again meanwhile is not removed, and the event is done"):
 *   1. A user is kicked; the removal fails and waits for its next try.
 *   2. The user is unbanned, joins again, and enters RTC with a new ticket.
 *   3. The next try would throw out somebody who may be there.
 * Closed by [A]: before each try the room's owner and the platform are asked. What is left is the time
 * of one call: who joins after the guard's no may be removed once, and enters again.
 */
import { putOutOfRtc } from '../../domain/events/destinations.ts';
import type { AppCode, RoomId, UserId } from '../../domain/ids.ts';
import type { AskGuard, GuardWord } from '../../owners/ask-guard.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SendOutcome } from '../../ports/im-client.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RtcUserRemover } from '../../ports/rtc-user-remover.ts';
import type { Timers } from '../../ports/timers.ts';
import type { EventSender } from '../event-sender.ts';
import { ownerWord, type OwnerWord } from '../owner-word.ts';
import { SendPace } from '../send-pace.ts';

/** Removals of one app that may go out at once when none did before. */
const burst = 5;
/** Pause for events that a newer release made: it may be here soon. */
const unknownTypePauseMs = 60_000;
/** A word of the guard that is older is not acted on: the process was asleep. */
const wordFreshMs = 1_000;

/** What the sender stands on. */
export interface RtcSenderContext {
  /** One per app; an app without one has no RTC that this service may take users out of. */
  readonly removers: ReadonlyMap<AppCode, RtcUserRemover>;
  readonly askGuard: AskGuard;
  /** This process's share of what the vendor allows an app, and leaves to cells. */
  readonly callsPerSecond: number;
  /** Bound of asking; together with the remover's own it lies within a row's time. */
  readonly guardTimeoutMs: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly metrics: Metrics;
}

/** Takes users out, one call per event; see the file header. */
export function createRtcSender(context: RtcSenderContext): EventSender {
  const { callsPerSecond: perSecond } = context;
  const paceLimits = { perKeyPerSecond: perSecond, totalPerSecond: perSecond, burst };
  const paces = new Map(
    [...context.removers.keys()].map((appCode) => [
      appCode,
      new SendPace(context.clock, context.timers, paceLimits),
    ]),
  );
  const ended = (how: string): SendOutcome => {
    context.metrics.count('adapter_rtc_removals_total', { how });
    return { kind: 'done' };
  };
  return {
    destination: 'rtc',
    async send({ envelope }): Promise<SendOutcome> {
      if (envelope.event === null) {
        const error = `${envelope.eventType} is an event of a newer release`;
        return { kind: 'throttled', error, retryAfterMs: unknownTypePauseMs };
      }
      const userId = putOutOfRtc(envelope.event);
      if (userId === null) return { kind: 'done' };
      const { appCode, roomId } = envelope;
      const remover = context.removers.get(appCode);
      // NEW-11: the app has taken the removal upon itself, or has no audio at all.
      if (remover === undefined) return ended('not_configured');
      await paces.get(appCode)?.turn(appCode);
      const askedMonoMs = context.clock.monoMs();
      const word = await wordOf(context, { appCode, roomId, userId }); // [A]
      if (word.kind !== 'word') return word;
      if (word.word.refusal === null) return ended('allowed_again');
      if (context.clock.monoMs() - askedMonoMs > context.guardTimeoutMs + wordFreshMs) {
        return { kind: 'throttled', error: 'the guard’s word has grown old', retryAfterMs: 1 };
      }
      const outcome = await remover.removeUser(roomId, userId);
      return outcome.kind === 'done' ? ended('removed') : outcome;
    },
  };
}

/** The guard's word, or why there is none. */
function wordOf(
  { askGuard, guardTimeoutMs }: RtcSenderContext,
  about: { readonly appCode: AppCode; readonly roomId: RoomId; readonly userId: UserId },
): Promise<OwnerWord<GuardWord>> {
  return ownerWord(guardTimeoutMs, ({ call, asker }) => askGuard(call, { ...about, asker }));
}
