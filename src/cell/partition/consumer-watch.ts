/**
 * Whether the consumer still gets on, judged by each partition's progress and by nothing that the
 * client says of itself: a consumer that has died in silence is a member, has its sockets open, and
 * delivers nothing (issue 659 and others of kafkajs). Then the process ends, and a new one begins.
 *
 * A look counts only while the brokers answer it, so their outage is nobody's death; and looks are
 * counted, not time, so that a process which was frozen does not find itself dead when it thaws.
 */
import { Failure } from '../../kernel/failure.ts';
import type { CellContext } from '../cell-context.ts';
import { healthOf } from './partition-health.ts';
import type { Partition } from './partition.ts';

interface SilentLooks {
  readonly deliveredOffset: bigint;
  readonly looks: number;
}

/** See the file header. */
export class ConsumerWatch {
  private readonly context: CellContext;
  private readonly partitions: { all(): IterableIterator<Partition> };
  private readonly onDead: (failure: Failure) => void;
  private readonly silent = new Map<Partition, SilentLooks>();

  /** `onDead` is told once: the process must end with a non-zero code. */
  constructor(
    context: CellContext,
    partitions: ConsumerWatch['partitions'],
    onDead: (failure: Failure) => void,
  ) {
    this.context = context;
    this.partitions = partitions;
    this.onDead = onDead;
  }

  /** One look at every partition of this node. */
  async look(): Promise<void> {
    const owned = [...this.partitions.all()];
    for (const partition of this.silent.keys()) {
      if (!partition.active) this.silent.delete(partition);
    }
    await Promise.all(owned.map((partition) => this.lookAt(partition)));
    this.tell(owned);
  }

  private async lookAt(partition: Partition): Promise<void> {
    try {
      const { endOffset } = await this.context.source.logRange(partition.id);
      partition.endOffset = endOffset;
      if (partition.active) this.judge(partition, endOffset);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      this.silent.delete(partition);
    }
  }

  private judge(partition: Partition, endOffset: bigint): void {
    const { deliveredOffset } = partition.offsets;
    const isWaiting = endOffset > deliveredOffset + 1n && !partition.paused;
    if (!isWaiting) {
      this.silent.delete(partition);
      return;
    }
    const before = this.silent.get(partition);
    const isSilent = before?.deliveredOffset === deliveredOffset;
    const looks = isSilent ? before.looks + 1 : 0;
    this.silent.set(partition, { deliveredOffset, looks });
    const { consumerSilentAfterMs, offsetFlushMs } = this.context.options;
    if (looks < consumerSilentAfterMs / offsetFlushMs) return;
    this.silent.clear();
    const { id } = partition;
    this.context.log.error(
      { partition: id, deliveredOffset, endOffset, looks },
      'the consumer is silent: records wait in the log and none is delivered',
    );
    const facts = { partition: String(id), delivered_offset: String(deliveredOffset) };
    this.onDead(new Failure('corrupt', 'INTERNAL', 'the consumer is silent', { facts }));
  }

  private tell(owned: readonly Partition[]): void {
    const nowMonoMs = this.context.clock.monoMs();
    for (const partition of owned) {
      if (!partition.active) continue;
      partition.noteProgress(nowMonoMs);
      tellPartition(this.context, partition, nowMonoMs);
    }
  }
}

/** Shows a partition in the metrics; a lost one as one that has nothing to do. */
export function tellPartition(
  { metrics }: Pick<CellContext, 'metrics'>,
  partition: Partition,
  nowMonoMs: number,
): void {
  const { id, active } = partition;
  const labels = { partition: String(id) };
  const owned = active ? partition : undefined;
  const { queue, lag, progressAgeMs } = healthOf(id, owned, undefined, nowMonoMs);
  metrics.gauge('cell_partition_owned', active ? 1 : 0, labels);
  metrics.gauge('cell_partition_queue', queue, labels);
  metrics.gauge('cell_partition_lag', Number(lag ?? 0n), labels);
  metrics.gauge('cell_partition_progress_age_ms', progressAgeMs, labels);
}
