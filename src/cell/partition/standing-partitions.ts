/**
 * The partitions that stand still here: what was found is written down for operators, and what they
 * say is carried out. A partition comes back by a new takeover, which looks at the log anew.
 *
 * Race (test "goes on once, although the answer to the operator's word was lost"): the transaction
 * that moves the owner row is stored and its answer is lost. Whether it happened is not asked: the
 * note is gone when it did, and a partition without its note is taken over again, which finds either
 * a log that it can read on or the same fault as before.
 *
 * Race (test "does not stand still for what its successor did while it was frozen"):
 *   1. A takes the partition over and is frozen before it looks at the log.
 *   2. B takes it over, commits, and moves the group's offset on.
 *   3. A thaws, and finds an offset that is ahead of all it knows: to A the database was set back.
 * Closed by noting a stop only under the owner's own row. Whoever may not note it looks anew.
 */
import { Failure } from '../../kernel/failure.ts';
import type { PartitionStop, StoppedPartition } from '../../ports/partition-stops.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';
import { resolutionOf } from './stop-rules.ts';

/** A partition that the layout in MySQL does not have: Kafka's topic has more than it should. */
export const countChanged = 'PARTITION_COUNT_CHANGED';

/** Why a partition stands still while the others run. */
export type StandingState = PartitionStop['state'] | typeof countChanged;

interface Standing {
  readonly stop: PartitionStop;
  /** Of the takeover that found it. */
  readonly epoch: bigint;
  /** Operators can read of it. */
  isNoted: boolean;
}

/** See the file header. */
export class StandingPartitions {
  private readonly context: CellContext;
  private readonly takeAgain: (id: number) => void;
  private readonly standing = new Map<number, Standing>();
  /** Partitions beyond the layout; nobody can accept them, and no room is there. */
  private readonly foreign = new Set<number>();

  /** `takeAgain`: the partition no longer stands; told in a turn of its own. */
  constructor(context: CellContext, takeAgain: (id: number) => void) {
    this.context = context;
    this.takeAgain = takeAgain;
  }

  has(id: number): boolean {
    return this.standing.has(id) || this.foreign.has(id);
  }

  /** By partition. */
  get states(): ReadonlyMap<number, StandingState> {
    const found = [...this.standing].map(([id, { stop }]) => [id, stop.state] as const);
    return new Map<number, StandingState>([
      ...found,
      ...[...this.foreign].map((id) => [id, countChanged] as const),
    ]);
  }

  /** The partition stands from now on. */
  add(stop: PartitionStop, epoch: bigint): void {
    const standing: Standing = { stop, epoch, isNoted: false };
    this.standing.set(stop.partition, standing);
    void this.note(standing);
  }

  /** Kafka assigns a partition that the layout does not have. */
  addForeign(id: number): void {
    if (this.foreign.has(id)) return;
    this.foreign.add(id);
    this.context.metrics.count('cell_partition_stops_total', { state: countChanged });
    this.context.log.error(
      { partition: id, state: countChanged },
      'the commands topic has a partition that the layout does not have; nothing of it is read',
    );
  }

  /** Assigned to somebody else. */
  forget(id: number): void {
    this.standing.delete(id);
    this.foreign.delete(id);
  }

  /**
   * The partition runs under `epoch`: what was noted of it before counts no more. Best effort; a note
   * that stays names an epoch that is over.
   */
  async runs(partition: number, epoch: bigint): Promise<void> {
    const { stops, options, log } = this.context;
    try {
      await stops.clear({ partition, epoch, incarnation: options.incarnation });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      log.debug({ partition, error: error.message }, 'the note of a stop could not be taken away');
    }
  }

  /** Reads what operators have said, and does it. An outage changes nothing: the next look comes. */
  async look(): Promise<void> {
    const noted = [...this.standing.values()].filter(({ isNoted }) => isNoted);
    if (noted.length === 0) return;
    try {
      const rows = await this.context.stops.read();
      for (const standing of noted) await this.judge(standing, rows);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      this.context.log.debug({ error: error.message }, 'the stops are unread');
    }
  }

  private async judge(standing: Standing, rows: readonly StoppedPartition[]): Promise<void> {
    const { stop, epoch } = standing;
    const row = rows.find(({ partition }) => partition === stop.partition);
    const isOurs = row?.epoch === epoch;
    if (isOurs && (row.acceptance === null || !(await this.carryOut(standing, row)))) return;
    if (this.standing.get(stop.partition) !== standing) return;
    this.standing.delete(stop.partition);
    this.takeAgain(stop.partition);
  }

  /** False: nothing can be done with what was said. */
  private async carryOut({ stop, epoch }: Standing, row: StoppedPartition): Promise<boolean> {
    const { source, stops, clock, log, options, metrics } = this.context;
    const { partition, state } = stop;
    const { acceptance } = row;
    if (acceptance === null) return false;
    const resolution = resolutionOf(stop, acceptance, await source.logRange(partition));
    if (resolution === null) return false;
    const owner = { partition, epoch, incarnation: options.incarnation };
    if (await stops.resolve(owner, resolution, clock.wallMs())) {
      metrics.count('cell_partition_stops_accepted_total', { state });
      const { choice, operatorId } = acceptance;
      log.warn(
        { partition, state, choice, operatorId, ...resolution },
        'goes on as an operator said',
      );
    }
    return true;
  }

  private async note(standing: Standing): Promise<void> {
    const { stops, options, clock } = this.context;
    const { stop, epoch } = standing;
    const { incarnation, nodeId: ownerNodeId } = options;
    const isWanted = (): boolean => this.standing.get(stop.partition) === standing;
    const isNoted = await retryForever(this.context, 'note a stop', isWanted, () =>
      stops.note({ ...stop, epoch, incarnation, ownerNodeId }, clock.wallMs()),
    );
    if (isNoted === null || !isWanted()) return;
    if (!isNoted) {
      this.standing.delete(stop.partition);
      this.takeAgain(stop.partition);
      return;
    }
    standing.isNoted = true;
    const { state } = stop;
    this.context.metrics.count('cell_partition_stops_total', { state });
    this.context.log.error({ ...stop, epoch }, 'a partition stands still');
  }
}
