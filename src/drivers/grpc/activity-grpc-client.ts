/**
 * The activity service over gRPC. The envelope goes out as it is stored; the fields beside it are
 * read from it, so that a receiver can deduplicate and route without our schemas.
 */
import { status as grpcStatus } from '@grpc/grpc-js';
import type { ActivityClient } from '../../ports/activity-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SendOutcome } from '../../ports/im-client.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import type { EventEnvelope } from '../../protocol/records.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import { ActivityIngest } from './generated/roomcell/v1/activity_pb.ts';
import { createGrpcClient, GrpcCallError } from './grpc-client.ts';
import type { WireFailure } from './error-details.ts';

/** Whom to call, how long a call may take. */
export interface ActivityGrpcOptions {
  /** `host:port`. */
  readonly address: string;
  readonly timeoutMs: number;
  /** Bearer token, when the service asks for one. */
  readonly token?: string;
}

/** Statuses that the contract gives the meaning "never". */
const neverStatuses: readonly string[] = [
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
];
/** Ends that say nothing about what the other side did. */
const unknownStatuses: readonly string[] = ['DEADLINE_EXCEEDED', 'CANCELLED', 'UNAVAILABLE'];
const throttlePauseMs = 1_000;

/** Connects with the first call and again by itself. */
export function createActivityGrpcClient(
  options: ActivityGrpcOptions,
  ports: { readonly clock: Clock; readonly codec: Codec },
): ActivityClient {
  const { address, timeoutMs, token } = options;
  const client = createGrpcClient(ActivityIngest, address, ports.clock);
  const callOptions = { timeoutMs, ...(token === undefined ? {} : { token }) };
  return {
    async ingest(envelope) {
      const fingerprint = ports.codec.unknownFingerprint(envelope);
      if (fingerprint !== null) {
        return { kind: 'retryable', error: `schema ${fingerprint} is not known here yet` };
      }
      const decoded = ports.codec.decodeEnvelope(envelope);
      if (!decoded.ok) return { kind: 'permanent', error: `unreadable: ${decoded.fault}` };
      try {
        // `duplicate` is success too: the event is where it belongs.
        await client.calls.ingest(requestOf(envelope, decoded.value), callOptions);
        return { kind: 'done' };
      } catch (thrown) {
        return thrown instanceof GrpcCallError ? sorted(thrown.failure) : unknownOutcome(thrown);
      }
    },
    stop() {
      client.close();
      return Promise.resolve();
    },
  };
}

function requestOf(envelope: Uint8Array, event: EventEnvelope) {
  const { eventId, appCode, roomId, eventType, roomVersion, eventIndex } = event;
  const occurredAtMs = BigInt(event.occurredAtMs);
  return { envelope, eventId, appCode, roomId, eventType, roomVersion, eventIndex, occurredAtMs };
}

/** The contract of `activity.proto`, read from the caller's side. */
function sorted(failure: WireFailure): SendOutcome {
  const error = `${failure.status} ${failure.reason} ${failure.message}`.trim();
  if (failure.status === grpcStatus[grpcStatus.ALREADY_EXISTS]) return { kind: 'done' };
  if (neverStatuses.includes(failure.status)) return { kind: 'permanent', error };
  if (failure.status === grpcStatus[grpcStatus.RESOURCE_EXHAUSTED]) {
    return { kind: 'throttled', error, retryAfterMs: failure.retryAfterMs ?? throttlePauseMs };
  }
  if (unknownStatuses.includes(failure.status)) return { kind: 'unknown', cause: error };
  return { kind: 'retryable', error };
}
