/**
 * How one partition stands, by what its owner has in memory: whether it gets on, how far behind it is,
 * and why it stands when it does. A node may be alive and ready while one of its partitions stands still.
 */
import type { Partition } from './partition.ts';

/** One partition that the group gave this node. */
export interface PartitionHealth {
  readonly partition: number;
  /**
   * RUNNING; TAKING_OVER: not ours yet; FENCE_BUSY: somebody holds the owner row; PAUSED: as many
   * records wait as may; else what it stands still for (`standing-partitions.ts`).
   */
  readonly state: string;
  /** Null: not taken over. */
  readonly epoch: bigint | null;
  /** Highest offset such that it and all below are settled; null: not taken over. */
  readonly appliedOffset: bigint | null;
  /** Records that were read and are not settled. */
  readonly queue: number;
  /** Records of the log behind the applied offset, at the last look; null: no look yet. */
  readonly lag: bigint | null;
  /** How long ago it last got on: its applied offset moved, or nothing was there to do. */
  readonly progressAgeMs: number;
}

/** The health of a partition; `owned` and `stop`: undefined where there is none. */
export function healthOf(
  partition: number,
  owned: Partition | undefined,
  stop: string | undefined,
  nowMonoMs: number,
): PartitionHealth {
  if (owned === undefined) {
    const state = stop ?? 'TAKING_OVER';
    return {
      partition,
      state,
      epoch: null,
      appliedOffset: null,
      queue: 0,
      lag: null,
      progressAgeMs: 0,
    };
  }
  const { epoch, offsets, endOffset, progressAtMonoMs } = owned;
  const { appliedOffset, openCount: queue } = offsets;
  const behind = endOffset === null ? null : endOffset - appliedOffset - 1n;
  const lag = behind === null || behind > 0n ? behind : 0n;
  const isDone = queue === 0 && (lag ?? 0n) === 0n;
  const progressAgeMs = isDone ? 0 : Math.round(nowMonoMs - progressAtMonoMs);
  return { partition, state: stateOf(owned), epoch, appliedOffset, queue, lag, progressAgeMs };
}

function stateOf({ held, paused }: Partition): string {
  if (held) return 'FENCE_BUSY';
  return paused ? 'PAUSED' : 'RUNNING';
}
