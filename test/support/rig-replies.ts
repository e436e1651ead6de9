/** The reply topic of a cell rig's node. */
import type { OutgoingReply, ReplySink } from '../../src/ports/reply-sink.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import type { ReplyRecord } from '../../src/protocol/records.ts';

/** Collects decoded replies by correlation id; a second reply to one id is kept too. */
export class RigReplies implements ReplySink {
  readonly byCorrelation = new Map<string, ReplyRecord[]>();
  private readonly codec = createCodec();

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(replies: readonly OutgoingReply[]): void {
    for (const { correlationId, value } of replies) {
      const decoded = this.codec.decodeReply(value);
      if (!decoded.ok) throw new Error(`a reply cannot be read: ${decoded.fault}`);
      const list = this.byCorrelation.get(correlationId) ?? [];
      this.byCorrelation.set(correlationId, [...list, decoded.value]);
    }
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
