/** Many seeds on several processes: shares them out, adds up what they saw, and says so while it lasts. */
import { fork, type ChildProcess } from 'node:child_process';
import { addCounts, floorsFromSeeds, missedFloors, sumOf } from '../run/sometimes.ts';
import { runSeed, violationLine, type SeedSummary } from './seed-summary.ts';

/** Seeds from the first to the last, both included. */
export interface SeedRange {
  readonly first: number;
  readonly last: number;
}

/** What came of a batch. */
export interface BatchResult {
  readonly seeds: number;
  readonly acked: number;
  readonly violations: number;
  /** Events of all kernels, and the virtual time that passed in them. */
  readonly events: number;
  readonly virtualMs: number;
  /** Names of the floors that were missed; none are asked of small batches. */
  readonly missed: readonly string[];
  /** Exactly in the form that scripts read. */
  readonly lastLine: string;
}

const seedsPerShare = 5;
const progressEverySeeds = 50;
/**
 * A run makes much that dies within a few events; with Node's small nursery (MiB) a good part of it
 * is copied first, which costs a tenth of the time.
 */
const nodeOptions = ['--max-semi-space-size=64'];

/** Runs them; `workerFile` is a script that calls `serveSeeds`. */
export async function runBatch(
  range: SeedRange,
  workers: { readonly file: string; readonly args: readonly string[]; readonly count: number },
  say: (line: string) => void,
): Promise<BatchResult> {
  const book = new BatchBook(range, say);
  let next = range.first;
  const takeShare = (): number[] => {
    const until = Math.min(next + seedsPerShare, range.last + 1);
    const share = Array.from({ length: until - next }, (_, at) => next + at);
    next = until;
    return share;
  };
  await Promise.all(
    Array.from({ length: workers.count }, () => {
      const child = fork(workers.file, [...workers.args], {
        execArgv: [...process.execArgv, ...nodeOptions],
      });
      return served(child, takeShare, (summary) => book.add(summary));
    }),
  );
  return book.result();
}

/** The sums of a batch, in the form that scripts read. */
export function lastLineOf(sums: {
  readonly seeds: number;
  readonly acked: number;
  readonly violations: number;
  readonly counts: ReadonlyMap<string, number>;
}): string {
  const { seeds, acked, violations, counts } = sums;
  const parts = [
    `seeds ${seeds}`,
    `acked ${acked}`,
    `takeovers ${sumOf(counts, 'cell_takeovers_total')}`,
    `unknown-applied ${sumOf(counts, 'cell_unknown_commits_total|committed')}`,
    `unknown-absent ${sumOf(counts, 'cell_unknown_commits_total|absent')}`,
    `violations ${violations}`,
  ];
  return parts.join(', ');
}

/** The other side: takes shares of seeds from the parent until it hangs up. */
export function serveSeeds(): void {
  process.on('message', (seeds: readonly number[]) => {
    void (async () => {
      for (const seed of seeds) process.send?.(await runSeed(seed));
    })();
  });
}

function served(
  child: ChildProcess,
  takeShare: () => number[],
  onSummary: (summary: SeedSummary) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let open = 0;
    const giveShare = (): void => {
      const share = takeShare();
      open = share.length;
      if (open === 0) child.disconnect();
      else child.send(share);
    };
    child.on('message', (summary: SeedSummary) => {
      onSummary(summary);
      open -= 1;
      if (open === 0) giveShare();
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (open === 0 && code === 0) resolve();
      else reject(new Error(`a process ended with code ${code} before its ${open} seeds`));
    });
    giveShare();
  });
}

class BatchBook {
  private readonly range: SeedRange;
  private readonly say: (line: string) => void;
  private readonly counts = new Map<string, number>();
  private seeds = 0;
  private acked = 0;
  private violations = 0;
  private events = 0;
  private virtualMs = 0;

  constructor(range: SeedRange, say: (line: string) => void) {
    this.range = range;
    this.say = say;
  }

  add(summary: SeedSummary): void {
    this.seeds += 1;
    this.acked += summary.acked;
    this.events += summary.steps;
    this.virtualMs += summary.virtualMs;
    this.violations += summary.violations.length;
    addCounts(this.counts, summary.counts);
    if (summary.violations.length > 0) this.say(violationLine(summary));
    const all = this.range.last - this.range.first + 1;
    if (this.seeds % progressEverySeeds === 0 && this.seeds < all) {
      this.say(`${this.seeds} of ${all} seeds, ${this.violations} violations`);
    }
  }

  result(): BatchResult {
    const { seeds, acked, violations, counts, events, virtualMs } = this;
    const missed = seeds >= floorsFromSeeds ? missedFloors(counts) : [];
    const lastLine = lastLineOf({ seeds, acked, violations, counts });
    return { seeds, acked, violations, events, virtualMs, missed, lastLine };
  }
}
