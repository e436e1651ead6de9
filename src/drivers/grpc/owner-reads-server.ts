/** The face of a node towards the others, over gRPC. Knows who may ask, and nothing of rooms. */
import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { OwnerReads, OwnerReadsServer } from '../../ports/owner-reads.ts';
import type { OwnerWatches } from '../../ports/room-watch.ts';
import { OwnerReads as OwnerReadsService } from './generated/roomcell/v1/owner_reads_pb.ts';
import { bridgeService, type CallContext } from './grpc-bridge.ts';
import { createGrpcHost, type GrpcHostPorts } from './grpc-host.ts';
import { ownerReadResponse } from './owner-reads-answers.ts';
import { ownerReadOf, ownerWatchOf } from './owner-reads-requests.ts';
import { ownerWatchResponse } from './watch-messages.ts';

/** Where to listen, and who may ask. */
export interface OwnerReadsServerOptions {
  readonly host: string;
  /** 0: any free port; the address that `start` answers names it. */
  readonly port: number;
  /** What the nodes of a deployment show one another; '' nobody is asked for it. */
  readonly token: string;
}

/** What a read may take whose caller named no deadline. */
const defaultWithinMs = 5_000;
/** A gateway has one connection for all whom it serves: what may be open is bounded by the cell. */
const callsOfANodeMax = 1_000_000;

/** Makes the server; it does not listen yet. */
export function createOwnerReadsServer(
  options: OwnerReadsServerOptions,
  reads: OwnerReads & OwnerWatches,
  ports: GrpcHostPorts,
): OwnerReadsServer {
  const { host, port, token } = options;
  const service = bridgeService(OwnerReadsService, {
    read: async (request, context) => {
      refuseStranger(context, token);
      const { remainingMs, signal } = context;
      const call = { withinMs: remainingMs ?? defaultWithinMs, signal };
      return ownerReadResponse(await reads.read(ownerReadOf(request), call));
    },
    async *watch(request, context) {
      refuseStranger(context, token);
      const messages = reads.watch(ownerWatchOf(request), context.signal);
      for await (const message of messages) yield ownerWatchResponse(message);
    },
  });
  const server = createGrpcHost(
    { host, port, services: [service], callsPerConnectionMax: callsOfANodeMax },
    ports,
  );
  return {
    async start() {
      const bound = await server.start();
      server.setServing(true);
      return host.includes(':') ? `[${host}]:${bound}` : `${host}:${bound}`;
    },
    drain: () => server.drain(),
    stop: (deadlineMs) => server.stop(deadlineMs),
  };
}

function refuseStranger({ authorization }: CallContext, token: string): void {
  if (token === '') return;
  const shown = Buffer.from(authorization);
  const wanted = Buffer.from(`Bearer ${token}`);
  if (shown.length === wanted.length && timingSafeEqual(shown, wanted)) return;
  const facts = { fault: 'not a node of this deployment' };
  throw new Failure('reject', 'UNAUTHENTICATED', 'a stranger asks', { facts });
}
