/**
 * The activity service over gRPC. The envelope goes out as it is stored; the fields beside it are
 * read from it, so that a receiver can deduplicate and route without our schemas.
 */
import type { ActivityClient } from '../../ports/activity-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import { outcomeOfStatus } from '../activity-answers.ts';
import type { AnsweredStatus } from '../activity-answers.ts';
import { ActivityDelivery } from '../activity-delivery.ts';
import type { ActivityCalls, ReadEvent } from '../activity-delivery.ts';
import { ActivityIngest } from './generated/roomcell/v1/activity_pb.ts';
import { createGrpcClient, GrpcCallError } from './grpc-client.ts';
import type { GrpcClient } from './grpc-client.ts';
import { failureOfStatus } from './error-details.ts';
import type { WireFailure } from './error-details.ts';

/** Whom to call, how long a call may take. */
export interface ActivityGrpcOptions {
  /** `host:port`. */
  readonly address: string;
  readonly timeoutMs: number;
  /** Bearer token, when the service asks for one. */
  readonly token?: string;
}

/** Connects with the first call and again by itself. */
export function createActivityGrpcClient(
  options: ActivityGrpcOptions,
  ports: { readonly clock: Clock; readonly codec: Codec },
): ActivityClient {
  const { address, timeoutMs, token } = options;
  const client = createGrpcClient(ActivityIngest, address, ports.clock);
  const credentials = token === undefined ? {} : { token };
  const delivery = new ActivityDelivery(callsOver(client, credentials), timeoutMs, ports);
  return {
    ingest: (envelope) => delivery.ingest(envelope),
    ingestBatch: (envelopes) => delivery.ingestBatch(envelopes),
    stop() {
      client.close();
      return Promise.resolve();
    },
  };
}

function callsOver(
  client: GrpcClient<typeof ActivityIngest>,
  credentials: { readonly token?: string },
): ActivityCalls {
  return {
    async ingest(event, timeoutMs) {
      try {
        // `duplicate` is success too: the event is where it belongs.
        await client.calls.ingest(requestOf(event), { timeoutMs, ...credentials });
        return { kind: 'done' };
      } catch (thrown) {
        return thrown instanceof GrpcCallError
          ? outcomeOfStatus(answered(thrown.failure))
          : unknownOutcome(thrown);
      }
    },
    async ingestBatch(events, timeoutMs) {
      const request = { events: events.map(requestOf) };
      try {
        const answer = await client.calls.ingestBatch(request, { timeoutMs, ...credentials });
        const { taken, notTaken } = answer;
        const reason = notTaken === undefined ? null : answered(failureOfStatus(notTaken));
        return { kind: 'answered', taken, notTaken: reason };
      } catch (thrown) {
        return thrown instanceof GrpcCallError
          ? { kind: 'failed', ...answered(thrown.failure) }
          : unknownOutcome(thrown);
      }
    },
  };
}

function requestOf({ bytes, envelope: event }: ReadEvent) {
  const { eventId, appCode, roomId, eventType, roomVersion, eventIndex } = event;
  const occurredAtMs = BigInt(event.occurredAtMs);
  const fields = { eventId, appCode, roomId, eventType, roomVersion, eventIndex, occurredAtMs };
  return { envelope: bytes, ...fields };
}

function answered({ status, reason, message, retryAfterMs }: WireFailure): AnsweredStatus {
  return { status, message: `${reason} ${message}`.trim(), retryAfterMs };
}
