/**
 * Failures on the wire, both ways: gRPC status, `google.rpc.ErrorInfo` (reason, domain, facts) and
 * `RetryInfo` in `grpc-status-details-bin`. The status and the sentence come from the catalogue and
 * never from an exception's text, which may name hosts and statements of ours.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { anyPack, anyUnpack, DurationSchema } from '@bufbuild/protobuf/wkt';
import { Metadata, status as grpcStatus } from '@grpc/grpc-js';
import { reasonRow } from '../../domain/reasons.ts';
import type { GrpcStatusName, ReasonRow } from '../../domain/reasons.ts';
import { Failure } from '../../kernel/failure.ts';
import type { FailureFacts } from '../../kernel/failure.ts';
import { ErrorInfoSchema, RetryInfoSchema } from './generated/google/rpc/error_details_pb.ts';
import { StatusSchema } from './generated/google/rpc/status_pb.ts';
import type { Status } from './generated/google/rpc/status_pb.ts';

/** Key of the trailer that carries the typed details. */
export const statusDetailsKey = 'grpc-status-details-bin';
/** `domain` of every ErrorInfo of ours. */
export const errorDomain = 'roomcell';

/** Trailers have a size limit in most clients; facts beyond it are left out, the reason never is. */
const factsBytesMax = 4_096;
const factBytesMax = 512;
/** Facts that an outage or a fault of ours may show; the rest could name what lies behind us. */
const factsShownOfFaults: readonly string[] = ['produced'];

/** What a server hands to grpc-js. */
export interface StatusAnswer {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Thrown by a handler that answers for another service than roomcell: goes out as it is. */
export class StatusError extends Error {
  readonly answer: StatusAnswer;

  constructor(answer: StatusAnswer) {
    super(answer.details);
    this.name = 'StatusError';
    this.answer = answer;
  }
}

/** A failure as a client reads it from the wire. */
export interface WireFailure {
  /** Status name such as `FAILED_PRECONDITION`. */
  readonly status: string;
  /** '' when the answer carries no ErrorInfo (a client's own deadline, a lost connection). */
  readonly reason: string;
  readonly domain: string;
  readonly facts: FailureFacts;
  readonly retryAfterMs: number | null;
  readonly message: string;
}

/**
 * The answer to a throw. `isFault` says that it is nothing a caller should cause: the server logs
 * it with the cause, which the answer keeps to itself.
 */
export function statusOf(thrown: unknown): {
  readonly answer: StatusAnswer;
  readonly isFault: boolean;
} {
  if (thrown instanceof StatusError) return { answer: thrown.answer, isFault: false };
  if (!(thrown instanceof Failure) || thrown.kind === 'corrupt') {
    return { answer: internalAnswer(), isFault: true };
  }
  const row = reasonRow(thrown.reason) ?? unknownRow(thrown);
  const isOfOurs = row.status === 'INTERNAL' || thrown.reason === 'UNAVAILABLE';
  const facts = isOfOurs ? only(thrown.facts, factsShownOfFaults) : thrown.facts;
  const answer = answerOf(row, thrown.reason, withProduced(thrown.reason, facts), thrown);
  return { answer, isFault: row.status === 'INTERNAL' };
}

/** Reads a failure that grpc-js gave to a client. Total: odd trailers give an empty reason. */
export function readFailure(error: {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: Metadata;
}): WireFailure {
  const bare: WireFailure = {
    status: grpcStatus[error.code ?? grpcStatus.UNKNOWN] ?? 'UNKNOWN',
    reason: '',
    domain: '',
    facts: {},
    retryAfterMs: null,
    message: error.details ?? '',
  };
  const [bytes] = error.metadata?.get(statusDetailsKey) ?? [];
  if (!(bytes instanceof Uint8Array)) return bare;
  try {
    return { ...bare, ...detailsIn(fromBinary(StatusSchema, bytes)) };
  } catch {
    // Details of some other server, or damaged: the status itself still stands.
    return bare;
  }
}

/** Reads a status that came as a value in an answer, such as that of one event of a batch. */
export function failureOfStatus(status: Status): WireFailure {
  const { code, message } = status;
  const bare = readFailure({ code, details: message });
  try {
    return { ...bare, ...detailsIn(status) };
  } catch {
    return bare;
  }
}

function internalAnswer(): StatusAnswer {
  const row = reasonRow('INTERNAL') as ReasonRow;
  return answerOf(row, 'INTERNAL', {}, null);
}

/** A reason of a newer release: the failure's kind still says what the caller has to do. */
function unknownRow(failure: Failure): ReasonRow {
  const isRetry = failure.kind !== 'reject';
  return {
    status: isRetry ? 'UNAVAILABLE' : 'FAILED_PRECONDITION',
    memory: isRetry ? 'free' : 'sticky',
    sentence: `Refused: ${failure.reason}.`,
    advice: '',
  };
}

/** UNAVAILABLE is only ever said when nothing was produced (architecture section 7). */
function withProduced(reason: string, facts: FailureFacts): FailureFacts {
  return reason === 'UNAVAILABLE' ? { produced: 'no', ...facts } : facts;
}

function answerOf(
  row: ReasonRow,
  reason: string,
  facts: FailureFacts,
  failure: Failure | null,
): StatusAnswer {
  const code = codeOf(row.status);
  const info = { reason, domain: errorDomain, metadata: bounded(facts) };
  const details = [anyPack(ErrorInfoSchema, create(ErrorInfoSchema, info))];
  const retryAfterMs = failure?.retryAfterMs;
  if (retryAfterMs !== undefined) details.push(retryInfo(retryAfterMs));
  return statusAnswer(code, row.sentence, details);
}

/** The detail that asks a caller to wait so long before another try. */
export function retryInfo(retryAfterMs: number): Any {
  const retryDelay = create(DurationSchema, {
    seconds: BigInt(Math.floor(retryAfterMs / 1_000)),
    nanos: Math.floor(retryAfterMs % 1_000) * 1_000_000,
  });
  return anyPack(RetryInfoSchema, create(RetryInfoSchema, { retryDelay }));
}

/** A status with typed details in its trailer. */
export function statusAnswer(code: number, message: string, details: Any[]): StatusAnswer {
  const status = create(StatusSchema, { code, message, details });
  const metadata = new Metadata();
  metadata.set(statusDetailsKey, Buffer.from(toBinary(StatusSchema, status)));
  return { code, details: message, metadata };
}

function codeOf(name: GrpcStatusName): number {
  return grpcStatus[name];
}

function only(facts: FailureFacts, names: readonly string[]): FailureFacts {
  return Object.fromEntries(Object.entries(facts).filter(([name]) => names.includes(name)));
}

function bounded(facts: FailureFacts): Record<string, string> {
  const kept: Record<string, string> = {};
  let bytesLeft = factsBytesMax;
  for (const [name, text] of Object.entries(facts)) {
    const value = text.length > factBytesMax ? `${text.slice(0, factBytesMax)}…` : text;
    bytesLeft -= Buffer.byteLength(name) + Buffer.byteLength(value);
    if (bytesLeft < 0) break;
    kept[name] = value;
  }
  return kept;
}

function detailsIn({ details }: Status): Partial<WireFailure> {
  const read: { -readonly [Key in keyof WireFailure]?: WireFailure[Key] } = {};
  for (const detail of details) {
    const info = anyUnpack(detail, ErrorInfoSchema);
    if (info !== undefined) {
      read.reason = info.reason;
      read.domain = info.domain;
      read.facts = info.metadata;
    }
    const delay = anyUnpack(detail, RetryInfoSchema)?.retryDelay;
    if (delay !== undefined) {
      read.retryAfterMs = Number(delay.seconds) * 1_000 + delay.nanos / 1_000_000;
    }
  }
  return read;
}
