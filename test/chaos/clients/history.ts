/**
 * What the clients of a run did and were told, and what was done to the processes: one list in the
 * order in which it happened, by this machine's clock, as the judges read it.
 */
import type { CallAsk, CallEnd, Observation, SentCall } from '../../simulation/observations.ts';

/** See the file header. */
export class History {
  readonly observations: Observation[] = [];
  private calls = 0;
  private readonly open = new Set<number>();
  private ackedCount = 0;
  private unknownCount = 0;

  /** Calls of commands that were answered with a result. */
  get acked(): number {
    return this.ackedCount;
  }

  get unknown(): number {
    return this.unknownCount;
  }

  /** Calls of commands that have no end yet. */
  get inFlight(): number {
    return this.open.size;
  }

  /** A call leaves its client. Hand the answer to `ended`. */
  sent(client: string, gateway: string, ask: CallAsk): SentCall {
    this.calls += 1;
    const atMs = Date.now();
    const call = { callId: this.calls, client, gateway, sentAtMs: atMs, ask };
    this.observations.push({ kind: 'sent', atMs, call });
    if (ask.kind === 'command') this.open.add(call.callId);
    return call;
  }

  /** A call has come to its end for its client. */
  ended(call: SentCall, end: CallEnd): void {
    this.open.delete(call.callId);
    if (call.ask.kind === 'command') {
      if (end.kind === 'ok') this.ackedCount += 1;
      if (end.kind === 'unknown') this.unknownCount += 1;
    }
    this.observations.push({ kind: 'answered', atMs: Date.now(), call, end });
  }

  /** A fault, in words whose first the judges know. */
  fault(text: string): void {
    this.observations.push({ kind: 'fault', atMs: Date.now(), text });
  }

  /** Something has become of a process. */
  pod(pod: string, incarnation: string, what: Extract<Observation, { kind: 'pod' }>['what']): void {
    this.observations.push({ kind: 'pod', atMs: Date.now(), pod, incarnation, what });
  }
}
