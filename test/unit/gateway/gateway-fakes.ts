/** Small stand-ins for what the gateway reaches for; each does only what a test tells it. */
import { createCodec } from '../../../src/protocol/codec.ts';
import type { AppCode, CommandId, RoomId, RoomKey, UserId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { ResultFields } from '../../../src/domain/room/decision.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type {
  CommandSink,
  OutgoingRecord,
  ProduceOutcome,
} from '../../../src/ports/command-sink.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { Passwords } from '../../../src/ports/passwords.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { ReplySlots } from '../../../src/ports/reply-slots.ts';
import type { IncomingReply, ReplySource } from '../../../src/ports/reply-source.ts';
import type { CallFrame, Caller, RequestMeta } from '../../../src/ports/room-api.ts';
import type { SchemaRegistry } from '../../../src/ports/schema-registry.ts';
import type { Trace } from '../../../src/ports/trace.ts';
import type {
  CommandTopicRecord,
  ReplyRecord,
  ResultRecord,
} from '../../../src/protocol/records.ts';
import { headerNames } from '../../../src/protocol/topics.ts';

export const codec = createCodec();
export const appCode = 'app1' as AppCode;
export const roomId = 'r1' as RoomId;
export const roomKey: RoomKey = roomKeyOf(appCode, roomId);
export const userId = 'u1' as UserId;
export const commandId = 'c1' as CommandId;
export const silentTrace: Trace = { at: () => undefined };
export const emptyRegistry: SchemaRegistry = {
  register: () => Promise.resolve(),
  find: () => Promise.resolve(null),
  level: (begin) => Promise.resolve(begin),
  raiseLevel: (to) => Promise.resolve(to),
};

/** Counts by name and label values: `gateway_replies_dropped_total late`. */
export class CountingMetrics implements Metrics {
  readonly counts = new Map<string, number>();

  count(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const key = [name, ...Object.values(labels)].join(' ');
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  gauge(): void {
    // Gauges are not asserted on.
  }

  observeMs(name: string, _durationMs: number, labels: Readonly<Record<string, string>>): void {
    this.count(name, labels);
  }
}

/** The commands topic: keeps what is produced; a test says how the next produces end. */
export class FakeSink implements CommandSink {
  readonly produced: OutgoingRecord[] = [];
  endOffsets = 0n;
  healthy = true;
  isStarted = false;
  isStopped = false;
  produceOutcome: () => Promise<ProduceOutcome> = () =>
    Promise.resolve({ kind: 'stored', offset: 0n });

  start(): Promise<void> {
    this.isStarted = true;
    return Promise.resolve();
  }

  produce(record: OutgoingRecord): Promise<ProduceOutcome> {
    this.produced.push(record);
    return this.produceOutcome();
  }

  endOffset(): Promise<bigint> {
    return Promise.resolve(this.endOffsets);
  }

  isHealthy(): boolean {
    return this.healthy;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }

  /** The n-th record (the last by default) as the cell would read it. */
  read(index = this.produced.length - 1): CommandTopicRecord {
    const record = this.produced[index];
    const decoded = codec.decodeCommand(record?.value ?? new Uint8Array());
    if (!decoded.ok) throw new Error(`record ${index} cannot be read: ${decoded.fault}`);
    return decoded.value;
  }

  header(name: keyof typeof headerNames, index = this.produced.length - 1): string | undefined {
    return this.produced[index]?.headers[headerNames[name]];
  }

  /** The reply that a cell would send to the n-th record. */
  replyTo(reply: ReplyRecord, index = this.produced.length - 1): IncomingReply {
    const correlationId = this.header('correlationId', index) ?? '';
    return { correlationId, value: codec.encodeReply(reply) };
  }
}

/** One reply partition: a test delivers through `handlers`. */
export class FakeReplySource implements ReplySource {
  partition: number | null = null;
  isStopped = false;
  onReply: (reply: IncomingReply) => void = () => undefined;
  onLost: (cause: unknown) => void = () => undefined;
  startOutcome: () => Promise<void> = () => Promise.resolve();

  start(partition: number, handlers: Parameters<ReplySource['start']>[1]): Promise<void> {
    this.partition = partition;
    this.onReply = handlers.onReply;
    this.onLost = handlers.onLost;
    return this.startOutcome();
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }
}

/** Slots in memory, judged by nobody's clock: a test takes them away. */
export class FakeSlots implements ReplySlots {
  readonly holders = new Map<number, string>();
  renewals = 0;
  isAway = false;

  lease(holder: { incarnation: string; slotCount: number }): Promise<number | null> {
    if (this.isAway) return Promise.reject(away());
    for (let slot = 0; slot < holder.slotCount; slot += 1) {
      if (this.holders.has(slot)) continue;
      this.holders.set(slot, holder.incarnation);
      return Promise.resolve(slot);
    }
    return Promise.resolve(null);
  }

  renew(slot: number, incarnation: string): Promise<boolean> {
    this.renewals += 1;
    if (this.isAway) return Promise.reject(away());
    return Promise.resolve(this.holders.get(slot) === incarnation);
  }

  release(slot: number, incarnation: string): Promise<void> {
    if (this.isAway) return Promise.reject(away());
    if (this.holders.get(slot) === incarnation) this.holders.delete(slot);
    return Promise.resolve();
  }
}

/** "Hashes" in plain sight, and counts its work. */
export class PlainPasswords implements Passwords {
  verified = 0;

  hash(password: string, origin: { commandId: string }): Promise<string> {
    return Promise.resolve(`hash(${password},${origin.commandId})`);
  }

  verify(password: string, encodedHash: string): Promise<boolean> {
    this.verified += 1;
    return Promise.resolve(encodedHash.startsWith(`hash(${password},`));
  }
}

/** Draws 1, 2, 3 … as hex; every fraction is a half. */
export function countingRandom(): Random {
  let drawn = 0;
  return {
    fraction: () => 0.5,
    hex: (byteCount) => (drawn += 1).toString(16).padStart(byteCount * 2, '0'),
  };
}

export function away(): Failure {
  return new Failure('retry', 'UNAVAILABLE', 'the service is away', { retryAfterMs: 100 });
}

export const user: Caller = { appCode, subject: userId, role: 'user' };
export const backend: Caller = { appCode, subject: 'backend', role: 'service' };

export function frame(change: Partial<CallFrame> = {}): CallFrame {
  const signal = new AbortController().signal;
  return { caller: user, authFault: '', remainingMs: null, signal, ...change };
}

export function meta(change: Partial<RequestMeta> = {}): RequestMeta {
  return {
    appCode,
    roomId,
    commandId,
    actorUserId: '',
    clientTimeMs: 5n,
    snapshotMode: '',
    ...change,
  };
}

export function resultRecord(change: Partial<ResultRecord> = {}): ResultRecord {
  const fields: ResultFields = {};
  const roomVersion = 7n as ResultRecord['roomVersion'];
  return { outcome: 'applied', roomVersion, reason: '', facts: {}, fields, ...change };
}

/** A reply of a cell that decided the command. */
export function resultReply(change: Partial<ResultRecord> = {}, replayed = false): ReplyRecord {
  const resultBytes = codec.encodeResult(resultRecord(change));
  return { kind: 'result', resultBytes, replayed, view: null };
}

export function refusalReply(reason: string, retryAfterMs = 0): ReplyRecord {
  return { kind: 'refusal', reason, facts: {}, retryAfterMs };
}

/** How a promise ends, as a value; `pending` when it has not. */
export function outcomeOf<T>(promise: Promise<T>): {
  readonly now: () =>
    { kind: 'pending' } | { kind: 'value'; value: T } | { kind: 'thrown'; failure: Failure };
} {
  let end: ReturnType<ReturnType<typeof outcomeOf<T>>['now']> = { kind: 'pending' };
  promise.then(
    (value) => (end = { kind: 'value', value }),
    (failure: unknown) => (end = { kind: 'thrown', failure: failure as Failure }),
  );
  return { now: () => end };
}
