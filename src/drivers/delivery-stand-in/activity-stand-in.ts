/**
 * An activity service for development and tests: takes events, deduplicates by (app_code, event_id),
 * records and fails on order, in the midst of a batch as well. It knows nothing of gRPC: the sandbox
 * serves it over gRPC, the twin in memory calls it directly.
 */
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { activityFaultKinds, FaultBoard, ingestFaultKinds } from '../fault-board.ts';
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

/** Why the transport answers no event. */
export interface ActivityRefusal {
  readonly kind: 'status';
  readonly status: 'UNAVAILABLE' | 'FAILED_PRECONDITION' | 'RESOURCE_EXHAUSTED' | 'UNIMPLEMENTED';
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** What the transport answers. */
export type ActivityAnswer =
  { readonly kind: 'taken'; readonly duplicate: boolean } | ActivityRefusal;

/** What it answers for a batch: so many from the front, and why not the next; or its own end. */
export type ActivityBatchAnswer =
  | {
      readonly kind: 'front';
      readonly taken: number;
      readonly notTaken: ActivityRefusal | null;
    }
  | ActivityRefusal;

/** `slow` without a time of its own waits this long. */
const slowMs = 5_000;
/** What `throttle` without a time of its own asks for. */
const throttleMs = 1_000;
const orderedMessage = 'ordered by the sandbox';
const cut: ActivityRefusal = {
  kind: 'status',
  status: 'UNAVAILABLE',
  message: 'cut after it was applied',
};

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
    const answer = await this.takeOne(event, 'ingest', signal);
    return answer.kind === 'cut' ? cut : answer;
  }

  /**
   * Takes events from the front until one is not taken. Each of them may meet an order, as one that
   * comes alone does; the command `ingest_batch` keeps an order for those that come in batches.
   */
  async ingestBatch(
    events: readonly IngestedEvent[],
    signal: AbortSignal,
  ): Promise<ActivityBatchAnswer> {
    if (this.faults.take('ingest_batch', ['no_batches']) !== null) {
      return { kind: 'status', status: 'UNIMPLEMENTED', message: orderedMessage };
    }
    for (const [taken, event] of events.entries()) {
      const answer = await this.takeOne(event, 'ingest_batch', signal);
      // The caller hears nothing of the batch, not even of what had been taken before.
      if (answer.kind === 'cut' || signal.aborted) return cut;
      if (answer.kind === 'status') return { kind: 'front', taken, notTaken: answer };
    }
    return { kind: 'front', taken: events.length, notTaken: null };
  }

  private async takeOne(
    event: IngestedEvent,
    command: 'ingest' | 'ingest_batch',
    signal: AbortSignal,
  ): Promise<ActivityAnswer | { readonly kind: 'cut' }> {
    const fault = this.faults.take(command, ingestFaultKinds);
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
        return { kind: 'cut' };
      case 'no_batches':
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
