/**
 * Sends the started rows of one run in order and stops at the first that fails. What it answers is
 * the finish of the run; it writes nothing itself.
 */
import type { RoomEventType } from '../domain/room/events.ts';
import { eventRoutes } from '../domain/events/destinations.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../ports/clock.ts';
import type { IncomingEvent } from '../ports/event-source.ts';
import type { SendOutcome } from '../ports/im-client.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RunFinish, StartedRow } from '../ports/outbox-store.ts';
import type { Random } from '../ports/random.ts';
import type { EventEnvelope } from '../protocol/records.ts';
import type { AdapterOptions } from './adapter-options.ts';
import type { ConfirmedEvents } from './confirmed-events.ts';
import type { EventSender } from './event-sender.ts';
import type { OutageWatch } from './outage-watch.ts';
import type { ReadEnvelope } from './read-envelope.ts';

/** What sending stands on. */
export interface SendContext {
  readonly sender: EventSender;
  readonly readEnvelope: ReadEnvelope;
  readonly confirmed: ConfirmedEvents;
  readonly outage: OutageWatch;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly options: AdapterOptions;
}

/** One row that may be sent, with its record. */
export interface StartedEvent {
  readonly row: StartedRow;
  readonly event: IncomingEvent;
}

type Sent =
  | { readonly kind: 'delivered' | 'superseded' }
  | { readonly kind: 'failed'; readonly failure: RowFailure };

type RowFailure = Pick<
  Extract<RunFinish, { kind: 'failed' }>,
  'error' | 'permanent' | 'countsAsTry' | 'nextRetryAtMs'
>;

/**
 * `untilMonoMs`: no send begins after this time, since it could outlive the lock; the rows then go
 * back without a counted try.
 */
export async function sendRun(
  context: SendContext,
  started: readonly StartedEvent[],
  untilMonoMs: number,
): Promise<RunFinish> {
  const delivered: bigint[] = [];
  const superseded: bigint[] = [];
  for (const item of started) {
    const sent =
      context.clock.monoMs() > untilMonoMs
        ? outOfTime(context.clock)
        : await sendRow(context, item);
    if (sent.kind === 'failed') {
      return {
        kind: 'failed',
        deliveredRowIds: delivered,
        supersededRowIds: superseded,
        failedRowId: item.row.rowId,
        maxRetryCount: context.options.maxRetryCount,
        ...sent.failure,
      };
    }
    delivered.push(item.row.rowId);
    if (sent.kind === 'superseded') superseded.push(item.row.rowId);
  }
  return { kind: 'delivered', rowIds: delivered, supersededRowIds: superseded };
}

async function sendRow(context: SendContext, { row, event }: StartedEvent): Promise<Sent> {
  const { sender, confirmed, clock, metrics } = context;
  const { destination } = sender;
  const reading = await context.readEnvelope(event.envelope);
  if (reading.kind === 'unreadable') return permanent(reading.cause, clock);
  if (reading.kind === 'later') return laterTry(context, row, reading.cause, true);
  const { envelope } = reading;
  if (confirmed.has(envelope.appCode, envelope.eventId)) {
    metrics.count('adapter_repeats_total', { destination });
    return { kind: 'delivered' };
  }
  if (isSuperseded(row, envelope, clock)) {
    metrics.count('adapter_superseded_total', { destination });
    return { kind: 'superseded' };
  }
  const startedMs = clock.monoMs();
  const outcome = await sender.send({ envelope, envelopeBytes: event.envelope });
  metrics.observeMs('adapter_send_ms', clock.monoMs() - startedMs, { destination });
  metrics.count('adapter_sends_total', { destination, outcome: outcome.kind });
  watchOutage(context, event, outcome);
  if (outcome.kind !== 'done') return failed(context, row, outcome);
  confirmed.add(envelope.appCode, envelope.eventId);
  return { kind: 'delivered' };
}

/** The birth and the end of a room are told however late, whatever the row says. */
function isSuperseded(row: StartedRow, envelope: EventEnvelope, clock: Clock): boolean {
  if (row.usefulUntilMs === null || clock.wallMs() <= row.usefulUntilMs) return false;
  if (!Object.hasOwn(eventRoutes, envelope.eventType)) return true;
  return eventRoutes[envelope.eventType as RoomEventType].repairedBySnapshot;
}

/** A refusal is an answer too: the destination is there. A throttle says nothing either way. */
function watchOutage(context: SendContext, event: IncomingEvent, outcome: SendOutcome): void {
  const { outage, log, sender } = context;
  const facts = { destination: sender.destination };
  if (outcome.kind === 'done' || outcome.kind === 'permanent') {
    if (outage.succeeded()) log.info(facts, 'the destination takes events again');
  } else if (outcome.kind !== 'throttled' && outage.failed(event.roomKey)) {
    const error = outcome.kind === 'unknown' ? outcome.cause : outcome.error;
    log.warn({ ...facts, error }, 'the destination takes no events; tries are not counted');
  }
}

function failed(
  context: SendContext,
  row: StartedRow,
  outcome: Exclude<SendOutcome, { kind: 'done' }>,
): Sent {
  const { outage, clock, random } = context;
  if (outcome.kind === 'permanent') return permanent(outcome.error, clock);
  if (outcome.kind === 'throttled') {
    // Jitter upwards only: the destination asked for at least this long.
    const share = 1 + random.fraction('throttled event') / 2;
    const nextRetryAtMs = clock.wallMs() + Math.ceil(outcome.retryAfterMs * share);
    return failure({ error: outcome.error, permanent: false, countsAsTry: false, nextRetryAtMs });
  }
  const error = outcome.kind === 'unknown' ? `no answer: ${outcome.cause}` : outcome.error;
  const restMs = outcome.kind === 'retryable' ? outcome.restMs : undefined;
  return laterTry(context, row, error, !outage.isOutage, restMs);
}

function laterTry(
  context: SendContext,
  row: StartedRow,
  error: string,
  countsAsTry: boolean,
  restMs = 0,
): Sent {
  const { clock, random, options } = context;
  const fraction = random.fraction('retry of an event');
  const pauseMs = backoffMs(options.backoff, row.retryCount + 1, fraction);
  const nextRetryAtMs = clock.wallMs() + Math.max(pauseMs, restMs);
  return failure({ error, permanent: false, countsAsTry, nextRetryAtMs });
}

function permanent(error: string, clock: Clock): Sent {
  return failure({ error, permanent: true, countsAsTry: true, nextRetryAtMs: clock.wallMs() });
}

function outOfTime(clock: Clock): Sent {
  const error = 'not sent: the time of its claim was over';
  return failure({ error, permanent: false, countsAsTry: false, nextRetryAtMs: clock.wallMs() });
}

function failure(row: RowFailure): Sent {
  return { kind: 'failed', failure: row };
}
