/**
 * Memory twin of the activity client: the same delivery, with a stand-in in this process on the other
 * side of its calls.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { ActivityClient, BatchOutcome } from '../../ports/activity-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SendOutcome } from '../../ports/im-client.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { outcomeOfStatus } from '../activity-answers.ts';
import type { AnsweredStatus } from '../activity-answers.ts';
import { ActivityDelivery } from '../activity-delivery.ts';
import type { ActivityCalls, ReadEvent } from '../activity-delivery.ts';
import type {
  ActivityRefusal,
  ActivityStandIn,
  IngestedEvent,
} from '../delivery-stand-in/activity-stand-in.ts';
import { settleWithin } from '../settle-within.ts';

/** What the twin stands on. */
export interface MemoryActivityContext {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly codec: Codec;
}

/** See the file header. The stand-in outlives it. */
export class MemoryActivityClient implements ActivityClient {
  private readonly delivery: ActivityDelivery;
  private readonly timers: Timers;
  private readonly open = new Set<AbortController>();
  private isStopped = false;

  constructor(standIn: ActivityStandIn, timeoutMs: number, context: MemoryActivityContext) {
    this.timers = context.timers;
    this.delivery = new ActivityDelivery(this.callsOf(standIn), timeoutMs, context);
  }

  ingest(envelope: Uint8Array): Promise<SendOutcome> {
    return this.delivery.ingest(envelope);
  }

  ingestBatch(envelopes: readonly Uint8Array[]): Promise<BatchOutcome> {
    return this.delivery.ingestBatch(envelopes);
  }

  stop(): Promise<void> {
    this.isStopped = true;
    for (const caller of this.open) caller.abort();
    return Promise.resolve();
  }

  private callsOf(standIn: ActivityStandIn): ActivityCalls {
    return {
      ingest: async (event, timeoutMs) => {
        const answer = await this.answered(timeoutMs, (signal) =>
          standIn.ingest(ingested(event), signal),
        );
        if (answer.kind === 'unknown') return answer;
        // A repeat is success too: the event is where it belongs.
        return answer.kind === 'taken' ? { kind: 'done' } : outcomeOfStatus(statusOf(answer));
      },
      ingestBatch: async (events, timeoutMs) => {
        const answer = await this.answered(timeoutMs, (signal) =>
          standIn.ingestBatch(events.map(ingested), signal),
        );
        if (answer.kind === 'unknown') return answer;
        if (answer.kind === 'status') return { kind: 'failed', ...statusOf(answer) };
        const { taken, notTaken } = answer;
        return {
          kind: 'answered',
          taken,
          notTaken: notTaken === null ? null : statusOf(notTaken),
        };
      },
    };
  }

  /** What the call answers in time. */
  private async answered<Answer>(
    timeoutMs: number,
    call: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | UnknownOutcome> {
    if (this.isStopped) return unknownOutcome('the client is stopped');
    const caller = new AbortController();
    this.open.add(caller);
    const settled = await settleWithin(this.timers, call(caller.signal), timeoutMs);
    this.open.delete(caller);
    if (settled.kind === 'done') return settled.value;
    caller.abort();
    return unknownOutcome(
      settled.kind === 'failed' ? settled.error : `no answer in ${timeoutMs} ms`,
    );
  }
}

function ingested({ bytes, envelope }: ReadEvent): IngestedEvent {
  return { ...envelope, envelope: bytes };
}

function statusOf({ status, message, retryAfterMs }: ActivityRefusal): AnsweredStatus {
  return { status, message, retryAfterMs: retryAfterMs ?? null };
}
