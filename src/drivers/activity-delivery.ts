/**
 * Delivery to an activity service, whatever lies between: reads envelopes, decides how many go into one
 * call, and falls back to single ones where a receiver takes no batches. The gRPC client and its twin
 * in memory are this on calls of their own.
 */
import type { Clock } from '../ports/clock.ts';
import type { ActivityClient, BatchOutcome } from '../ports/activity-client.ts';
import type { SendOutcome } from '../ports/im-client.ts';
import type { Codec } from '../protocol/codec-api.ts';
import type { EventEnvelope } from '../protocol/records.ts';
import { outcomeOfBatch, outcomeOfSingle, wantsSingle } from './activity-answers.ts';
import type { BatchEnd } from './activity-answers.ts';

/** An event as it goes out: its bytes as stored, and what they say. */
export interface ReadEvent {
  readonly bytes: Uint8Array;
  readonly envelope: EventEnvelope;
}

/** The calls of `activity.proto`. Each ends within `timeoutMs`, and never throws. */
export interface ActivityCalls {
  ingest(event: ReadEvent, timeoutMs: number): Promise<SendOutcome>;
  ingestBatch(events: readonly ReadEvent[], timeoutMs: number): Promise<BatchEnd>;
}

/** Most events of one batch … */
export const batchEventsMax = 100;
/** … and most bytes of their envelopes: far below what gRPC lets pass as one message. */
export const batchBytesMax = 512 * 1_024;
/** So long a receiver that knows no batches gets single events before it is asked again. */
export const batchesAgainAfterMs = 10 * 60_000;

/** What delivery stands on. */
export interface ActivityDeliveryPorts {
  readonly clock: Clock;
  readonly codec: Codec;
}

/** See the file header. `timeoutMs` holds for each method, whatever it takes. */
export class ActivityDelivery implements Omit<ActivityClient, 'stop'> {
  private readonly calls: ActivityCalls;
  private readonly timeoutMs: number;
  private readonly ports: ActivityDeliveryPorts;
  /** Monotonic time; before it no batch is tried. */
  private singlesUntilMs = Number.NEGATIVE_INFINITY;

  constructor(calls: ActivityCalls, timeoutMs: number, ports: ActivityDeliveryPorts) {
    this.calls = calls;
    this.timeoutMs = timeoutMs;
    this.ports = ports;
  }

  ingest(envelope: Uint8Array): Promise<SendOutcome> {
    return this.single(envelope, this.timeoutMs);
  }

  async ingestBatch(envelopes: readonly Uint8Array[]): Promise<BatchOutcome> {
    const { clock } = this.ports;
    const startMs = clock.monoMs();
    const [first] = envelopes;
    if (first === undefined) return { sent: 0, taken: 0, next: null };
    const events = startMs < this.singlesUntilMs ? [] : this.front(envelopes);
    if (events.length < 2) return outcomeOfSingle(await this.single(first, this.timeoutMs));
    const end = await this.calls.ingestBatch(events, this.timeoutMs);
    if (end.kind !== 'failed' || !wantsSingle(end)) return outcomeOfBatch(end, events.length);
    const nowMs = clock.monoMs();
    if (end.status === 'UNIMPLEMENTED') this.singlesUntilMs = nowMs + batchesAgainAfterMs;
    // Within the same deadline: who called counts on one of them until this ends.
    const leftMs = Math.max(1, startMs + this.timeoutMs - nowMs);
    return outcomeOfSingle(await this.single(first, leftMs));
  }

  private async single(envelope: Uint8Array, timeoutMs: number): Promise<SendOutcome> {
    const read = this.read(envelope);
    return read.kind === 'event' ? this.calls.ingest(read.event, timeoutMs) : read;
  }

  /** Ends before the first that cannot be read: alone, it will be told why. */
  private front(envelopes: readonly Uint8Array[]): readonly ReadEvent[] {
    const events: ReadEvent[] = [];
    let bytes = 0;
    for (const envelope of envelopes) {
      bytes += envelope.length;
      if (events.length === batchEventsMax || bytes > batchBytesMax) break;
      const read = this.read(envelope);
      if (read.kind !== 'event') break;
      events.push(read.event);
    }
    return events;
  }

  private read(bytes: Uint8Array): EnvelopeRead {
    const { codec } = this.ports;
    const fingerprint = codec.unknownFingerprint(bytes);
    if (fingerprint !== null) {
      return { kind: 'retryable', error: `schema ${fingerprint} is not known here yet` };
    }
    const decoded = codec.decodeEnvelope(bytes);
    if (!decoded.ok) return { kind: 'permanent', error: `unreadable: ${decoded.fault}` };
    return { kind: 'event', event: { bytes, envelope: decoded.value } };
  }
}

type EnvelopeRead =
  | { readonly kind: 'event'; readonly event: ReadEvent }
  | Extract<SendOutcome, { kind: 'retryable' | 'permanent' }>;
