/**
 * A receiver of room events over gRPC: the sandbox's stand-in for an activity service, and the
 * pattern for writing one. What it does with an event is given; it only speaks the protocol.
 */
import { create } from '@bufbuild/protobuf';
import { status as grpcStatus } from '@grpc/grpc-js';
import { StatusSchema } from './generated/google/rpc/status_pb.ts';
import { ActivityIngest } from './generated/roomcell/v1/activity_pb.ts';
import type { IngestRequest } from './generated/roomcell/v1/activity_pb.ts';
import { retryInfo, statusAnswer, StatusError } from './error-details.ts';
import { createGrpcHost } from './grpc-host.ts';
import type { GrpcHost, GrpcHostPorts } from './grpc-host.ts';
import { bridgeService } from './grpc-bridge.ts';

/** Any gRPC status, for receivers that refuse. */
export interface IngestRefusal {
  readonly kind: 'status';
  readonly status: keyof typeof grpcStatus;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** What became of one event. */
export type IngestAnswer = { readonly kind: 'taken'; readonly duplicate: boolean } | IngestRefusal;

/** What became of a batch: so many from the front, and why not the next; or the call's own end. */
export type IngestBatchAnswer =
  | {
      readonly kind: 'front';
      readonly taken: number;
      /** Null when all were taken. */
      readonly notTaken: IngestRefusal | null;
    }
  | IngestRefusal;

/** What is done with events. Each may come many times; `signal` aborts when nobody waits any more. */
export interface ActivityReceiver {
  ingest(request: IngestRequest, signal: AbortSignal): Promise<IngestAnswer>;
  /** Absent: it takes no batches, and the caller hears so. */
  ingestBatch?(requests: readonly IngestRequest[], signal: AbortSignal): Promise<IngestBatchAnswer>;
}

/** Where to listen, and for whom. */
export interface ActivityServerOptions {
  readonly host: string;
  readonly port: number;
  readonly receiver: ActivityReceiver;
}

/** Envelopes are bounded by the outbox, batches by their sender; this is the frame around them. */
const ingestBytesMax = 4 * 1_024 * 1_024;

const noBatches: IngestRefusal = {
  kind: 'status',
  status: 'UNIMPLEMENTED',
  message: 'events are taken one by one',
};

/** Makes the server; serving from the start, since it depends on nothing. */
export function createActivityServer(
  options: ActivityServerOptions,
  ports: GrpcHostPorts,
): GrpcHost {
  const { host, port, receiver } = options;
  const service = bridgeService(ActivityIngest, {
    ingest: async (request, context) => {
      const answer = await receiver.ingest(request, context.signal);
      if (answer.kind === 'taken') return { duplicate: answer.duplicate };
      throw statusError(answer);
    },
    ingestBatch: async ({ events }, context) => {
      const answer = (await receiver.ingestBatch?.(events, context.signal)) ?? noBatches;
      if (answer.kind === 'status') throw statusError(answer);
      const { taken, notTaken } = answer;
      return notTaken === null ? { taken } : { taken, notTaken: statusOf(notTaken) };
    },
  });
  const server = createGrpcHost(
    { host, port, services: [service], receiveBytesMax: ingestBytesMax },
    ports,
  );
  server.setServing(true);
  return server;
}

/** The status of an event within an answer: what the trailer of a single call would have held. */
function statusOf(refusal: IngestRefusal) {
  const { status, message } = refusal;
  return create(StatusSchema, { code: grpcStatus[status], message, details: detailsOf(refusal) });
}

function statusError(refusal: IngestRefusal): StatusError {
  const { status, message } = refusal;
  return new StatusError(statusAnswer(grpcStatus[status], message, detailsOf(refusal)));
}

function detailsOf({ retryAfterMs }: IngestRefusal) {
  return retryAfterMs === undefined ? [] : [retryInfo(retryAfterMs)];
}
