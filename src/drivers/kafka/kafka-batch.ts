/** kafkajs's batch as the log's drivers read it. */
import type { EachBatchPayload } from 'kafkajs';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { FetchedBatch } from '../log-client/log-transport.ts';
import { headersOf } from './record-headers.ts';

/** See the file header. The records are made when they are asked for: a dropped batch costs nothing. */
export class KafkaBatch implements FetchedBatch {
  private readonly payload: EachBatchPayload;

  constructor(payload: EachBatchPayload) {
    this.payload = payload;
  }

  get partition(): number {
    return this.payload.batch.partition;
  }

  /** kafkajs's batch knows the offset it was asked for, only its types do not say so. */
  get fetchedAt(): bigint {
    const { batch } = this.payload;
    return BigInt((batch as typeof batch & { readonly fetchedOffset: string }).fetchedOffset);
  }

  get lastOffset(): bigint {
    return BigInt(this.payload.batch.lastOffset());
  }

  get records(): readonly SourceRecord[] {
    const { partition, messages } = this.payload.batch;
    return messages.map((message) => ({
      partition,
      offset: BigInt(message.offset),
      key: message.key,
      value: message.value,
      headers: headersOf(message.headers),
      recordTimeMs: Number(message.timestamp),
    }));
  }

  isStale(): boolean {
    return this.payload.isStale();
  }

  resolve(): void {
    const last = this.payload.batch.messages.at(-1);
    if (last !== undefined) this.payload.resolveOffset(last.offset);
  }
}
