/**
 * Makes full passes over the list: each puts every active room of an app into the cache, looks again
 * at rooms that the cache lists and the pass did not meet, and declares the copy ready. Made as soon
 * as a copy is not ready (a flush, a restart without data), and now and then to put right what got
 * lost between a COMMIT and its copy. Of all processes one makes them; another one takes over when
 * it falls silent.
 */
import type { AppCode } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { listPageSizeMax, type ListCursor } from '../ports/room-queries.ts';
import type { CancelTimer, Timers } from '../ports/timers.ts';
import { copyRooms, type CopyPorts } from './copy-rooms.ts';
import { OutageLines } from './outage-lines.ts';

/** What it stands on. */
export interface ListRefresherPorts extends CopyPorts {
  readonly clock: Pick<Clock, 'monoMs'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Times in ms. */
export interface ListRefresherOptions {
  /** Name of this process among those that may make passes. */
  readonly holder: string;
  /** How often it is looked whether a copy is not ready. */
  readonly lookIntervalMs: number;
  /** Between two passes over an app whose copy is ready. */
  readonly passIntervalMs: number;
}

/** Silence, in looks, after which another process makes the passes. */
const claimLooks = 5;
/** A copy stays ready without a further pass for so many intervals; then pages come from MySQL. */
const readyPasses = 4;
/** Rounds of looking at rooms that a pass left behind, before it counts as failed. */
const leftBehindRoundsMax = 1_000;

/** See the file header. */
export class ListRefresher {
  private readonly ports: ListRefresherPorts;
  private readonly options: ListRefresherOptions;
  private readonly passedAtMs = new Map<AppCode, number>();
  private cancelLook: CancelTimer | null = null;
  private running: Promise<void> | null = null;
  private stopped = false;
  private readonly outage: OutageLines;

  constructor(ports: ListRefresherPorts, options: ListRefresherOptions) {
    this.ports = ports;
    this.options = options;
    this.outage = new OutageLines(ports.log, {
      begun: 'the list cache is not refreshed',
      over: 'the list cache is refreshed again',
    });
  }

  /** Begins to look; the first look is at once. */
  start(): void {
    if (this.stopped || this.running !== null) return;
    this.cancelLook = null;
    this.running = this.look().finally(() => {
      this.running = null;
      if (this.stopped) return;
      this.cancelLook = this.ports.timers.after(this.options.lookIntervalMs, () => this.start());
    });
  }

  /** Resolves when nothing is under way. A pass ends at its next page. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelLook?.();
    await this.running;
  }

  private async look(): Promise<void> {
    try {
      if (!(await this.claim())) return;
      const apps = await this.ports.queries.listedApps();
      for (const appCode of apps) await this.refreshIfDue(appCode);
      for (const known of [...this.passedAtMs.keys()]) {
        if (!apps.includes(known)) this.passedAtMs.delete(known);
      }
      this.outage.note(null);
    } catch (error) {
      if (error instanceof Failure && error.kind === 'retry') {
        this.outage.note({ cause: error.message });
      } else this.ports.log.error({ error }, 'the list cache cannot be refreshed');
    }
  }

  private async refreshIfDue(appCode: AppCode): Promise<void> {
    const { cache, clock, metrics } = this.ports;
    if (this.stopped) return;
    const passedAtMs = this.passedAtMs.get(appCode) ?? -Infinity;
    const isDue = clock.monoMs() - passedAtMs >= this.options.passIntervalMs;
    // Unreachable: a pass would end at once, and the next look asks again.
    if (!isDue && (await cache.isReady(appCode)) !== false) return;
    const startedMs = clock.monoMs();
    const outcome = await this.pass(appCode);
    metrics.count('projection_list_passes_total', { outcome });
    if (outcome !== 'ready') return;
    metrics.observeMs('projection_list_pass_ms', clock.monoMs() - startedMs);
    this.passedAtMs.set(appCode, startedMs);
  }

  private async pass(appCode: AppCode): Promise<'ready' | 'too_late' | 'unreachable' | 'given_up'> {
    const { cache, queries } = this.ports;
    const begun = await cache.stamp(appCode);
    if (begun === null) return 'unreachable';
    let after: ListCursor | null = null;
    do {
      const stamp = await cache.stamp(appCode);
      if (stamp === null) return 'unreachable';
      const all = { appCode, visibleRegionId: null, mode: null, tag: null };
      const page: Awaited<ReturnType<typeof queries.listRooms>> = await queries.listRooms({
        ...all,
        after,
        pageSize: listPageSizeMax,
      });
      const rooms = page.entries.map((entry) => ({ roomId: entry.roomId, entry }));
      const outcome = await cache.put(appCode, stamp, rooms);
      if (outcome !== 'stored') return outcome;
      after = page.next;
      // A long pass: the others must see that it goes on.
      if (this.stopped || !(await this.claim())) return 'given_up';
    } while (after !== null);
    return this.endPass(appCode, begun);
  }

  /**
   * A room that moved up the list between two pages was not met, and one that ended without a copy
   * is still listed: MySQL says which of them it is.
   */
  private async endPass(
    appCode: AppCode,
    begun: NonNullable<Awaited<ReturnType<CopyPorts['cache']['stamp']>>>,
  ): Promise<'ready' | 'too_late' | 'unreachable' | 'given_up'> {
    const readyForMs = this.options.passIntervalMs * readyPasses;
    for (let round = 0; round < leftBehindRoundsMax; round += 1) {
      const end = await this.ports.cache.endPass(appCode, begun, readyForMs);
      if (end.kind !== 'left_behind') return end.kind;
      const outcome = await copyRooms(this.ports, appCode, end.roomIds);
      if (outcome !== 'stored') return outcome;
      if (this.stopped) return 'given_up';
    }
    return 'given_up';
  }

  private claim(): Promise<boolean> {
    const { holder, lookIntervalMs } = this.options;
    return this.ports.cache.claimPasses(holder, lookIntervalMs * claimLooks);
  }
}
