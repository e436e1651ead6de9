/**
 * Memory twin of the activity client: the same reading of an envelope and the same sorting of
 * answers, with a stand-in in this process on the other side.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { ActivityClient } from '../../ports/activity-client.ts';
import type { SendOutcome } from '../../ports/im-client.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import type { ActivityAnswer, ActivityStandIn } from '../delivery-stand-in/activity-stand-in.ts';
import { settleWithin } from '../settle-within.ts';

const throttlePauseMs = 1_000;

/** See the file header. The stand-in outlives it. */
export class MemoryActivityClient implements ActivityClient {
  private readonly standIn: ActivityStandIn;
  private readonly timeoutMs: number;
  private readonly context: { readonly timers: Timers; readonly codec: Codec };
  private readonly open = new Set<AbortController>();
  private isStopped = false;

  constructor(
    standIn: ActivityStandIn,
    timeoutMs: number,
    context: { readonly timers: Timers; readonly codec: Codec },
  ) {
    this.standIn = standIn;
    this.timeoutMs = timeoutMs;
    this.context = context;
  }

  async ingest(envelope: Uint8Array): Promise<SendOutcome> {
    const { codec, timers } = this.context;
    const fingerprint = codec.unknownFingerprint(envelope);
    if (fingerprint !== null) {
      return { kind: 'retryable', error: `schema ${fingerprint} is not known here yet` };
    }
    const decoded = codec.decodeEnvelope(envelope);
    if (!decoded.ok) return { kind: 'permanent', error: `unreadable: ${decoded.fault}` };
    if (this.isStopped) return unknownOutcome('the client is stopped');
    const caller = new AbortController();
    this.open.add(caller);
    const answering = this.standIn.ingest({ ...decoded.value, envelope }, caller.signal);
    const settled = await settleWithin(timers, answering, this.timeoutMs);
    this.open.delete(caller);
    if (settled.kind === 'done') return sorted(settled.value);
    caller.abort();
    const cause = settled.kind === 'failed' ? settled.error : `no answer in ${this.timeoutMs} ms`;
    return unknownOutcome(cause);
  }

  stop(): Promise<void> {
    this.isStopped = true;
    for (const caller of this.open) caller.abort();
    return Promise.resolve();
  }
}

function sorted(answer: ActivityAnswer): SendOutcome {
  // A repeat is success too: the event is where it belongs.
  if (answer.kind === 'taken') return { kind: 'done' };
  const error = `${answer.status} ${answer.message}`;
  switch (answer.status) {
    case 'UNAVAILABLE':
      return unknownOutcome(error);
    case 'FAILED_PRECONDITION':
      return { kind: 'permanent', error };
    case 'RESOURCE_EXHAUSTED':
      return { kind: 'throttled', error, retryAfterMs: answer.retryAfterMs ?? throttlePauseMs };
  }
}
