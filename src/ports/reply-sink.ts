/** The reply topic as the cell writes it: best effort, because a lost reply costs one retry. */

/** A reply addressed to one gateway's partition. */
export interface OutgoingReply {
  readonly replyPartition: number;
  readonly correlationId: string;
  readonly value: Uint8Array;
}

/** Replies are sent in the order given, together with what gathers while a send is in flight. */
export interface ReplySink {
  start(): Promise<void>;
  /** Never throws and never blocks. When the bounded queue is full the oldest is dropped, counted. */
  send(replies: readonly OutgoingReply[]): void;
  /** Resolves when everything given so far was sent or dropped. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}
