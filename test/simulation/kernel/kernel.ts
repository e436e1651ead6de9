/**
 * The one thread of a simulated run: takes the next event by virtual time (ties broken by the seed),
 * runs it, waits one turn of the event loop, in which every promise that can go on does so, and takes
 * the next. Nothing real is open meanwhile, so that a run follows from its seed alone.
 */
import { VirtualTime } from '../../../src/drivers/memory/virtual-time.ts';
import type { CancelTimer, Timers } from '../../../src/ports/timers.ts';
import type { SimRandom } from './sim-random.ts';
import { TraceHash } from './trace-hash.ts';

/** Wall time at which every run begins: so late on a Sunday that most of them see a week end. */
export const startWallMs = Date.UTC(2023, 10, 19, 23, 59, 40);
/** Events shown when a run has failed. */
const lastEventsKept = 50;
const eventsPerTurn = 64;

/** How a run ended. `deadlock`: nothing is left that could happen, and the run was not over. */
export type KernelEnd = 'done' | 'deadlock' | 'tooManyEvents';

/** A note, or an event that is put into words only when somebody reads it. */
type RememberedEvent =
  string | { readonly step: number; readonly atMs: number; readonly label: number };

/** See the file header. */
export class Kernel {
  readonly time: VirtualTime;
  readonly hash = new TraceHash();
  /** Hears each note as a line. */
  onNote: (line: string) => void = () => undefined;
  private readonly labels: string[] = [];
  private readonly named = new Map<string, Timers>();
  private readonly lastEvents: RememberedEvent[] = [];
  private remembered = 0;
  private label = 0;
  private steps = 0;
  private isOver = false;
  private isFinished = false;
  private failure: unknown = null;

  constructor(ties: SimRandom) {
    this.time = new VirtualTime({ startWallMs, pickTied: (count) => ties.below(count) });
  }

  /** Virtual ms from the start of the run. */
  get nowMs(): number {
    return this.time.monoMs();
  }

  /** The true time of the world, on the scale of wall clocks that are right, with fractions. */
  get trueMs(): number {
    return startWallMs + this.time.monoMs();
  }

  /** Events so far. */
  get step(): number {
    return this.steps;
  }

  /** The newest events, oldest first: number, time and whose it was. */
  get newest(): readonly string[] {
    const from = Math.max(0, this.remembered - lastEventsKept);
    return Array.from({ length: this.remembered - from }, (_, nth) => {
      const event = this.lastEvents[(from + nth) % lastEventsKept];
      if (event === undefined || typeof event === 'string') return event ?? '';
      const { step, atMs, label } = event;
      return `${String(step).padStart(6)} ${atMs.toFixed(2)} ms  ${this.labels[label] ?? ''}`;
    });
  }

  /** Timers whose events carry a name in hash and report; they keep the world's true time. */
  timersOf(name: string): Timers {
    const known = this.named.get(name);
    if (known !== undefined) return known;
    const label = this.labels.push(name) - 1;
    const after = (delayMs: number, run: () => void): CancelTimer =>
      this.time.after(delayMs, () => {
        this.label = label;
        run();
      });
    const timers = { after, sleep: sleeperOn(after) };
    this.named.set(name, timers);
    return timers;
  }

  /** Writes a sentence between the events of the report, and into the hash. */
  note(text: string): void {
    this.hash.text(text);
    const line = `       ${this.nowMs.toFixed(2)} ms  ${text}`;
    this.remember(line);
    this.onNote(line);
  }

  /** Ends the run after this event. */
  end(): void {
    this.isOver = true;
  }

  /** Runs until `end`, or until nothing is left. Rejects with what an event threw. */
  run(eventsMax: number): Promise<KernelEnd> {
    return new Promise((resolve, reject) => {
      const finish = (end: KernelEnd): void => {
        if (this.failure === null) resolve(end);
        else reject(this.failure instanceof Error ? this.failure : new Error('an event threw'));
      };
      // Node empties the queue of promises behind each callback of a turn; going once around the
      // event loop for many events instead of each one spares a look at the sockets that nobody has.
      let waiting = 0;
      const turn = (): void => {
        waiting -= 1;
        if (this.isFinished) return;
        const end = this.takeOne(eventsMax);
        if (end !== null) {
          this.isFinished = true;
          finish(end);
        } else if (waiting === 0) nextTurns();
      };
      const nextTurns = (): void => {
        for (waiting = 0; waiting < eventsPerTurn; waiting += 1) setImmediate(turn);
      };
      nextTurns();
    });
  }

  /** Null: it goes on. */
  private takeOne(eventsMax: number): KernelEnd | null {
    const { time } = this;
    if (this.isOver || this.failure !== null) return 'done';
    if (this.steps >= eventsMax) return 'tooManyEvents';
    if (time.nextDueMs === null) return 'deadlock';
    this.steps += 1;
    try {
      time.step(Number.MAX_VALUE);
    } catch (thrown) {
      this.failure = thrown ?? new Error('an event threw nothing');
    }
    this.hash.number(time.monoMs());
    this.hash.word(this.label);
    this.remember({ step: this.steps, atMs: time.monoMs(), label: this.label });
    return null;
  }

  private remember(line: RememberedEvent): void {
    this.lastEvents[this.remembered % lastEventsKept] = line;
    this.remembered += 1;
  }
}

/** The port's `sleep` over its `after`. */
export function sleeperOn(after: Timers['after']): Timers['sleep'] {
  return (delayMs, signal) => sleepOn(after, delayMs, signal);
}

function sleepOn(after: Timers['after'], delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = after(delayMs, end);
    signal?.addEventListener('abort', end);
  });
}
