/**
 * Displays to instant messaging: best effort, each tried once, in order per room (DIM-1, DIM-2). They
 * have a rate of their own beside the one of the outbox's facts, both together below the vendor's, so
 * that no fact ever waits for a display; and a display that has waited too long is not shown at all,
 * since a newer one or the next view says more.
 */
import type { AppCode, RoomKey } from '../../domain/ids.ts';
import { KeyedQueues } from '../../kernel/keyed-queues.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DisplaySource, IncomingDisplay } from '../../ports/display-source.ts';
import type { ImClient, SendOutcome } from '../../ports/im-client.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Timers } from '../../ports/timers.ts';
import { SendPace } from '../send-pace.ts';
import type { DisplayReading, ReadDisplay } from './display-message.ts';

/** What the lane stands on. */
export interface DisplayLaneContext {
  readonly source: DisplaySource;
  readonly readDisplay: ReadDisplay;
  /** One client per app. */
  readonly clients: ReadonlyMap<AppCode, ImClient>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The source ended by itself; whoever runs the lane starts it again or ends the process. */
  readonly onCrashed: (cause: unknown) => void;
}

/** Everything is a named maximum. */
export interface DisplayLaneOptions {
  /** A display whose command is older is not sent. */
  readonly usefulForMs: number;
  /** Per second, beside those of facts: together below the vendor's 40 a group and 200 an app. */
  readonly rates: { readonly perGroup: number; readonly perApp: number };
  /** Displays of one room that may wait; beyond it its oldest is dropped. */
  readonly perRoomMax: number;
  /** Displays that may wait in all; beyond it the room that waits longest loses one. */
  readonly waitingMax: number;
  /** Rooms that are sent to at the same time; one room's displays go in order. */
  readonly concurrentRooms: number;
}

/** What is not configurable has these values. */
export const displayLaneDefaults = {
  perRoomMax: 32,
  waitingMax: 5_000,
  concurrentRooms: 8,
} as const;

/** After a quiet time so many displays may go at once. */
const burst = 4;

/** See the file header. `start` once; `stop` is idempotent. */
export class DisplayLane {
  private readonly context: DisplayLaneContext;
  private readonly options: DisplayLaneOptions;
  private readonly rooms: KeyedQueues<RoomKey, IncomingDisplay>;
  private readonly busy = new Map<RoomKey, Promise<void>>();
  private readonly paces = new Map<AppCode, SendPace>();
  /** Until when an app sends none, on the monotonic clock: the vendor said that it got too many. */
  private readonly pausedUntilMs = new Map<AppCode, number>();
  private stopped: Promise<void> | null = null;

  constructor(context: DisplayLaneContext, options: DisplayLaneOptions) {
    this.context = context;
    this.options = options;
    const { perRoomMax, waitingMax, rates } = options;
    const { perGroup: perKeyPerSecond, perApp: totalPerSecond } = rates;
    const paceLimits = { perKeyPerSecond, totalPerSecond, burst };
    this.rooms = new KeyedQueues({ perKeyMax: perRoomMax, totalMax: waitingMax });
    for (const appCode of context.clients.keys()) {
      this.paces.set(appCode, new SendPace(context.clock, context.timers, paceLimits));
    }
  }

  /** Rejects with the source's own failure. */
  start(): Promise<void> {
    return this.context.source.start({
      onDisplays: (displays) => this.take(displays),
      onCrashed: (cause) => this.context.onCrashed(cause),
    });
  }

  /** Takes nothing more; sends under way end, what waits is dropped. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    this.ended(
      'stopped',
      this.rooms.drop(() => true),
    );
    await this.context.source.stop();
    await Promise.all(this.busy.values());
  }

  private take(displays: readonly IncomingDisplay[]): void {
    if (this.stopped !== null) return;
    for (const display of displays) {
      const cost = this.rooms.push(display.roomKey, display);
      if (cost !== 'nothing') this.ended('full', 1);
    }
    this.work();
  }

  private work(): void {
    while (this.busy.size < this.options.concurrentRooms) {
      const taken = this.rooms.take((roomKey) => !this.busy.has(roomKey));
      if (taken === undefined) return;
      const working = this.sendAll(taken.elements).finally(() => {
        this.busy.delete(taken.key);
        if (this.stopped === null) this.work();
      });
      this.busy.set(taken.key, working);
    }
  }

  private async sendAll(displays: readonly IncomingDisplay[]): Promise<void> {
    for (const { value } of displays) {
      if (this.stopped !== null) this.ended('stopped', 1);
      else this.ended(await this.send(await this.context.readDisplay(value)), 1);
    }
  }

  /** How it ended, for the counter. */
  private async send(reading: DisplayReading): Promise<string> {
    if (reading.kind === 'none') return reading.why;
    const { appCode, message } = reading;
    const client = this.context.clients.get(appCode);
    const pace = this.paces.get(appCode);
    if (client === undefined || pace === undefined) return 'no_account';
    if (this.isPaused(appCode)) return 'throttled';
    if (this.isTooOld(reading.occurredAtMs)) return 'too_old';
    await pace.turn(message.groupId);
    // The turn may have been long in coming.
    if (this.isTooOld(reading.occurredAtMs)) return 'too_old';
    const outcome = await client.sendGroupMessage(message);
    this.noteThrottle(appCode, outcome);
    if (outcome.kind === 'done') return 'sent';
    const error = outcome.kind === 'unknown' ? outcome.cause : outcome.error;
    this.context.log.debug({ appCode, groupId: message.groupId, error }, 'a display was not sent');
    return outcome.kind === 'throttled' ? 'throttled' : 'failed';
  }

  private isTooOld(occurredAtMs: number): boolean {
    return this.context.clock.wallMs() - occurredAtMs > this.options.usefulForMs;
  }

  private isPaused(appCode: AppCode): boolean {
    return this.context.clock.monoMs() < (this.pausedUntilMs.get(appCode) ?? 0);
  }

  /** Displays give way at once, so that what the vendor still takes is the facts'. */
  private noteThrottle(appCode: AppCode, outcome: SendOutcome): void {
    if (outcome.kind !== 'throttled') return;
    this.pausedUntilMs.set(appCode, this.context.clock.monoMs() + outcome.retryAfterMs);
  }

  private ended(outcome: string, displays: number): void {
    if (displays === 0) return;
    this.context.metrics.count('adapter_displays_total', { outcome }, displays);
  }
}
