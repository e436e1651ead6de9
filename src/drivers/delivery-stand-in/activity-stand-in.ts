/**
 * An activity service for development and tests: takes events, deduplicates by (app_code, event_id),
 * records and fails on order. It knows nothing of gRPC: the sandbox serves it over gRPC, the twin in
 * memory calls it directly.
 */
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { activityFaultKinds, FaultBoard } from '../fault-board.ts';
import { ReceivedEvents } from './received-events.ts';

/** An event as the ingest interface carries it. */
export interface IngestedEvent {
  readonly envelope: Uint8Array;
  readonly eventId: string;
  readonly appCode: string;
  readonly roomId: string;
  readonly eventType: string;
  readonly roomVersion: bigint;
  readonly eventIndex: number;
}

/** What the transport answers. */
export type ActivityAnswer =
  | { readonly kind: 'taken'; readonly duplicate: boolean }
  | {
      readonly kind: 'status';
      readonly status: 'UNAVAILABLE' | 'FAILED_PRECONDITION' | 'RESOURCE_EXHAUSTED';
      readonly message: string;
      readonly retryAfterMs?: number;
    };

/** `slow` without a time of its own waits this long. */
const slowMs = 5_000;
/** What `throttle` without a time of its own asks for. */
const throttleMs = 1_000;
const orderedMessage = 'ordered by the sandbox';

/** See the file header. */
export class ActivityStandIn {
  readonly received = new ReceivedEvents();
  readonly faults: FaultBoard<(typeof activityFaultKinds)[number]>;
  private readonly timers: Timers;

  constructor(options: { readonly timers: Timers; readonly random: Random }) {
    this.timers = options.timers;
    this.faults = new FaultBoard(activityFaultKinds, options.random);
  }

  /** Takes one event, or does what was ordered. `signal` aborts when the caller no longer waits. */
  async ingest(event: IngestedEvent, signal: AbortSignal): Promise<ActivityAnswer> {
    const fault = this.faults.take('ingest');
    switch (fault?.kind) {
      case 'unavailable':
        return { kind: 'status', status: 'UNAVAILABLE', message: orderedMessage };
      case 'refuse':
        return { kind: 'status', status: 'FAILED_PRECONDITION', message: orderedMessage };
      case 'throttle': {
        const retryAfterMs = fault.delayMs ?? throttleMs;
        const message = orderedMessage;
        return { kind: 'status', status: 'RESOURCE_EXHAUSTED', message, retryAfterMs };
      }
      case 'slow':
        await this.timers.sleep(fault.delayMs ?? slowMs, signal);
        break;
      case 'twice':
        // As a proxy does that sends a request again: the caller hears of the second time only.
        this.take(event);
        break;
      case 'applied_then_cut':
        // To the caller this looks like a connection that was cut after the event was stored.
        this.take(event);
        return { kind: 'status', status: 'UNAVAILABLE', message: 'cut after it was applied' };
      case undefined:
    }
    return { kind: 'taken', duplicate: this.take(event) };
  }

  /** Answers whether the event had been here before. */
  private take(event: IngestedEvent): boolean {
    const { appCode, roomId, eventId, eventType, eventIndex, envelope: bytes } = event;
    const isRepeat = this.received.has(appCode, eventId);
    const roomVersion = String(event.roomVersion);
    this.received.record(
      { appCode, roomId, eventId, eventType, roomVersion, eventIndex, bytes },
      isRepeat ? 'deduplicated' : 'taken',
    );
    return isRepeat;
  }
}
