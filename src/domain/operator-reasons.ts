/** Part of the catalogue of `reasons.ts`: what only operators are answered. */
import type { ReasonRow } from './reason-row.ts';

/** Refusals of the gateway to operators; all leave the id unused. */
export const operatorReasons = {
  PARTITION_RUNS: {
    status: 'FAILED_PRECONDITION',
    memory: 'none',
    sentence: 'No partition stands still in this way; it may have gone on.',
    advice: 'List the partitions, and accept the state that is shown there.',
  },
  NO_DEAD_LETTER: {
    status: 'NOT_FOUND',
    memory: 'none',
    sentence: 'No dead letter lies at this place, or its bytes could not be kept.',
    advice: 'List the dead letters, and name partition and offset of one that has a record.',
  },
  NODE_UNKNOWN: {
    status: 'NOT_FOUND',
    memory: 'none',
    sentence: 'No living cell has this node id.',
    advice: 'Look at the partitions for the ids of their owners; a node that has ended is drained.',
  },
} as const satisfies Record<string, ReasonRow>;
