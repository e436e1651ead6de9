/**
 * A run on real processes from its options to its verdict: deployment, load, cycles, settle, record,
 * judges. The faults repeat with the seed; what comes of them does not.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedWorld, Violation } from '../../simulation/checkers/checker.ts';
import { History } from '../clients/history.ts';
import { Load } from '../clients/load.ts';
import { Probes } from '../clients/probes.ts';
import { Deployment } from '../deployment/deployment.ts';
import type { FaultGround } from '../faults/fault-ground.ts';
import { letThemBeTrue, letThemLie } from '../faults/lying-wallet.ts';
import { judgeRecord } from '../judge/judge-record.ts';
import { scheduleOf, type PlannedFault } from '../plan/schedule.ts';
import { collect } from '../record/collect.ts';
import { DatabaseView } from '../record/database-view.ts';
import { OwnerWatch } from '../record/owner-watch.ts';
import { belowFloors, lastLine, lossesOf, type RunCounts } from './counts.ts';
import { playCycle } from './cycle.ts';
import { explain, type CycleMark } from './report.ts';
import { partitionCount, type ChaosOptions } from './run-options.ts';
import { settle } from './settle.ts';

/** Longest wait for the first answers of a deployment that has just started. */
const openingLimitMs = 60_000;

/** Runs it; resolves with the exit code. `say` takes lines for people, the last line last. */
export async function runChaos(
  options: ChaosOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const folder = options.out ?? join('.roomcell', `chaos-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const run = new Run(options, folder, say, signal);
  const code = await run.toEnd();
  if (code === 0 && options.out === null) rmSync(folder, { recursive: true, force: true });
  return code;
}

class Run {
  private readonly options: ChaosOptions;
  private readonly folder: string;
  private readonly say: (line: string) => void;
  private readonly signal: AbortSignal;
  private readonly history = new History();
  private readonly violations: Violation[] = [];
  private readonly marks: CycleMark[] = [];
  private world: CheckedWorld | null = null;
  private cycles = 0;
  private inFlight = 0;
  private takeovers = 0;

  constructor(
    options: ChaosOptions,
    folder: string,
    say: (line: string) => void,
    signal: AbortSignal,
  ) {
    this.options = options;
    this.folder = folder;
    this.say = say;
    this.signal = signal;
  }

  async toEnd(): Promise<number> {
    const { seed, cycles } = this.options;
    this.say(`chaos: seed ${seed}, ${cycles} cycles; logs in ${this.folder}`);
    const { signal } = this;
    const deployment = await Deployment.open({
      logFolder: this.folder,
      signal,
      ...(this.options.programRoot === null ? {} : { programRoot: this.options.programRoot }),
    });
    const view = new DatabaseView(deployment.fleet.space.mysql);
    const watch = new OwnerWatch(view);
    try {
      await this.play(deployment, view, watch);
    } finally {
      await watch.stop();
      await view.close().catch(() => undefined);
      await deployment.close();
    }
    return this.verdict();
  }

  private async play(deployment: Deployment, view: DatabaseView, watch: OwnerWatch): Promise<void> {
    const { history, options } = this;
    const load = new Load(deployment, history, options.seed);
    const ground: FaultGround = { deployment, history, watch, found: (text) => this.found(text) };
    watch.start();
    try {
      await unlessAborted(this.signal, this.allCycles(ground, view, load));
    } catch (error) {
      this.report('INV-31', error instanceof Error ? error.message : String(error));
      load.abandon();
      // Tables are read one behind the other: a row that moved meanwhile would look like a fork.
      await deployment.kill();
      await deployment.heal();
    }
    this.takeovers = watch.takeovers;
    if (this.signal.aborted) return;
    const startedAtMs = performance.now();
    const record = await collect(deployment, view, watch, history);
    const { violations, world } = judgeRecord(record);
    this.violations.push(...violations);
    this.world = world;
    this.say(
      `judged ${record.tables.log.length} rows of the log, ${record.arrivals.length} arrivals and ` +
        `${history.observations.length} words of clients in ${seconds(performance.now() - startedAtMs)}`,
    );
  }

  private async allCycles(ground: FaultGround, view: DatabaseView, load: Load): Promise<void> {
    const { seed, cycles, troupes } = this.options;
    const probes = new Probes(load, partitionCount);
    await probes.open(openingLimitMs);
    await letThemLie(ground.deployment.fleet);
    load.start(troupes);
    for (const fault of scheduleOf(seed, cycles)) await this.cycle(ground, probes, fault);
    await letThemBeTrue(ground.deployment.fleet);
    await settle(ground, view, load);
  }

  private async cycle(ground: FaultGround, probes: Probes, fault: PlannedFault): Promise<void> {
    const { history, options } = this;
    const before = history.acked;
    this.marks.push({ cycle: fault.cycle, text: fault.kind, atMs: Date.now() });
    const { inFlight, befell, effectMs, progressMs } = await playCycle(
      ground,
      probes,
      fault,
      before + options.ackedBetween,
    );
    this.cycles += 1;
    this.inFlight += inFlight;
    this.say(
      `cycle ${fault.cycle}/${options.cycles} ${fault.kind} (${befell}): ${inFlight} in flight, ` +
        `effect and repair ${seconds(effectMs)}, progress ${seconds(progressMs)}, ` +
        `acked ${history.acked} (+${history.acked - before}), unknown ${history.unknown}`,
    );
  }

  private found(text: string): void {
    this.say(`found: ${text}`);
    this.report('LIFE', text);
  }

  private report(invariant: string, text: string): void {
    this.violations.push({ invariant, text, room: null });
  }

  private verdict(): number {
    const { violations, history, folder, options, world, marks } = this;
    const counts: RunCounts = {
      cycles: this.cycles,
      acked: history.acked,
      takeovers: this.takeovers,
      unknown: history.unknown,
      inFlight: this.inFlight,
    };
    const short = belowFloors({ ...counts, cycles: options.cycles });
    if (violations.length > 0) {
      const { observations } = history;
      const broken = { seed: options.seed, folder, violations, world, marks };
      for (const line of explain({ ...broken, history: observations })) this.say(line);
    }
    for (const line of short) this.say(`under its floor: ${line} (INV-37)`);
    const last = lastLine(counts, lossesOf(violations));
    writeFileSync(join(folder, 'result.txt'), `${last}\n`);
    this.say(last);
    return violations.length === 0 && short.length === 0 ? 0 : 1;
  }
}

/** What is still under way ends with the deployment that it stands on. */
function unlessAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(new Error('the run was interrupted'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  return Promise.race([work, aborted]);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
