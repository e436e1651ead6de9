/**
 * Partitions that stand still, kept in MySQL: what their owners found, and what an operator said about
 * it. A partition stands as long as its world has changed under it and nobody has decided what that
 * means; the others go on. Operators accept through `OperatorStore`, with the audit.
 */
import type { UserId } from '../domain/ids.ts';

/**
 * GAP: records between what is applied and where the log begins are gone. TOPIC_CHANGED: the log is
 * another one than the one that was applied. DB_REWOUND: Kafka knows of more than the database, which
 * was set back.
 */
export type PartitionStopState = 'GAP' | 'TOPIC_CHANGED' | 'DB_REWOUND';

/**
 * What an operator may say. `skip`: go on at the log's start, the records between are lost.
 * `restart`: read the log as a new one, from its start. `resume`: go on where the database stands,
 * by the ordinary rules: what has expired is refused. `replay`: up to an offset, records are executed
 * however old they are, and nobody is answered.
 */
export type StopChoice = 'skip' | 'restart' | 'resume' | 'replay';

/** What each state may be answered with. */
export const stopChoices: Readonly<Record<PartitionStopState, readonly StopChoice[]>> = {
  GAP: ['skip'],
  TOPIC_CHANGED: ['restart'],
  DB_REWOUND: ['resume', 'replay'],
};

/** What an owner found. Offsets are those of the moment. */
export interface PartitionStop {
  readonly partition: number;
  readonly state: PartitionStopState;
  /** What comes next by the owner row. */
  readonly expectedOffset: bigint;
  readonly logStartOffset: bigint;
  readonly logEndOffset: bigint;
  /** Kafka's committed offset, the hint; −1n: none. */
  readonly committedOffset: bigint;
}

/** What an operator said. */
export interface StopAcceptance {
  readonly choice: StopChoice;
  /** With `replay`: the last offset that is executed however old it is; else −1n. */
  readonly replayUntil: bigint;
  readonly operatorId: UserId;
  readonly acceptedAtMs: number;
}

/** A partition that stands, as everybody may read it. */
export interface StoppedPartition extends PartitionStop {
  /** Of the owner that found it. */
  readonly epoch: bigint;
  readonly ownerNodeId: string;
  readonly stoppedAtMs: number;
  /** Null: nobody has said anything yet. */
  readonly acceptance: StopAcceptance | null;
}

/** How an owner goes on. */
export interface StopResolution {
  /** What counts as applied from now on. */
  readonly appliedOffset: bigint;
  /** Offsets in older log rows are those of another log, and say nothing about this one. */
  readonly isRenumbered: boolean;
  /** See `StopAcceptance`. */
  readonly replayUntil: bigint;
  /** Hints of Kafka up to here are known to be ahead of the database. */
  readonly acceptedHint: bigint;
}

/** Who asks; an older owner changes nothing. */
export interface StopOwner {
  readonly partition: number;
  readonly epoch: bigint;
  readonly incarnation: string;
}

/** All methods throw a Retry failure when MySQL cannot be reached; all may be repeated. */
export interface PartitionStops {
  /**
   * Writes down what was found. What an operator said stays when the same was found before: the same
   * state at the same expected offset. False, and nothing is changed: whoever found it is no longer the
   * owner, so that it may be the work of its successor.
   */
  note(
    stop: PartitionStop & StopOwner & { readonly ownerNodeId: string },
    nowMs: number,
  ): Promise<boolean>;
  /** All of the commands topic, by partition. */
  read(): Promise<readonly StoppedPartition[]>;
  /**
   * Moves the owner row on and takes the stop away, in one transaction. False, and nothing is
   * changed: the asker is no longer the owner.
   */
  resolve(owner: StopOwner, resolution: StopResolution, nowMs: number): Promise<boolean>;
  /** Takes away a note that is as old as `owner` or older: the partition runs again. */
  clear(owner: StopOwner): Promise<void>;
}

/**
 * The stop of a partition whose owner row has this epoch; null: it does not stand still. A note of an
 * epoch that is over is about to be taken away: its partition runs, or is noted anew.
 */
export function stopUnder(
  stops: readonly StoppedPartition[],
  owner: { readonly partition: number; readonly epoch: bigint },
): StoppedPartition | null {
  const noted = stops.find(({ partition }) => partition === owner.partition);
  return noted?.epoch === owner.epoch ? noted : null;
}
