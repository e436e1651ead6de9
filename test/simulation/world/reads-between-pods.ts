/**
 * Owner reads between simulated processes: the twin of the gRPC server and client, with each process
 * behind its gate and a network in between. A call takes its time there and back, waits at a frozen
 * process, and ends as not seen at one whose connections have ended; one that is gone without a word
 * answers nothing. An address is the name of a process.
 */
import { MemoryReadsNetwork } from '../../../src/drivers/memory/memory-reads-network.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import {
  unreached,
  type OwnerReads,
  type OwnerReadsPeers,
  type OwnerReadsServer,
  type OwnerReply,
} from '../../../src/ports/owner-reads.ts';
import type { OwnerWatches, WatchMessage } from '../../../src/ports/room-watch.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import { gatedPort } from './gated-port.ts';
import { gatedStream } from './gated-stream.ts';
import { heardBy, type Served } from './heard-reads.ts';
import type { Latency } from './latency.ts';
import type { PodGate } from './pod-gate.ts';

/** What the network does to calls for a process: `refused` ends them at once, `silent` loses answers. */
export type ReadsWay = 'open' | 'refused' | 'silent';

interface Door {
  readonly reads: Served;
  readonly gate: PodGate;
  readonly address: string;
  /** Ends a call whose connection ends. */
  readonly inHand: Set<() => void>;
  isCut: boolean;
}

/** See the file header. */
export class ReadsBetweenPods {
  private readonly network: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly latency: Latency;
  };
  private readonly twin: MemoryReadsNetwork;
  private readonly doors = new Map<string, Door>();
  private readonly ways = new Map<string, ReadsWay>();
  private readonly watchers = new Set<(address: string) => void>();

  constructor(network: ReadsBetweenPods['network']) {
    this.network = network;
    this.twin = new MemoryReadsNetwork(network);
  }

  /** The server of one life of a process. */
  server(address: string, reads: Served, gate: PodGate): OwnerReadsServer {
    const door: Door = { reads, gate, address, inHand: new Set(), isCut: false };
    this.doors.set(address, door);
    const entering: Served = {
      read: (read, call) => this.enter(door, read, call),
      watch: (watch, signal) => this.watch(door, watch, signal),
    };
    return gatedPort(this.twin.server(address, entering), gate, ['drain']);
  }

  /** The connections of one life of a process. */
  peers(gate: PodGate): OwnerReadsPeers {
    const peers = this.twin.peers();
    const known = new Map<string, Served>();
    return {
      at(address) {
        const reads = known.get(address) ?? heardBy(gate, peers.at(address));
        known.set(address, reads);
        return reads;
      },
      stop: () => peers.stop(),
    };
  }

  /** The connections of this life end, as the system of a process that ends sees to it. */
  cut(address: string): void {
    const door = this.doors.get(address);
    if (door === undefined) return;
    door.isCut = true;
    for (const end of [...door.inHand]) end();
  }

  /** What happens to calls for this address from now on. */
  setWay(address: string, way: ReadsWay): void {
    this.ways.set(address, way);
  }

  /** Calls for `address` arrive at `other`, as behind a load balancer; at itself again by its own name. */
  lead(address: string, other: string): void {
    this.twin.lead(address, other);
  }

  /** Has `watcher` told of each call that arrives at a process, awake or not, until the answer is called. */
  watchArrivals(watcher: (address: string) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Everything arrives where it belongs. */
  setTrue(): void {
    this.ways.clear();
    for (const address of this.doors.keys()) this.lead(address, address);
  }

  private async enter(door: Door, ...[read, call]: Parameters<OwnerReads['read']>) {
    await this.arrive(door);
    const reply = await this.inside(door, read, call);
    await this.onTheWay();
    if (this.ways.get(door.address) === 'silent') return new Promise<OwnerReply>(() => undefined);
    return reply;
  }

  private async arrive(door: Door): Promise<void> {
    await this.onTheWay();
    if (door.isCut || this.ways.get(door.address) === 'refused') throw lost('connection refused');
    for (const watcher of [...this.watchers]) watcher(door.address);
  }

  private async *watch(
    door: Door,
    ...[watch, signal]: Parameters<OwnerWatches['watch']>
  ): AsyncGenerator<WatchMessage> {
    await this.arrive(door);
    const { reads, gate, inHand, address } = door;
    const ended = new AbortController();
    const hangUp = (): void => gate.pass(() => ended.abort());
    signal.addEventListener('abort', hangUp, { once: true });
    const cut = createDeferred<never>();
    cut.promise.catch(() => undefined);
    const end = (): void => void cut.reject(lost('connection cut'));
    inHand.add(end);
    const messages = gatedStream(gate, () => reads.watch(watch, ended.signal));
    try {
      for (;;) {
        const next = await Promise.race([messages.next(), cut.promise]);
        await this.onTheWay();
        if (this.ways.get(address) === 'silent') await cut.promise;
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      inHand.delete(end);
      signal.removeEventListener('abort', hangUp);
      hangUp();
    }
  }

  private inside(
    { reads, gate, inHand }: Door,
    ...[read, { withinMs, signal }]: Parameters<OwnerReads['read']>
  ): Promise<OwnerReply> {
    // That nobody waits any more is heard inside like everything else.
    const ended = new AbortController();
    const hangUp = (): void => gate.pass(() => ended.abort());
    return new Promise<OwnerReply>((resolve, reject) => {
      const cut = (): void => reject(lost('connection cut'));
      inHand.add(cut);
      const over = (): void => {
        inHand.delete(cut);
        signal.removeEventListener('abort', hangUp);
      };
      signal.addEventListener('abort', hangUp, { once: true });
      if (signal.aborted) hangUp();
      gate.pass(() => {
        gate
          .through(reads.read(read, { withinMs, signal: ended.signal }))
          .finally(over)
          .then(resolve, reject);
      });
    });
  }

  private onTheWay(): Promise<void> {
    const { latency, timers } = this.network;
    const ms = latency.drawNearMs();
    return ms === 0 ? Promise.resolve() : timers.sleep(ms);
  }
}

function lost(message: string): Failure {
  return new Failure('retry', 'UNAVAILABLE', message, { facts: unreached });
}
