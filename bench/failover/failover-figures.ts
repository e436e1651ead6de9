/** What a run of fail-overs gave, and the table that people read. */
import { percentile } from '../figures.ts';
import { row } from '../table-cells.ts';

/** How long rooms had no owner that answers, in ms. */
export interface Gap {
  readonly rounds: number;
  readonly rooms: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly worstMs: number;
}

/** What callers saw of an owner that stopped in good order. */
export interface PlannedStop extends Gap {
  readonly calls: number;
  /** Calls that needed their retry. */
  readonly retried: number;
  /** Calls that failed again at their retry. */
  readonly failed: number;
}

/** What became of owners that froze in the midst of a transaction. */
export interface FrozenOwner extends Gap {
  /** Rounds in which the late COMMIT of the old owner changed nothing. */
  readonly refused: number;
}

/** How much moves when a node leaves or joins, summed over the rounds. */
export interface Moved {
  readonly rounds: number;
  /** Partitions that have another owner afterwards. */
  readonly moved: number;
  /** Partitions of the node that left or joined: no fewer could move. */
  readonly share: number;
}

/** Everything that was measured in one run. */
export interface FailoverResult {
  readonly at: string;
  readonly node: string;
  readonly cpus: number;
  readonly stack: string;
  readonly sessionTimeoutMs: number;
  readonly partitions: number;
  /** Killed, and not started again until all was measured. */
  readonly killed: Gap;
  /** Killed, and started again at once under its name, as a cluster does it. */
  readonly restarted: Gap;
  readonly stopped: PlannedStop;
  readonly frozen: FrozenOwner;
  readonly leaves: Moved;
  readonly joins: Moved;
}

/** Figures of the times that single rooms waited. */
export function gapOf(rounds: number, waitedMs: readonly number[]): Gap {
  const sorted = [...waitedMs].sort((one, other) => one - other);
  return {
    rounds,
    rooms: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    worstMs: percentile(sorted, 1),
  };
}

/** Two of several rounds. */
export function sumOf(rounds: readonly Moved[]): Moved {
  const zero: Moved = { rounds: 0, moved: 0, share: 0 };
  return rounds.reduce(
    (sum, one) => ({
      rounds: sum.rounds + one.rounds,
      moved: sum.moved + one.moved,
      share: sum.share + one.share,
    }),
    zero,
  );
}

/** The tables in Markdown. */
export function failoverTables(result: FailoverResult): string {
  const { killed, restarted, stopped, frozen, leaves, joins, sessionTimeoutMs } = result;
  const gap = (what: string, { rounds, rooms, p50Ms, p95Ms, worstMs }: Gap, more: string): string =>
    row(what, rounds, rooms, Math.round(p50Ms), Math.round(p95Ms), Math.round(worstMs), more);
  const moved = (what: string, { rounds, moved: all, share }: Moved): string =>
    row(what, rounds, all, share, share === 0 ? '–' : (all / share).toFixed(2));
  return [
    `Session time-out ${sessionTimeoutMs} ms, ${result.partitions} partitions, three cells`,
    '',
    '| An owner is | rounds | rooms | p50 ms | p95 ms | worst ms | beside |',
    '|---|--:|--:|--:|--:|--:|---|',
    gap('killed', killed, ''),
    gap('killed, and started at once', restarted, ''),
    gap('frozen', frozen, `${frozen.refused} of ${frozen.rounds} late writes refused`),
    gap(
      'stopped in good order',
      stopped,
      `${stopped.calls} calls, ${stopped.retried} retried, ${stopped.failed} failed again`,
    ),
    '',
    '| One node of three | rounds | partitions moved | its share | moved / share |',
    '|---|--:|--:|--:|--:|',
    moved('leaves', leaves),
    moved('joins', joins),
  ].join('\n');
}

/** Sentences about what must never be, however slow the machine is. */
export function failoverFaults({ stopped, frozen }: FailoverResult): readonly string[] {
  return [
    ...(frozen.refused < frozen.rounds
      ? [`${frozen.rounds - frozen.refused} late writes of frozen owners were not refused`]
      : []),
    ...(stopped.failed > 0 ? [`${stopped.failed} calls failed again at their retry`] : []),
  ];
}
