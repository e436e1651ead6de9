/**
 * Sends the started rows of one run in order and stops at the first that fails. What it answers is
 * the finish of the run; it writes nothing itself. Rows that go to their destination together are
 * from the front of the run, and each ends as it would have ended alone.
 */
import { assert } from '../kernel/assert.ts';
import type { BatchOutcome } from '../ports/activity-client.ts';
import type { SendOutcome } from '../ports/im-client.ts';
import type { RunFinish } from '../ports/outbox-store.ts';
import type { EventSender, OutgoingEvent } from './event-sender.ts';
import { keepReadings, lookAtRow } from './look-at-row.ts';
import { failureOf, outOfTime } from './row-failure.ts';
import type { RowFailure } from './row-failure.ts';
import type { SendContext, StartedEvent } from './send-context.ts';

/** What one step did with the rows that were left: so many from the front ended, the next one failed. */
interface Step {
  readonly ended: number;
  readonly areSuperseded: boolean;
  readonly failure: RowFailure | null;
}

/**
 * `untilMonoMs`: no send begins after this time, since it could outlive the lock; the rows then go
 * back without a counted try.
 */
export async function sendRun(
  base: SendContext,
  started: readonly StartedEvent[],
  untilMonoMs: number,
): Promise<RunFinish> {
  const context = { ...base, readEnvelope: keepReadings(base.readEnvelope) };
  const delivered: bigint[] = [];
  const superseded: bigint[] = [];
  for (let left = started; left.length > 0;) {
    const step = await nextStep(context, left, untilMonoMs);
    const rowIds = left.slice(0, step.ended).map(({ row }) => row.rowId);
    delivered.push(...rowIds);
    if (step.areSuperseded) superseded.push(...rowIds);
    left = left.slice(step.ended);
    const [failed] = left;
    if (step.failure !== null && failed !== undefined) {
      return {
        kind: 'failed',
        deliveredRowIds: delivered,
        supersededRowIds: superseded,
        failedRowId: failed.row.rowId,
        maxRetryCount: context.options.maxRetryCount,
        ...step.failure,
      };
    }
  }
  return { kind: 'delivered', rowIds: delivered, supersededRowIds: superseded };
}

/** Ends one row at least, or says why the first one failed. */
async function nextStep(
  context: SendContext,
  left: readonly StartedEvent[],
  untilMonoMs: number,
): Promise<Step> {
  const { clock, metrics, sender } = context;
  const [first] = left;
  assert(first !== undefined, 'a step needs a row');
  if (clock.monoMs() > untilMonoMs) return failedAt(0, outOfTime(clock));
  const look = await lookAtRow(context, first);
  const labels = { destination: sender.destination };
  switch (look.kind) {
    case 'failed':
      return failedAt(0, look.failure);
    case 'confirmed':
      metrics.count('adapter_repeats_total', labels);
      return { ended: 1, areSuperseded: false, failure: null };
    case 'superseded':
      metrics.count('adapter_superseded_total', labels);
      return { ended: 1, areSuperseded: true, failure: null };
    case 'send': {
      const front = [look.event, ...(await gather(context, left))];
      // Again, for envelopes may have had to wait for their schemas.
      if (clock.monoMs() > untilMonoMs) return failedAt(0, outOfTime(clock));
      return sendFront(context, left, front);
    }
  }
}

/**
 * The events right behind the first that may go with it. None where events go alone: at a destination
 * that takes no batches; while it seems to be away, when one event is enough to find out; and of rows
 * that were tried before.
 *
 * Race (a batch that is too slow): 1. a batch takes longer than its deadline, and nobody hears what was
 * taken; 2. its first row fails, with a counted try; 3. the same batch is sent again, and so on, until a
 * row is given up that its destination would have taken. [A] A row with a try behind it goes alone: it
 * is delivered or fails by itself. Test: "a row that was tried before goes alone".
 */
async function gather(
  context: SendContext,
  left: readonly StartedEvent[],
): Promise<readonly OutgoingEvent[]> {
  const { sender, outage } = context;
  if (sender.sendBatch === undefined || outage.isOutage || isTried(left[0])) return [];
  const events: OutgoingEvent[] = [];
  for (const item of left.slice(1)) {
    if (isTried(item)) break; // [A]
    const look = await lookAtRow(context, item);
    if (look.kind !== 'send') break;
    events.push(look.event);
  }
  return events;
}

function isTried(item: StartedEvent | undefined): boolean {
  return item !== undefined && item.row.retryCount > 0;
}

async function sendFront(
  context: SendContext,
  left: readonly StartedEvent[],
  front: readonly OutgoingEvent[],
): Promise<Step> {
  const { sender, confirmed, clock, metrics } = context;
  const labels = { destination: sender.destination };
  const startedMs = clock.monoMs();
  const { sent, taken, next } = await call(sender, front);
  metrics.observeMs('adapter_send_ms', clock.monoMs() - startedMs, labels);
  assert(sent > 0 && sent <= front.length, 'a sender sends one of its events, and no other');
  assert(next === null ? taken === sent : taken < sent, 'a sender says why it stopped');
  if (sent > 1) metrics.count('adapter_batches_total', { ...labels, taken: howMuch(taken, sent) });
  if (taken > 0) {
    metrics.count('adapter_sends_total', { ...labels, outcome: 'done' }, taken);
    watchOutage(context, left[0], { kind: 'done' });
  }
  for (const { envelope } of front.slice(0, taken)) {
    confirmed.add(envelope.appCode, envelope.eventId);
  }
  const failed = left[taken];
  if (next === null || failed === undefined) {
    return { ended: taken, areSuperseded: false, failure: null };
  }
  metrics.count('adapter_sends_total', { ...labels, outcome: next.kind });
  watchOutage(context, failed, next);
  return failedAt(taken, failureOf(context, failed.row, next));
}

async function call(sender: EventSender, front: readonly OutgoingEvent[]): Promise<BatchOutcome> {
  const [first] = front;
  assert(first !== undefined, 'a call needs an event');
  if (front.length > 1 && sender.sendBatch !== undefined) return sender.sendBatch(front);
  const outcome = await sender.send(first);
  if (outcome.kind === 'done') return { sent: 1, taken: 1, next: null };
  return { sent: 1, taken: 0, next: outcome };
}

function howMuch(taken: number, sent: number): 'all' | 'front' | 'none' {
  if (taken === sent) return 'all';
  return taken > 0 ? 'front' : 'none';
}

function failedAt(ended: number, failure: RowFailure): Step {
  return { ended, areSuperseded: false, failure };
}

/** A refusal is an answer too: the destination is there. A throttle says nothing either way. */
function watchOutage(
  context: SendContext,
  item: StartedEvent | undefined,
  outcome: SendOutcome,
): void {
  const { outage, log, sender } = context;
  const facts = { destination: sender.destination };
  if (outcome.kind === 'done' || outcome.kind === 'permanent') {
    if (outage.succeeded()) log.info(facts, 'the destination takes events again');
  } else if (outcome.kind !== 'throttled' && item !== undefined) {
    if (!outage.failed(item.event.roomKey)) return;
    const error = outcome.kind === 'unknown' ? outcome.cause : outcome.error;
    log.warn({ ...facts, error }, 'the destination takes no events; tries are not counted');
  }
}
