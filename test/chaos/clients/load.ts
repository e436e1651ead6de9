/** Keeps so many troupes playing, one behind the other, and sends their calls to the gateways. */
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';
import { fleetApp } from '../../e2e/support/fleet.ts';
import type { Sender } from '../../simulation/clients/sim-client.ts';
import type { CallAsk, CallEnd } from '../../simulation/observations.ts';
import type { PlannedCall } from '../../simulation/plan/planned-call.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { History } from './history.ts';
import { Troupe } from './troupe.ts';
import { callOver } from './wire-calls.ts';

/** Of reads and heartbeats, which name no time themselves. */
const readTimeoutMs = 2_000;
/** Troupes of one run have seeds of their own. */
const troupesPerSeed = 100_000;

/** Longer than any run: a token that ends within one would look like a service that answers nobody. */
const tokenMs = 24 * 3_600_000;

/** See the file header. */
export class Load {
  private readonly deployment: Deployment;
  private readonly history: History;
  private readonly seed: number;
  private readonly onStage = new Set<Troupe>();
  private readonly lines: Promise<void>[] = [];
  private readonly tokens = new Map<string, Promise<string>>();
  private troupes = 0;
  private isEnding = false;
  private isAbandoned = false;

  constructor(deployment: Deployment, history: History, seed: number) {
    this.deployment = deployment;
    this.history = history;
    this.seed = seed;
  }

  /** Sets so many troupes playing at the same time. */
  start(troupes: number): void {
    for (let line = 0; line < troupes; line += 1) {
      const playing = this.playOn();
      // Whoever waits for the end hears of it; until then nobody does.
      playing.catch(() => undefined);
      this.lines.push(playing);
    }
  }

  /** Begins nothing more; resolves when every command has its answer. Rejects after `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.isEnding = true;
    for (const troupe of this.onStage) troupe.close();
    const late = new AbortController();
    const tooLate = createSystemTimers()
      .sleep(limitMs, late.signal)
      .then(() => 'late' as const);
    const end = await Promise.race([Promise.all(this.lines), tooLate]);
    late.abort();
    if (end !== 'late') return;
    const open = [...this.onStage].flatMap(({ unanswered }) => unanswered ?? []);
    throw new Error(`${limitMs} ms after the last fault without an answer: ${open.join('; ')}`);
  }

  /**
   * Ends the load of a run that went wrong: nobody gets an answer any more. Callers that never give
   * up would otherwise ask a deployment that is gone for ever, and keep the process from its end.
   */
  abandon(): void {
    this.isEnding = true;
    this.isAbandoned = true;
  }

  /** One call through one of the gateways. */
  async send(
    from: Sender,
    gateway: number,
    ask: CallAsk,
    role: PlannedCall['role'],
  ): Promise<CallEnd> {
    const gateways = this.deployment.podsOf('gateway');
    const pod = gateways[gateway % gateways.length];
    const client = pod?.client ?? null;
    if (pod === undefined || client === null) throw new Error('no gateway was ever started');
    const token = await this.tokenOf(from.userId, role);
    const call = this.history.sent(from.name, pod.name, ask);
    const timeoutMs = ask.kind === 'command' ? ask.ttlMs : readTimeoutMs;
    const end = await callOver(client, ask, { timeoutMs, token });
    if (this.isAbandoned) return new Promise(() => undefined);
    this.history.ended(call, end);
    return end;
  }

  private async playOn(): Promise<void> {
    while (!this.isEnding) {
      this.troupes += 1;
      const nth = this.troupes;
      const troupe = new Troupe(fleetApp, this.seed * troupesPerSeed + nth, nth, (...call) =>
        this.send(...call),
      );
      this.onStage.add(troupe);
      await troupe.play();
      this.onStage.delete(troupe);
    }
  }

  private tokenOf(userId: string, role: PlannedCall['role']): Promise<string> {
    const name = `${role} ${userId}`;
    const { fleet } = this.deployment;
    const known = this.tokens.get(name) ?? fleet.token(userId, role, { validMs: tokenMs });
    this.tokens.set(name, known);
    return known;
  }
}
