/**
 * Runs a set of roles in one process, from start to exit code. It starts them in order, watches
 * whether they are ready, and at the end drains and stops them in the opposite order, so that who
 * takes calls from outside stops first (LEASE-21, DRAIN-3).
 */
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Timers } from '../ports/timers.ts';
import { nameTaken } from '../cell/node-watch.ts';
import type { PartitionHealth } from '../cell/partition/partition-health.ts';
import { Failure } from '../kernel/failure.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Readiness, Role, RoleName } from './role.ts';
import { waitForDependency } from './wait-for-dependency.ts';

/** Why the process is to end. */
export type StopCause =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'crashed'; readonly role: RoleName; readonly cause: unknown };

/** What the host runs, and with what. */
export interface RoleHostOptions {
  readonly log: Log;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly drainTimeoutMs: number;
  /** How often it looks whether readiness has changed, for its lines in the log. */
  readonly readinessLookMs: number;
  /** In start order. A role that dies is told by `stop`. */
  readonly roles: readonly Role[];
}

/** See the file header. */
export interface RoleHost {
  /** Ready when every role is, and nothing is stopping. */
  readiness(): Readiness;
  /** How the partitions of its roles stand. */
  partitions(): readonly PartitionHealth[];
  /** Starts the roles and resolves with the exit code when they have stopped. Call it once. */
  run(): Promise<ExitCode>;
  /** Begins the orderly end. Only the first call counts. */
  stop(cause: StopCause): void;
}

type Phase = 'starting' | 'running' | 'stopping';

/** Puts the roles together; nothing runs before `run`. */
export function createRoleHost(options: RoleHostOptions): RoleHost {
  return new Host(options);
}

class Host implements RoleHost {
  private readonly options: RoleHostOptions;
  private readonly stopping = new AbortController();
  private readonly stopCause: Promise<StopCause>;
  private phase: Phase = 'starting';
  private startingRole: RoleName | null = null;
  private waitReason: string | null = null;
  private settleStop: (cause: StopCause) => void = () => undefined;

  constructor(options: RoleHostOptions) {
    this.options = options;
    this.stopCause = new Promise((resolve) => {
      this.settleStop = resolve;
    });
  }

  readiness(): Readiness {
    if (this.phase === 'stopping') return { ready: false, reasons: ['stopping'] };
    if (this.phase === 'starting') return { ready: false, reasons: this.startingReasons() };
    const reasons = this.options.roles.flatMap((role) => {
      const state = role.readiness();
      return state.ready ? [] : state.reasons.map((reason) => `${role.name}: ${reason}`);
    });
    return { ready: reasons.length === 0, reasons };
  }

  partitions(): readonly PartitionHealth[] {
    return this.options.roles.flatMap((role) => role.partitions());
  }

  stop(cause: StopCause): void {
    if (this.phase === 'stopping') {
      // A role that dies while everything stops changes nothing any more; it is still worth a line.
      if (cause.kind === 'crashed') this.logCrash(cause);
      return;
    }
    this.phase = 'stopping';
    if (cause.kind === 'crashed') this.logCrash(cause);
    else this.options.log.info({ signal: cause.signal }, 'stopping');
    this.stopping.abort(new Error('the process is stopping'));
    this.settleStop(cause);
  }

  async run(): Promise<ExitCode> {
    const started = this.startAll();
    const endWatch = this.watchReadiness();
    // 1. Either a start fails for good, or somebody says stop (also in the middle of the start).
    const failure = await Promise.race([
      started.then(
        () => this.stopCause.then(() => null),
        (error: unknown) => ({ error }),
      ),
      this.stopCause.then(() => null),
    ]);
    endWatch();
    const startFailed = failure !== null && !this.stopping.signal.aborted;
    if (startFailed) {
      this.options.log.error({ role: this.startingRole, error: failure.error }, 'a start failed');
      this.phase = 'stopping';
      this.stopping.abort(new Error('a start failed'));
    }
    // 2. Drain and stop, in bounded time.
    const inTime = await this.endAll(startFailed ? 'stop only' : 'drain and stop');
    if (startFailed) return exitCodeOf(failure.error, exitCodes.failed);
    const cause = await this.stopCause;
    if (cause.kind === 'crashed') return exitCodeOf(cause.cause, exitCodes.roleDied);
    return inTime ? exitCodes.ok : exitCodes.failed;
  }

  private async startAll(): Promise<void> {
    for (const role of this.options.roles) {
      if (this.stopping.signal.aborted) return;
      this.startingRole = role.name;
      await waitForDependency(`what role ${role.name} needs`, () => role.start(), {
        log: this.options.log.child({ role: role.name }),
        timers: this.options.timers,
        signal: this.stopping.signal,
        onWaiting: (reason) => {
          this.waitReason = reason;
        },
      });
      if (!this.stopping.signal.aborted) this.options.log.info({ role: role.name }, 'role started');
    }
    this.startingRole = null;
    if (this.phase === 'starting') this.phase = 'running';
  }

  private startingReasons(): readonly string[] {
    const { roles } = this.options;
    const at = roles.findIndex(({ name }) => name === this.startingRole);
    const starting = roles[at];
    if (starting === undefined) return ['starting'];
    const own = this.waitReason === null ? starting.readiness().reasons : [this.waitReason];
    const waiting = roles.slice(at + 1).map(({ name }) => `${name}: not started yet`);
    return [
      ...(own.length === 0 ? ['starting'] : own).map((r) => `${starting.name}: ${r}`),
      ...waiting,
    ];
  }

  /** One line per change of readiness, so that an outage is two lines and not two thousand. */
  private watchReadiness(): () => void {
    let last = '';
    let cancel = (): void => undefined;
    const look = (): void => {
      const { ready, reasons } = this.readiness();
      const now = ready ? 'ready' : reasons.join('; ');
      // A start has lines of its own: what it waits for, and each role that has started.
      const isNews = now !== last && this.phase !== 'starting';
      if (isNews) this.options.log.info({ ready, reasons }, ready ? 'ready' : 'not ready');
      last = now;
      cancel = this.options.timers.after(this.options.readinessLookMs, look);
    };
    look();
    return () => cancel();
  }

  /** Resolves true when every role has drained and stopped within the drain timeout. */
  private async endAll(how: 'drain and stop' | 'stop only'): Promise<boolean> {
    const { log, timers, clock, drainTimeoutMs } = this.options;
    const startedMs = clock.monoMs();
    const order = [...this.options.roles].reverse();
    const pending = { step: '' };
    const work = async (): Promise<'done'> => {
      for (const role of how === 'stop only' ? [] : order) {
        pending.step = `drain of ${role.name}`;
        await this.guarded(pending.step, () => role.drain());
      }
      for (const role of order) {
        pending.step = `stop of ${role.name}`;
        await this.guarded(pending.step, () => role.stop());
      }
      return 'done';
    };
    let cancel = (): void => undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      cancel = timers.after(drainTimeoutMs, () => resolve('timeout'));
    });
    const ended = await Promise.race([work(), timeout]);
    cancel();
    const tookMs = Math.round(clock.monoMs() - startedMs);
    if (ended === 'done') log.info({ took_ms: tookMs }, 'stopped');
    else log.error({ unfinished: pending.step, took_ms: tookMs }, 'drain_timeout exceeded');
    return ended === 'done';
  }

  /** One role's trouble must not keep the others from releasing what they hold. */
  private async guarded(step: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.options.log.error({ step, error }, 'a role did not end cleanly');
    }
  }

  private logCrash({ role, cause }: StopCause & { kind: 'crashed' }): void {
    this.options.log.error({ role, error: cause }, 'a role died');
  }
}

/** A name that is another's has a code of its own: starting the process again helps nothing. */
function exitCodeOf(error: unknown, otherwise: ExitCode): ExitCode {
  const isTaken = error instanceof Failure && error.reason === nameTaken;
  return isTaken ? exitCodes.nameTaken : otherwise;
}
