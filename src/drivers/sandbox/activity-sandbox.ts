/**
 * A stand-in for the activity service: takes events, deduplicates by (app_code, event_id), records
 * and fails on order. It knows nothing of gRPC; whoever serves it passes requests in.
 */
import type { Timers } from '../../ports/timers.ts';
import type { activityFaultKinds, FaultBoard } from '../fault-board.ts';
import type { ReceivedEvents } from './received-events.ts';

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
      readonly status: 'UNAVAILABLE' | 'FAILED_PRECONDITION';
      readonly message: string;
    };

/** What the stand-in works with. */
export interface ActivitySandboxParts {
  readonly received: ReceivedEvents;
  readonly faults: FaultBoard<(typeof activityFaultKinds)[number]>;
  readonly timers: Timers;
}

/** `slow` without a time of its own waits this long. */
const slowMs = 5_000;

/** Takes one event; see the file header. */
export async function ingestEvent(
  parts: ActivitySandboxParts,
  event: IngestedEvent,
  signal: AbortSignal,
): Promise<ActivityAnswer> {
  const fault = parts.faults.take('ingest');
  if (fault?.kind === 'unavailable') {
    return { kind: 'status', status: 'UNAVAILABLE', message: 'ordered by the sandbox' };
  }
  if (fault?.kind === 'refuse') {
    return { kind: 'status', status: 'FAILED_PRECONDITION', message: 'ordered by the sandbox' };
  }
  if (fault?.kind === 'slow') await parts.timers.sleep(fault.delayMs ?? slowMs, signal);
  const duplicate = parts.received.has(event.appCode, event.eventId);
  parts.received.record(
    {
      appCode: event.appCode,
      roomId: event.roomId,
      eventId: event.eventId,
      eventType: event.eventType,
      roomVersion: String(event.roomVersion),
      eventIndex: event.eventIndex,
      bytes: event.envelope,
    },
    duplicate ? 'deduplicated' : 'taken',
  );
  // To the caller this looks like a connection that was cut after the event was stored.
  if (fault?.kind === 'applied_then_cut') {
    return { kind: 'status', status: 'UNAVAILABLE', message: 'cut after it was applied' };
  }
  return { kind: 'taken', duplicate };
}
