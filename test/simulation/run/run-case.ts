/**
 * One simulated run from its case to its verdict: warm-up, storm, heal, settle, check. Single-threaded
 * and alone in its process while it lasts.
 */
import type { Log } from '../../../src/ports/log.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';
import type { CheckerFactory, Violation } from '../checkers/checker.ts';
import { ClientNetwork } from '../clients/caller.ts';
import { commandIdsOf, SimClient } from '../clients/sim-client.ts';
import { Kernel } from '../kernel/kernel.ts';
import { banRealWorld } from '../kernel/real-world-ban.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import type { CallAsk, Observation } from '../observations.ts';
import { warmUpMs } from '../plan/sim-options.ts';
import type { SimCase } from '../plan/sim-case.ts';
import { silentLog, writingLog } from '../world/sim-log.ts';
import { dismissRobots, operateRobots, staying } from '../world/robot-operator.ts';
import { enterBehindJoins } from '../world/rtc-rooms.ts';
import { World } from '../world/world.ts';
import { lookAfterFailedRows } from './failed-rows.ts';
import { FaultMaker } from './fault-maker.ts';
import { lateBoards, rebuildAll } from './late-boards.ts';
import { lateList } from './late-list.ts';
import { onlooker, probeAll } from './probes.ts';
import { LagWatch, unfinishedWork } from './progress.ts';
import { Watchers } from './watchers.ts';
import { countTables, countWorldFacts } from './world-facts.ts';

/** A broken promise, and when it was seen. */
export interface SeenViolation extends Violation {
  readonly step: number;
  readonly atMs: number;
  readonly lastEvents: readonly string[];
}

/** What a run was. */
export interface RunResult {
  readonly hash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly violations: readonly SeenViolation[];
  /** Calls of commands that were answered with a result. */
  readonly acked: number;
  /** Counters of the product and of the faults that happened, by name. */
  readonly counts: ReadonlyMap<string, number>;
  /** For a report. */
  readonly world: World;
  readonly history: readonly Observation[];
}

/** How to run a case. */
export interface RunSettings {
  readonly checkers: readonly CheckerFactory[];
  /** Takes each line of the processes' logs and what the kernel notes, for people. Default: nobody. */
  readonly write?: (line: string) => void;
}

const eventsMax = 400_000;
const settleMaxMs = 120_000;
const settlePollMs = 250;
/** Passes of retention behind the time for which rows are kept. */
const retireMs = 15_000;
const violationsMax = 20;

/** Runs the case; never rejects for what the product does. */
export async function runCase(simCase: SimCase, settings: RunSettings): Promise<RunResult> {
  const run = new Run(simCase, settings);
  const giveBack = banRealWorld();
  const { stackTraceLimit } = Error;
  // Refusals are values here and many; who looks at one run wants to know where they come from.
  if (settings.write === undefined) Error.stackTraceLimit = 0;
  const onFault = (fault: unknown): void => run.fault(fault);
  process.on('unhandledRejection', onFault);
  process.on('uncaughtException', onFault);
  try {
    return await run.toEnd();
  } finally {
    process.off('unhandledRejection', onFault);
    process.off('uncaughtException', onFault);
    giveBack();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Run {
  private readonly simCase: SimCase;
  private readonly kernel: Kernel;
  private readonly world: World;
  private readonly checkers;
  private readonly faults: FaultMaker;
  private readonly lag: LagWatch;
  private readonly violations: SeenViolation[] = [];
  private readonly history: Observation[] = [];
  private readonly network: ClientNetwork;
  private readonly asks = new Map<number, CallAsk>();
  private readonly clients: readonly SimClient[];
  private readonly watchers: Watchers;
  private acked = 0;
  private areBoardsRebuilt = false;

  constructor(simCase: SimCase, settings: RunSettings) {
    this.simCase = simCase;
    const { options } = simCase;
    this.kernel = new Kernel(new SimRandom(options.seed, 'ties'));
    this.world = new World(this.kernel, options, this.logTo(settings.write));
    this.world.watch((observation) => this.note(observation));
    const judged = this.world.judged();
    this.checkers = settings.checkers.map((make) =>
      make(judged, (violation) => this.report(violation)),
    );
    for (const checker of this.checkers) {
      if (checker.observe !== undefined) this.world.watch((seen) => checker.observe?.(seen));
    }
    countWorldFacts(this.world);
    enterBehindJoins(this.world);
    this.lag = new LagWatch(this.world);
    this.faults = new FaultMaker(this.world);
    this.network = new ClientNetwork(this.world);
    this.world.onLook = (roomKey) => void onlooker(this.network, roomKey);
    this.clients = this.makeClients();
    this.watchers = new Watchers(this.world, simCase.workload.watches ?? []);
  }

  async toEnd(): Promise<RunResult> {
    const { kernel, world } = this;
    const { stormMs, upgrade } = this.simCase.options;
    const timers = kernel.timersOf('run');
    this.phase('warmUp');
    if (upgrade !== undefined) {
      world.setLevel(upgrade.from);
      timers.after(upgrade.raisedAtMs, () => world.setLevel(schemaLevel));
    }
    operateRobots(world);
    world.startAll();
    for (const client of this.clients) {
      timers.after(warmUpMs / 2, () => void client.run());
    }
    this.watchers.begin();
    lookAfterFailedRows(world);
    timers.after(warmUpMs, () => {
      this.phase('storm');
      this.faults.begin(this.simCase.faults, this.simCase.firings);
    });
    timers.after(warmUpMs + stormMs, () => this.heal());
    try {
      const end = await kernel.run(eventsMax);
      if (end === 'deadlock') this.report(progress('INV-31', 'nothing is left that could happen'));
      if (end === 'tooManyEvents') this.report(progress('INV-32', `more than ${eventsMax} events`));
    } catch (thrown) {
      this.fault(thrown);
    }
    countTables(world);
    return {
      hash: kernel.hash.digest,
      steps: kernel.step,
      virtualMs: kernel.nowMs,
      violations: this.violations,
      acked: this.acked,
      counts: new Map([...world.metrics.counts, ...this.faults.counts]),
      world,
      history: this.history,
    };
  }

  /** Something was thrown that nobody caught: a process of the product would have ended by it. */
  fault(thrown: unknown): void {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.report({ invariant: 'INV-35', text: `nobody caught: ${text}`, room: null });
  }

  private heal(): void {
    const { world } = this;
    this.phase('heal');
    this.faults.end();
    world.startAll();
    dismissRobots(world);
    for (const client of this.clients) client.close();
    this.phase('settle');
    const untilMs = this.kernel.nowMs + settleMaxMs;
    this.waitForRest(untilMs, () => {
      void Promise.all([this.probe(), this.rebuildBoards()]).then(() => {
        // Deadlines of rooms have gone on meanwhile: what they made must have arrived, too.
        this.waitForRest(untilMs, () => this.retire());
      });
    });
  }

  private waitForRest(untilMs: number, then: () => void): void {
    this.kernel.timersOf('run').after(settlePollMs, () => {
      const talking = this.clients.find((client) => !client.done);
      const left =
        talking === undefined
          ? unfinishedWork(this.world)
          : `${talking.name} has ${talking.newestTry}`;
      const late = left === null ? this.late() : null;
      if (left === null && late === null) return then();
      const standstill = this.lag.look();
      if (standstill !== null) {
        this.report(progress('INV-32', standstill));
        return this.kernel.end();
      }
      if (this.kernel.nowMs < untilMs) return this.waitForRest(untilMs, then);
      const [invariant, text] = late ?? ['INV-31', left];
      this.report(progress(invariant, `${settleMaxMs} ms after the last fault: ${text}`));
      this.kernel.end();
    });
  }

  /** What comes behind the commits and has not come yet: which promise it is, and what is missing. */
  private late(): readonly [string, string] | null {
    const untold = this.watchers.untold();
    if (untold !== null) return ['INV-44', untold];
    const unlisted = lateList(this.world);
    if (unlisted !== null) return ['INV-46', unlisted];
    const robot = staying(this.world);
    if (robot !== null) return ['INV-51', `${robot}, where robots are wanted no more`];
    const misplaced = this.areBoardsRebuilt ? lateBoards(this.world) : null;
    return misplaced === null ? null : ['INV-50', misplaced];
  }

  /** As an operator does: what came behind no commit, or was flushed, comes with that. */
  private async rebuildBoards(): Promise<void> {
    await rebuildAll(this.world);
    this.areBoardsRebuilt = true;
  }

  private async probe(): Promise<void> {
    const unanswered = await probeAll(this.world, this.network);
    if (unanswered !== null) this.report(progress('INV-31', unanswered));
  }

  /**
   * Everything grows old, and leaves. Then every cell begins anew, and every room is asked for: what
   * is left must lead to it. Clients are done: their ids are promised no longer than rows are kept.
   */
  private retire(): void {
    const { world } = this;
    const keepMs = this.simCase.options.retentionKeepMs;
    if (keepMs === undefined) return this.check();
    this.kernel.timersOf('run').after(keepMs + retireMs, () => {
      for (const pod of world.podsOf('cell')) {
        pod.kill(true);
        world.startLater(pod);
      }
      this.waitForRest(this.kernel.nowMs + settleMaxMs, () => {
        const rooms = [...world.database.rooms.keys()];
        void Promise.all(rooms.map((roomKey) => onlooker(this.network, roomKey))).then(() => {
          this.waitForRest(this.kernel.nowMs + settleMaxMs, () => this.check());
        });
      });
    });
  }

  /** In the event that found everything at rest: nothing can have begun since. */
  private check(): void {
    this.phase('check');
    for (const checker of this.checkers) checker.atEnd?.();
    this.kernel.end();
  }

  private makeClients(): readonly SimClient[] {
    const { kernel, network } = this;
    const { workload, options } = this.simCase;
    const { clients } = workload;
    const commandIds = commandIdsOf(workload);
    const pauses = new SimRandom(options.seed, 'client pauses');
    return clients.map((_, index) => {
      const context = {
        clients,
        timers: kernel.timersOf('client'),
        nowMs: () => kernel.nowMs,
        wallMs: () => kernel.trueMs,
        send: (...call: Parameters<typeof network.send>) => network.send(...call),
        retryPauseMs: (tries: number) => (50 + 250 * pauses.fraction()) * Math.min(tries + 1, 8),
        commandIdOf: (nth: number) => commandIds.get(nth) ?? `c${nth}`,
        commandOf: (nth: number) => this.asks.get(nth) ?? null,
        remember: (nth: number, ask: CallAsk) => void this.asks.set(nth, ask),
        moment: (nth: number) => this.world.moments.nth(nth),
      };
      const calls = workload.calls.filter(({ client }) => client === index);
      return new SimClient(context, index, calls);
    });
  }

  private logTo(write: RunSettings['write']): Log {
    if (write === undefined) return silentLog;
    this.kernel.onNote = (line) => write(line);
    return writingLog((line) => write(`${this.kernel.nowMs.toFixed(2)} ms  ${line}`));
  }

  private phase(phase: Extract<Observation, { kind: 'phase' }>['phase']): void {
    this.kernel.note(`phase ${phase}`);
    this.world.observe({ kind: 'phase', atMs: this.kernel.trueMs, phase });
  }

  private note(observation: Observation): void {
    if (observation.kind === 'answered') {
      const { call, end } = observation;
      this.kernel.hash.word(call.callId);
      this.kernel.hash.text(end.kind);
      if (end.kind === 'ok') this.acked += 1;
      this.history.push(observation);
    } else if (observation.kind === 'appended') {
      this.kernel.hash.number(Number(observation.offset));
    } else if (observation.kind === 'pod' || observation.kind === 'fault') {
      this.history.push(observation);
    }
  }

  private report(violation: Violation): void {
    if (this.violations.length >= violationsMax) return;
    const { step, nowMs: atMs, newest } = this.kernel;
    this.violations.push({ ...violation, step, atMs, lastEvents: newest });
  }
}

function progress(invariant: string, text: string): Violation {
  return { invariant, text, room: null };
}
