/**
 * One simulated process: the product's own roles, host and wiring, over drivers behind a gate. It is
 * started, killed in the middle of anything, frozen, told to drain, and started again as another
 * incarnation under its old name.
 */
import type { Cell } from '../../../src/cell/cell.ts';
import { laneName } from '../../../src/drivers/memory/lane-settings.ts';
import { nodeName } from '../../../src/drivers/memory/memory-node-registry.ts';
import type { RoomcellConfig } from '../../../src/main/config/config-schema.ts';
import { createRoleHost, type RoleHost } from '../../../src/main/role-host.ts';
import type { RoleName } from '../../../src/main/role.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import type { Observation } from '../observations.ts';
import type { Latency } from './latency.ts';
import { gatedStream } from './gated-stream.ts';
import { PodClock } from './pod-clock.ts';
import { PodGate } from './pod-gate.ts';
import { createPodRole } from './pod-role.ts';
import type { Servers } from './servers.ts';
import type { SimMetrics } from './sim-metrics.ts';

/** Rare: such a look is an event and only writes lines, which hardly any run has read. */
const readinessLookMs = 5_000;

/** What all pods of a run share. */
export interface PodSurroundings {
  readonly kernel: Kernel;
  readonly seed: number;
  readonly config: RoomcellConfig;
  readonly fetchWaitMs: number;
  readonly servers: Servers;
  readonly latency: Latency;
  readonly metrics: SimMetrics;
  readonly log: Log;
  observe(observation: Observation): void;
  /** A pod passes a point; it may be killed or frozen there. */
  passed(pod: Pod, point: TracePoint, about: string | undefined): void;
  /** A life of a pod has ended by itself: drained, failed to start, or died. */
  ended(pod: Pod): void;
}

/** What a connection brings: no process took the call, it ended with the process, or its end. */
export type PodAnswer<T> =
  | { readonly kind: 'refused' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown };

/** How a stream ended: as a call does, or because its gateway had no more to say. */
export type PodStreamEnd = Exclude<PodAnswer<never>, { kind: 'value' }> | { readonly kind: 'over' };

interface Life {
  readonly gate: PodGate;
  readonly host: RoleHost;
  readonly incarnation: string;
  readonly client: string;
  api: Gateway | null;
  cell: Cell | null;
  /** Calls of clients in it: told when the process is no more. */
  readonly calls: Set<() => void>;
  /** Their streams, likewise. */
  readonly streams: Set<() => void>;
}

/** See the file header. */
export class Pod {
  readonly name: string;
  readonly role: RoleName;
  readonly clock: PodClock;
  private readonly around: PodSurroundings;
  private readonly random: SimRandom;
  private lives = 0;
  private life: Life | null = null;

  constructor(
    around: PodSurroundings,
    place: { readonly name: string; readonly role: RoleName },
    machine: { readonly offsetMs: number; readonly rate: number },
  ) {
    this.around = around;
    this.name = place.name;
    this.role = place.role;
    this.clock = new PodClock(around.kernel.time, machine);
    this.random = new SimRandom(around.seed, `pod ${place.name}`);
  }

  /** `down` from the end of one life to the start of the next. */
  get state(): 'down' | 'up' | 'frozen' {
    if (this.life === null) return 'down';
    return this.life.gate.state === 'frozen' ? 'frozen' : 'up';
  }

  /** Whether it says of itself that work may be sent to it. */
  get isReady(): boolean {
    return this.state === 'up' && this.life?.host.readiness().ready === true;
  }

  /** Name of this life; '' while down. */
  get incarnation(): string {
    return this.life?.incarnation ?? '';
  }

  /** Name of this life at the broker; '' while down. */
  get client(): string {
    return this.life?.client ?? '';
  }

  /** Committed states of the rooms in its memory; none unless it is a cell and up. */
  committedRooms(): ReturnType<Cell['committedRooms']> {
    return this.state === 'up' ? (this.life?.cell?.committedRooms() ?? []) : [];
  }

  /** Partitions that it holds for its own; none unless it is a cell and up. */
  ownedPartitions(): ReturnType<Cell['ownedPartitions']> {
    return this.state === 'up' ? (this.life?.cell?.ownedPartitions() ?? []) : [];
  }

  /** Begins a new life; does nothing when one goes on. */
  start(): void {
    if (this.life !== null) return;
    this.lives += 1;
    const { kernel, servers } = this.around;
    const incarnation = `${this.name}.${this.lives}`;
    const client = incarnation;
    const gate = new PodGate(kernel.timersOf(this.name), this.random);
    servers.broker.setReach(client, 'open');
    const life: Life = { ...this.build(gate, incarnation), gate, incarnation, client };
    this.life = life;
    this.tell('started', life);
    void life.host.run().then((exitCode) => {
      if (gate.state !== 'open' || this.life !== life) return;
      this.around.kernel.note(`${this.name} ends with code ${exitCode}`);
      this.endLife(life, 'ended');
      servers.reads.cut(this.name);
      this.around.ended(this);
    });
  }

  /** The process is gone between two instructions. `isNoticed`: its connections end at once. */
  kill(isNoticed: boolean): boolean {
    const { life } = this;
    if (life === null) return false;
    this.endLife(life, 'killed');
    const { servers, metrics } = this.around;
    const { transactions } = servers.database.server;
    const open = transactions.size;
    const session = servers.database.server.named(laneName(life.incarnation, 0));
    if (isNoticed) {
      session?.end();
      servers.database.server.named(nodeName(life.incarnation))?.end();
      servers.reads.cut(this.name);
    }
    if (transactions.size < open) metrics.count('world_killed_in_transaction');
    return true;
  }

  freeze(): boolean {
    const { life } = this;
    if (life?.gate.state !== 'open') return false;
    life.gate.freeze();
    this.around.servers.broker.setReach(life.client, 'frozen');
    this.tell('frozen', life);
    return true;
  }

  thaw(): void {
    const { life } = this;
    if (life?.gate.state !== 'frozen') return;
    this.tell('thawed', life);
    life.gate.thaw();
    this.around.servers.broker.setReach(life.client, 'open');
  }

  /** As by SIGTERM. */
  drain(): boolean {
    const { life } = this;
    if (life?.gate.state !== 'open') return false;
    this.tell('draining', life);
    if (life.calls.size > 0) this.around.metrics.count('world_drained_with_calls');
    life.host.stop({ kind: 'signal', signal: 'SIGTERM' });
    return true;
  }

  /** Makes a call of a client to this gateway; resolves with what the connection brings. */
  call<T>(make: (api: Gateway) => Promise<T>): Promise<PodAnswer<T>> {
    const { life } = this;
    const api = life?.api ?? null;
    if (life === null || api === null) return Promise.resolve({ kind: 'refused' });
    const { gate, calls } = life;
    return new Promise((resolve) => {
      const cut = (): void => resolve({ kind: 'cut' });
      calls.add(cut);
      const end = (answer: PodAnswer<T>): void => {
        calls.delete(cut);
        resolve(answer);
      };
      gate.pass(() => {
        gate.through(make(api)).then(
          (value) => end({ kind: 'value', value }),
          (error: unknown) => end({ kind: 'error', error }),
        );
      });
    });
  }

  /**
   * Opens a stream of a client at this gateway. `hear` is told of each message before the next is
   * asked for; resolves with how the stream ended.
   */
  stream<T>(
    open: (api: Gateway) => AsyncIterable<T>,
    hear: (message: T) => Promise<void>,
  ): Promise<PodStreamEnd> {
    const { life } = this;
    const api = life?.api ?? null;
    if (life === null || api === null) return Promise.resolve({ kind: 'refused' });
    const { gate, streams } = life;
    return new Promise((resolve) => {
      const cut = (): void => resolve({ kind: 'cut' });
      streams.add(cut);
      const heard = async (): Promise<void> => {
        for await (const message of gatedStream(gate, () => open(api))) {
          // What is behind a cut is on no connection any more.
          if (!streams.has(cut)) return;
          await hear(message);
        }
      };
      const end = (how: PodStreamEnd): void => {
        streams.delete(cut);
        resolve(how);
      };
      heard().then(
        () => end({ kind: 'over' }),
        (error: unknown) => end({ kind: 'error', error }),
      );
    });
  }

  /** Has something happen inside the process: when it is awake, or never. */
  enter(run: () => void): void {
    this.life?.gate.pass(run);
  }

  private build(gate: PodGate, incarnation: string): Omit<Life, 'gate' | 'incarnation' | 'client'> {
    const { around, clock, name, role } = this;
    const built: { host: RoleHost | null; api: Gateway | null } = { host: null, api: null };
    const calls = new Set<() => void>();
    const streams = new Set<() => void>();
    const timers = gate.timers(clock.rate);
    const podRole = createPodRole(around, {
      role,
      nodeId: name,
      incarnation,
      gate,
      clock,
      timers,
      random: this.random,
      trace: { at: (point, about) => this.passed(gate, point, about) },
      crashed: (cause) => built.host?.stop({ kind: 'crashed', role, cause }),
      opened: (api) => {
        if (this.life !== null) this.life.api = api;
      },
      made: (cell) => {
        if (this.life !== null) this.life.cell = cell;
      },
    });
    const host = createRoleHost({
      log: podRole.log,
      timers,
      clock,
      drainTimeoutMs: around.config.drainTimeoutMs,
      readinessLookMs,
      roles: [podRole.role],
    });
    built.host = host;
    return { host, api: built.api, cell: null, calls, streams };
  }

  private passed(gate: PodGate, point: TracePoint, about: string | undefined): void {
    if (gate.state === 'open') this.around.passed(this, point, about);
  }

  private endLife(life: Life, what: 'killed' | 'ended'): void {
    life.gate.kill();
    this.life = null;
    this.around.servers.broker.setReach(life.client, 'refused');
    this.tell(what, life);
    for (const cut of [...life.calls, ...life.streams]) cut();
    life.calls.clear();
    life.streams.clear();
  }

  private tell(
    what: Extract<Observation, { kind: 'pod' }>['what'],
    { incarnation }: { readonly incarnation: string },
  ): void {
    const { kernel, observe } = this.around;
    kernel.note(`${incarnation} ${what}`);
    observe({ kind: 'pod', atMs: kernel.trueMs, pod: this.name, incarnation, what });
  }
}
