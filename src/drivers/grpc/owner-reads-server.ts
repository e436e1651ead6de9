/** The face of a node towards the others, over gRPC. Knows who may ask, and nothing of rooms. */
import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import type { OwnerReads, OwnerReadsServer } from '../../ports/owner-reads.ts';
import { OwnerReads as OwnerReadsService } from './generated/roomcell/v1/owner_reads_pb.ts';
import { bridgeService, type UnaryCallContext } from './grpc-bridge.ts';
import { createGrpcHost, type GrpcHostPorts } from './grpc-host.ts';
import { ownerReadResponse } from './owner-reads-answers.ts';
import { ownerReadOf } from './owner-reads-requests.ts';

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

/** Makes the server; it does not listen yet. */
export function createOwnerReadsServer(
  options: OwnerReadsServerOptions,
  reads: OwnerReads,
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
  });
  const server = createGrpcHost({ host, port, services: [service] }, ports);
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

function refuseStranger({ authorization }: UnaryCallContext, token: string): void {
  if (token === '') return;
  const shown = Buffer.from(authorization);
  const wanted = Buffer.from(`Bearer ${token}`);
  if (shown.length === wanted.length && timingSafeEqual(shown, wanted)) return;
  const facts = { fault: 'not a node of this deployment' };
  throw new Failure('reject', 'UNAUTHENTICATED', 'a stranger asks', { facts });
}
