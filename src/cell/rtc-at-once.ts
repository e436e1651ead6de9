/**
 * The first removal from RTC, right after COMMIT (RTC-1): a kicked user falls silent before the relay
 * has looked. Best effort and off the lane: nobody waits for it, a bounded number is under way, and
 * what fails is counted alone, because the outbox row of the same event is tried until it is done.
 *
 * Race (test "asks for nobody behind a COMMIT that took long: they may be back by then"):
 *   1. A kick is committed, and this node stands still before it hears of that.
 *   2. Another one takes over; the user is let in again, and enters the RTC room.
 *   3. This node goes on and puts out somebody who may be there. It asks no guard; the outbox does.
 * Closed by leaving to the outbox whatever was not heard of at once.
 */
import { putOutOfRtc } from '../domain/events/destinations.ts';
import { splitRoomKey } from '../domain/ids.ts';
import type { AppCode, RoomKey } from '../domain/ids.ts';
import { guardUser } from '../domain/presence/guard-user.ts';
import type { RoomEvent } from '../domain/room/events.ts';
import type { RoomState } from '../domain/room/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RtcUserRemover } from '../ports/rtc-user-remover.ts';

/** Calls under way; one more is left to the outbox. */
const underWayMax = 64;
/** A COMMIT that took longer is no news. */
const commitMsMax = 500;

/** What it stands on. */
export interface RtcAtOnceContext {
  /** One per app; without one nobody is taken out at once (NEW-11). */
  readonly rtcRemovers: ReadonlyMap<AppCode, RtcUserRemover>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** See the file header. One per cell. */
export class RtcAtOnce {
  private readonly context: RtcAtOnceContext;
  private underWay = 0;

  constructor(context: RtcAtOnceContext) {
    this.context = context;
  }

  /**
   * Told of each event once it is stored: the room as it then is, and how long the COMMIT took by this
   * node's clock. Who was let in again by the same transaction is not put out. Never throws, and waits for
   * nothing.
   */
  committed(
    room: { readonly key: RoomKey; readonly state: RoomState },
    event: RoomEvent,
    commitMs: number,
  ): void {
    const userId = putOutOfRtc(event);
    if (userId === null) return;
    if (commitMs > commitMsMax) {
      this.ended('too_late');
      return;
    }
    if (guardUser(room.state, userId, this.context.clock.wallMs()) === null) {
      this.ended('back_again');
      return;
    }
    const { appCode, roomId } = splitRoomKey(room.key);
    const remover = this.context.rtcRemovers.get(appCode);
    if (remover === undefined) return;
    if (this.underWay >= underWayMax) {
      this.ended('too_many');
      return;
    }
    this.underWay += 1;
    void remover.removeUser(roomId, userId).then((outcome) => {
      this.underWay -= 1;
      this.ended(outcome.kind);
      if (outcome.kind === 'done') return;
      const error = outcome.kind === 'unknown' ? outcome.cause : outcome.error;
      const facts = { appCode, roomId, userId, error };
      this.context.log.warn(facts, 'a user was not taken out of RTC at once; the outbox goes on');
    });
  }

  private ended(outcome: string): void {
    this.context.metrics.count('cell_rtc_removals_total', { outcome });
  }
}
