/** One partition of the reply topic, read by the one gateway that holds its slot. */

/** A reply as read. Late, double and foreign ones are the reader's business. */
export interface IncomingReply {
  readonly correlationId: string;
  readonly value: Uint8Array;
}

/** Consumes as the only member of its own group, from the end offset it read itself. */
export interface ReplySource {
  /**
   * Resolves after the first fetch: from then on no reply to a command produced later is missed.
   * `onReply` must be O(1) and must not throw. `onLost` is called when the consumer died for good.
   */
  start(
    partition: number,
    handlers: { onReply(reply: IncomingReply): void; onLost(cause: unknown): void },
  ): Promise<void>;
  stop(): Promise<void>;
}
