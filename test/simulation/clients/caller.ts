/**
 * The network between clients and gateways: carries calls there and answers back, each with its own
 * latency, and gives up for the client when its time is over. Tells who sent and got what.
 */
import type { CallFrame, Caller } from '../../../src/ports/room-api.ts';
import type { CallAsk, CallEnd, SentCall } from '../observations.ts';
import type { PlannedCall } from '../plan/planned-call.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import { endOfFailure, invoke } from './client-call.ts';
import type { Sender } from './sim-client.ts';

/** What a client waits beyond the time that it named, for the answer's way back. */
const graceMs = 200;
/** Of reads and heartbeats. */
const readTtlMs = 2_000;

/** See the file header. */
export class ClientNetwork {
  private readonly world: World;
  private calls = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** One call; resolves with its end for the client. */
  send(
    from: Sender,
    gatewayChoice: number,
    ask: CallAsk,
    role: PlannedCall['role'],
  ): Promise<CallEnd> {
    const { kernel, latency } = this.world;
    const gateways = this.world.podsOf('gateway');
    const pod = gateways[gatewayChoice % gateways.length] as Pod;
    this.calls += 1;
    const call: SentCall = {
      callId: this.calls,
      client: from.name,
      gateway: pod.name,
      sentAtMs: kernel.trueMs,
      ask,
    };
    this.world.observe({ kind: 'sent', atMs: kernel.trueMs, call });
    const timers = kernel.timersOf(from.name);
    const ttlMs = ask.kind === 'command' ? ask.ttlMs : readTtlMs;
    return new Promise((resolve) => {
      const hangUp = new AbortController();
      let isOver = false;
      const finish = (end: CallEnd): void => {
        if (isOver) return;
        isOver = true;
        cancelDeadline();
        this.world.observe({ kind: 'answered', atMs: kernel.trueMs, call, end });
        resolve(end);
      };
      const cancelDeadline = timers.after(ttlMs + graceMs, () => {
        pod.enter(() => hangUp.abort());
        finish({ kind: 'unknown', reason: 'the client gave up' });
      });
      timers.after(latency.drawMs(), () => {
        if (isOver) return;
        const caller: Caller = { appCode: appOf(ask), subject: from.userId, role };
        const frame = { caller, authFault: '', remainingMs: ttlMs, signal: hangUp.signal };
        void this.ended(pod, frame, ask).then((end) => {
          timers.after(latency.drawMs(), () => finish(end));
        });
      });
    });
  }

  private async ended(pod: Pod, frame: CallFrame, ask: CallAsk): Promise<CallEnd> {
    const outcome = await pod.call((api) => invoke(api, frame, ask));
    switch (outcome.kind) {
      case 'refused':
        return { kind: 'notSent', reason: 'connection refused' };
      case 'cut':
        return { kind: 'unknown', reason: 'connection cut' };
      case 'value':
        return outcome.value;
      case 'error':
        return endOfFailure(outcome.error);
    }
  }
}

function appOf(ask: CallAsk): string {
  if ('meta' in ask) return ask.meta.appCode;
  return ask.kind === 'rtcEvent' ? ask.event.appCode : ask.appCode;
}
