/**
 * Nodes that read from one another within one process: the twin of the gRPC client and server of owner
 * reads. An address is a name in a table; a test cuts nodes off, or lets an address lead to another
 * node as a load balancer does.
 */
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  unreached,
  type OwnerReads,
  type OwnerReadsPeers,
  type OwnerReadsServer,
  type OwnerReply,
} from '../../ports/owner-reads.ts';
import type { Timers } from '../../ports/timers.ts';

interface Listening {
  readonly reads: OwnerReads;
  isDraining: boolean;
}

/** See the file header. */
export class MemoryReadsNetwork {
  private readonly ports: { readonly clock: Clock; readonly timers: Timers };
  private readonly nodes = new Map<string, Listening>();
  private readonly leadsTo = new Map<string, string>();
  private readonly silent = new Set<string>();

  constructor(ports: { readonly clock: Clock; readonly timers: Timers }) {
    this.ports = ports;
  }

  /** Calls to `address` arrive at `other` from now on. */
  lead(address: string, other: string): void {
    this.leadsTo.set(address, other);
  }

  /** Whoever listens there takes calls and never answers, like a frozen process. */
  silence(address: string): void {
    this.silent.add(address);
  }

  /** A server that is reached at `address` once it is started. */
  server(address: string, reads: OwnerReads): OwnerReadsServer {
    return new MemoryReadsServer(address, { reads, isDraining: false }, this.nodes);
  }

  /** The connections of one node. */
  peers(): OwnerReadsPeers {
    let isStopped = false;
    return {
      at: (address) =>
        isStopped ? readsOf(() => Promise.reject(unavailable('stopped'))) : this.readsAt(address),
      stop() {
        isStopped = true;
        return Promise.resolve();
      },
    };
  }

  private readsAt(address: string): OwnerReads {
    return readsOf((read, call) => {
      const arrivesAt = this.leadsTo.get(address) ?? address;
      const node = this.nodes.get(arrivesAt);
      if (node === undefined) {
        return Promise.reject(unavailable(`nobody listens at ${address}`, unreached));
      }
      if (node.isDraining) return Promise.reject(new Failure('retry', 'DRAINING', 'draining'));
      const answer = this.silent.has(arrivesAt)
        ? new Promise<OwnerReply>(() => undefined)
        : node.reads.read(read, call);
      return this.within(answer, call);
    });
  }

  private within(
    answer: Promise<OwnerReply>,
    call: { readonly withinMs: number; readonly signal: AbortSignal },
  ): Promise<OwnerReply> {
    return new Promise((resolve, reject) => {
      const give = (): void => reject(unavailable('no answer in time'));
      const cancel = this.ports.timers.after(Math.max(call.withinMs, 0), give);
      call.signal.addEventListener('abort', give, { once: true });
      void answer.then(resolve, reject).finally(() => {
        cancel();
        call.signal.removeEventListener('abort', give);
      });
    });
  }
}

class MemoryReadsServer implements OwnerReadsServer {
  private readonly address: string;
  private readonly node: Listening;
  private readonly nodes: Map<string, Listening>;

  constructor(address: string, node: Listening, nodes: Map<string, Listening>) {
    this.address = address;
    this.node = node;
    this.nodes = nodes;
  }

  start(): Promise<string> {
    this.nodes.set(this.address, this.node);
    return Promise.resolve(this.address);
  }

  drain(): void {
    this.node.isDraining = true;
  }

  stop(): Promise<void> {
    this.drain();
    if (this.nodes.get(this.address) === this.node) this.nodes.delete(this.address);
    return Promise.resolve();
  }
}

function readsOf(read: OwnerReads['read']): OwnerReads {
  return { read };
}

function unavailable(message: string, facts: Readonly<Record<string, string>> = {}): Failure {
  return new Failure('retry', 'UNAVAILABLE', message, { facts });
}
