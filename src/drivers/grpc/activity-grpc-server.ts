/**
 * A receiver of room events over gRPC: the sandbox's stand-in for an activity service, and the
 * pattern for writing one. What it does with an event is given; it only speaks the protocol.
 */
import { status as grpcStatus } from '@grpc/grpc-js';
import { ActivityIngest } from './generated/roomcell/v1/activity_pb.ts';
import type { IngestRequest } from './generated/roomcell/v1/activity_pb.ts';
import { retryInfo, statusAnswer, StatusError } from './error-details.ts';
import { createGrpcHost } from './grpc-host.ts';
import type { GrpcHost, GrpcHostPorts } from './grpc-host.ts';
import { bridgeService } from './grpc-bridge.ts';

/** What became of one event. `status` answers any gRPC status, for receivers that refuse. */
export type IngestAnswer =
  | { readonly kind: 'taken'; readonly duplicate: boolean }
  | {
      readonly kind: 'status';
      readonly status: keyof typeof grpcStatus;
      readonly message: string;
      readonly retryAfterMs?: number;
    };

/** Where to listen and what to do with an event. `onIngest` may be called many times for one id. */
export interface ActivityServerOptions {
  readonly host: string;
  readonly port: number;
  readonly onIngest: (request: IngestRequest, signal: AbortSignal) => Promise<IngestAnswer>;
}

/** Envelopes are bounded by the outbox; this is the frame around them. */
const ingestBytesMax = 4 * 1_024 * 1_024;

/** Makes the server; serving from the start, since it depends on nothing. */
export function createActivityServer(
  options: ActivityServerOptions,
  ports: GrpcHostPorts,
): GrpcHost {
  const { host, port, onIngest } = options;
  const service = bridgeService(ActivityIngest, {
    ingest: async (request, context) => {
      const answer = await onIngest(request, context.signal);
      if (answer.kind === 'taken') return { duplicate: answer.duplicate };
      throw statusError(answer);
    },
  });
  const server = createGrpcHost(
    { host, port, services: [service], receiveBytesMax: ingestBytesMax },
    ports,
  );
  server.setServing(true);
  return server;
}

function statusError(answer: Extract<IngestAnswer, { kind: 'status' }>): StatusError {
  const { status, message, retryAfterMs } = answer;
  const details = retryAfterMs === undefined ? [] : [retryInfo(retryAfterMs)];
  return new StatusError(statusAnswer(grpcStatus[status], message, details));
}
