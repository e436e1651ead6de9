/**
 * When a partition must stand still, and how it goes on after an operator has looked at it. Pure
 * (architecture section 2; cases A3 and DB_REWOUND).
 */
import type { LogRange } from '../../ports/command-source.ts';
import type {
  PartitionStop,
  PartitionStopState,
  StopAcceptance,
  StopResolution,
} from '../../ports/partition-stops.ts';

/** What a new owner knows when it looks at the log. */
export interface LogLook {
  readonly partition: number;
  /** Of the owner row. */
  readonly appliedOffset: bigint;
  /** Hints up to here are known to be ahead; −1n: none was ever. */
  readonly acceptedHint: bigint;
  readonly range: LogRange;
  /** Kafka's committed offset; null: the group has none. */
  readonly committedOffset: bigint | null;
}

/** The stop that a look leads to; null: all is well. */
export function stopOf(look: LogLook): PartitionStop | null {
  const state = stateOf(look);
  return state === null ? null : asStop(look, state);
}

/**
 * What an acceptance means now. Null: it answers another state, which can only be a row of another
 * release; the partition goes on standing.
 */
export function resolutionOf(
  { state, expectedOffset, committedOffset }: PartitionStop,
  { choice, replayUntil }: StopAcceptance,
  { startOffset }: LogRange,
): StopResolution | null {
  const usual = { isRenumbered: false, replayUntil: -1n, acceptedHint: committedOffset };
  switch (`${state}:${choice}` as const) {
    case 'GAP:skip':
      return { ...usual, appliedOffset: startOffset - 1n };
    case 'TOPIC_CHANGED:restart':
      return { ...usual, appliedOffset: startOffset - 1n, isRenumbered: true };
    case 'DB_REWOUND:resume':
      return { ...usual, appliedOffset: expectedOffset - 1n };
    case 'DB_REWOUND:replay':
      return { ...usual, appliedOffset: expectedOffset - 1n, replayUntil };
    default:
      return null;
  }
}

function stateOf(look: LogLook): PartitionStopState | null {
  const { appliedOffset, range, committedOffset, acceptedHint } = look;
  const expectedOffset = appliedOffset + 1n;
  // Records between what we applied and where the log begins are gone for ever.
  if (range.startOffset > expectedOffset) return 'GAP';
  // The log ends below what we applied: another log stands under the topic's name.
  if (range.endOffset < expectedOffset) return 'TOPIC_CHANGED';
  // The hint follows what is stored, so it is never ahead of a database that kept everything. One
  // behind the log's end belongs to an earlier log and says nothing.
  if (committedOffset === null || committedOffset > range.endOffset) return null;
  return committedOffset > expectedOffset && committedOffset > acceptedHint ? 'DB_REWOUND' : null;
}

/** A stop for a reason that the look alone does not show. */
export function asStop(look: LogLook, state: PartitionStopState): PartitionStop {
  return {
    partition: look.partition,
    state,
    expectedOffset: look.appliedOffset + 1n,
    logStartOffset: look.range.startOffset,
    logEndOffset: look.range.endOffset,
    committedOffset: look.committedOffset ?? -1n,
  };
}
