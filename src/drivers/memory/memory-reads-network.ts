/**
 * Nodes that read from one another within one process: the twin of the gRPC client and server of owner
 * reads. An address is a name in a table; a test cuts nodes off, or lets an address lead to another
 * node as a load balancer does.
 */
import { createDeferred } from '../../kernel/deferred.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  unreached,
  type OwnerRead,
  type OwnerReads,
  type OwnerReadsPeers,
  type OwnerReadsServer,
  type OwnerReply,
  type ReadCall,
} from '../../ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../../ports/room-watch.ts';
import type { Timers } from '../../ports/timers.ts';

interface Listening {
  readonly reads: OwnerReads & OwnerWatches;
  isDraining: boolean;
  /** Aborts when it is stopped: what streams from it breaks off. */
  readonly stopped: AbortController;
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
  server(address: string, reads: OwnerReads & OwnerWatches): OwnerReadsServer {
    const node = { reads, isDraining: false, stopped: new AbortController() };
    return new MemoryReadsServer(address, node, this.nodes);
  }

  /** The connections of one node. */
  peers(): OwnerReadsPeers {
    const stopped = new AbortController();
    return {
      at: (address) => this.seenFrom(address, stopped.signal),
      stop() {
        stopped.abort();
        return Promise.resolve();
      },
    };
  }

  /** The node at `address`, for whoever is not `stopped`. */
  private seenFrom(address: string, stopped: AbortSignal): OwnerReads & OwnerWatches {
    return {
      read: async (read, call) => {
        if (stopped.aborted) throw unavailable('stopped');
        return this.read(address, read, call);
      },
      watch: (watch, signal) => this.watch(address, watch, [signal, stopped]),
    };
  }

  private read(address: string, read: OwnerRead, call: ReadCall): Promise<OwnerReply> {
    const { node, isSilent } = this.nodeAt(address);
    const answer = isSilent
      ? new Promise<OwnerReply>(() => undefined)
      : node.reads.read(read, call);
    return this.within(answer, call);
  }

  /** `left`: nobody listens any more, and the connections of the listener are gone. */
  private async *watch(
    address: string,
    watch: OwnerWatch,
    [left, cut]: readonly [AbortSignal, AbortSignal],
  ): AsyncGenerator<WatchMessage> {
    if (cut.aborted) throw unavailable('stopped');
    const { node, isSilent } = this.nodeAt(address);
    const ended = new AbortController();
    const broken = createDeferred<'broken'>();
    const breakOff = (): void => void broken.resolve('broken');
    const signals = [left, cut, node.stopped.signal];
    for (const signal of signals) signal.addEventListener('abort', breakOff, { once: true });
    if (left.aborted) breakOff();
    const messages = isSilent ? silence : node.reads.watch(watch, ended.signal);
    const iterator = messages[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([iterator.next(), broken.promise]);
        if (next === 'broken' && left.aborted) return;
        if (next === 'broken') throw unavailable('the connection is lost');
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', breakOff);
      ended.abort();
      void iterator.return?.();
    }
  }

  private nodeAt(address: string): { readonly node: Listening; readonly isSilent: boolean } {
    const arrivesAt = this.leadsTo.get(address) ?? address;
    const node = this.nodes.get(arrivesAt);
    if (node === undefined) throw unavailable(`nobody listens at ${address}`, unreached);
    if (node.isDraining) throw new Failure('retry', 'DRAINING', 'draining');
    return { node, isSilent: this.silent.has(arrivesAt) };
  }

  private within(answer: Promise<OwnerReply>, call: ReadCall): Promise<OwnerReply> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        cancel();
        call.signal.removeEventListener('abort', give);
      };
      const give = (): void => {
        // An answer that never comes must not keep the caller's signal busy.
        over();
        reject(unavailable('no answer in time'));
      };
      const cancel = this.ports.timers.after(Math.max(call.withinMs, 0), give);
      call.signal.addEventListener('abort', give, { once: true });
      void answer.then(resolve, reject).finally(over);
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
    this.node.stopped.abort();
    if (this.nodes.get(this.address) === this.node) this.nodes.delete(this.address);
    return Promise.resolve();
  }
}

/** What a frozen node says. */
const silence: AsyncIterable<WatchMessage> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
};

function unavailable(message: string, facts: Readonly<Record<string, string>> = {}): Failure {
  return new Failure('retry', 'UNAVAILABLE', message, { facts });
}
