/**
 * The reads and watches of other nodes over gRPC: one connection per address, a bounded number of them. A failure
 * that the other node put into words is passed on as it is; everything else means that nobody can say
 * more, and only a call without a connection is told apart.
 */
import { reasonRow } from '../../domain/reasons.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import { unreached, type OwnerReads, type OwnerReadsPeers } from '../../ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../../ports/room-watch.ts';
import { errorDomain } from './error-details.ts';
import { OwnerReads as OwnerReadsService } from './generated/roomcell/v1/owner_reads_pb.ts';
import { createGrpcClient, GrpcCallError, type GrpcClient } from './grpc-client.ts';
import { ownerReplyOf } from './owner-reads-answers.ts';
import { ownerReadRequest, ownerWatchRequest } from './owner-reads-requests.ts';
import { watchMessageOf } from './watch-messages.ts';

/** Addresses with a connection; the one unused for longest goes when there are more. */
const connectionsMax = 256;
const retryAfterMs = 200;

type Client = GrpcClient<typeof OwnerReadsService>;

/** `token`: what the nodes of a deployment show one another; '' none. */
export function createOwnerReadsPeers(
  options: { readonly token: string },
  ports: { readonly clock: Clock },
): OwnerReadsPeers {
  return new GrpcOwnerReadsPeers(options.token, ports.clock);
}

class GrpcOwnerReadsPeers implements OwnerReadsPeers {
  private readonly token: string;
  private readonly clock: Clock;
  private readonly clients = new Map<string, Client>();
  private readonly stopped = new AbortController();

  constructor(token: string, clock: Clock) {
    this.token = token;
    this.clock = clock;
  }

  at(advertiseAddr: string): OwnerReads & OwnerWatches {
    return {
      read: async (read, { withinMs, signal }) => {
        const call = { timeoutMs: withinMs, signal, ...this.credentials() };
        try {
          const { calls } = this.clientOf(advertiseAddr);
          return ownerReplyOf(await calls.read(ownerReadRequest(read), call));
        } catch (error) {
          throw failureOf(error, advertiseAddr);
        }
      },
      watch: (watch, signal) => this.watch(advertiseAddr, watch, signal),
    };
  }

  stop(): Promise<void> {
    // Before the connections go: a stream does not end with its channel.
    this.stopped.abort();
    for (const client of this.clients.values()) client.close();
    this.clients.clear();
    return Promise.resolve();
  }

  private async *watch(
    address: string,
    watch: OwnerWatch,
    signal: AbortSignal,
  ): AsyncGenerator<WatchMessage> {
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const signals = [signal, this.stopped.signal];
    for (const one of signals) one.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const call = { signal: ended.signal, ...this.credentials() };
    try {
      const { streams } = this.clientOf(address);
      for await (const message of streams.watch(ownerWatchRequest(watch), call)) {
        yield watchMessageOf(message);
      }
    } catch (error) {
      // Whoever left does not ask how the call ended.
      if (!signal.aborted) throw failureOf(error, address);
    } finally {
      for (const one of signals) one.removeEventListener('abort', end);
    }
  }

  private credentials(): { readonly token?: string } {
    return this.token === '' ? {} : { token: this.token };
  }

  /** Throws once stopped. */
  private clientOf(address: string): Client {
    if (this.stopped.signal.aborted) throw new Failure('retry', 'UNAVAILABLE', 'stopped');
    const client =
      this.clients.get(address) ?? createGrpcClient(OwnerReadsService, address, this.clock);
    // Put back at the end: the first one is the one unused for longest.
    this.clients.delete(address);
    this.clients.set(address, client);
    const [oldest] = this.clients;
    if (this.clients.size > connectionsMax && oldest !== undefined) {
      this.clients.delete(oldest[0]);
      oldest[1].close();
    }
    return client;
  }
}

function failureOf(error: unknown, address: string): unknown {
  if (!(error instanceof GrpcCallError)) return error;
  const { status, reason, domain, facts, retryAfterMs: askedMs, message } = error.failure;
  if (domain === errorDomain && reason !== '') {
    const row = reasonRow(reason);
    const kind = row?.memory === 'free' ? 'retry' : 'reject';
    const delay = askedMs === null ? {} : { retryAfterMs: askedMs };
    return new Failure(kind, reason, message, { facts, cause: error, ...delay });
  }
  // Without a word of the node: gone, frozen, cut off, or no node of ours at all. A deadline may have
  // passed on either side of the network, so such a call may have been seen.
  return new Failure('retry', 'UNAVAILABLE', `no answer from the node at ${address}: ${status}`, {
    facts: status === 'UNAVAILABLE' ? unreached : {},
    retryAfterMs,
    cause: error,
  });
}
