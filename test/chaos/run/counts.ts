/** What a run counted, the floors under it, and its last line (INV-37: an empty run proves nothing). */
import type { Violation } from '../../simulation/checkers/checker.ts';

/** See the file header. */
export interface RunCounts {
  readonly cycles: number;
  /** Calls of commands that were answered with a result of their own or a repeated one. */
  readonly acked: number;
  /** Epochs of all partitions, beyond those of the start. */
  readonly takeovers: number;
  /** Calls whose client could not know. */
  readonly unknown: number;
  /** Calls under way when a fault struck, over all cycles. */
  readonly inFlight: number;
}

/** Broken promises by what they mean to a caller. */
export interface Losses {
  /** Answered, and not stored as answered (INV-1, 4, 14). */
  readonly lost: number;
  /** One command or one payment twice (INV-2, 11, 22). */
  readonly doubled: number;
  /** Two histories of one room, or two writers of one partition (INV-5, 8, 10, 12). */
  readonly forked: number;
  /** Everything else that a judge reported. */
  readonly others: number;
}

const families: Readonly<Record<string, keyof Losses>> = {
  ...{ 'INV-1': 'lost', 'INV-4': 'lost', 'INV-14': 'lost' },
  ...{ 'INV-2': 'doubled', 'INV-11': 'doubled', 'INV-22': 'doubled' },
  ...{ 'INV-5': 'forked', 'INV-8': 'forked', 'INV-10': 'forked', 'INV-12': 'forked' },
};

/** Sorts the reports of the judges. */
export function lossesOf(violations: readonly Pick<Violation, 'invariant'>[]): Losses {
  const losses = { lost: 0, doubled: 0, forked: 0, others: 0 };
  for (const { invariant } of violations) losses[families[invariant] ?? 'others'] += 1;
  return losses;
}

/** Per cycle; every run of so many cycles must have at least so much, rounded down. */
const floors: Readonly<Record<'acked' | 'takeovers' | 'unknown' | 'inFlight', number>> = {
  acked: 200,
  takeovers: 2,
  unknown: 1,
  inFlight: 1,
};
const names = { acked: 'acked', takeovers: 'takeovers', unknown: 'unknown', inFlight: 'in-flight' };

/** A sentence for each count that stays under its floor. */
export function belowFloors(counts: RunCounts): readonly string[] {
  return (Object.keys(floors) as (keyof typeof floors)[]).flatMap((name) => {
    const floor = Math.floor(floors[name] * counts.cycles);
    const count = counts[name];
    return count >= floor
      ? []
      : [`${names[name]}: ${count}, and ${counts.cycles} cycles must have at least ${floor}`];
  });
}

/** The line that ends every run. */
export function lastLine(counts: RunCounts, { lost, doubled, forked }: Losses): string {
  const { cycles, acked, takeovers, unknown, inFlight } = counts;
  return (
    `cycles ${cycles}, acked ${acked}, takeovers ${takeovers}, unknown ${unknown}, ` +
    `in-flight-at-fault ${inFlight}, lost ${lost}, doubled ${doubled}, forked ${forked}`
  );
}
