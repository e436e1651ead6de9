/** Low-latency hint after a commit that outbox rows are there (OUT-20). Losing all hints is safe. */

/** Hints carry nothing but "look now". */
export interface Wake {
  /** Never throws, never blocks. */
  hint(): void;
  /** Calls `onHint` for hints of any process; returns the end of the subscription. */
  subscribe(onHint: () => void): () => void;
}
