/**
 * A gRPC server with a life: bind, serve, drain, stop within a deadline. Carries the health service,
 * whose status follows readiness, and server reflection, made from the same descriptors.
 *
 * Race (bug case A8): a stop waits for streams that never end, because a client died, froze, or only
 * watches the health. So the stop waits for *our* calls alone, and [A] cuts what is left, at the
 * latest at the deadline. Test: "a stop ends at its deadline with a call still open".
 *
 * Streams: the next message is asked for when the client has room for it (HTTP/2 flow control). One
 * that has had none for `takeWithinMs` is cut: nothing more is kept for it than what was written.
 * Test: "a client that takes nothing is cut, and costs nothing more".
 */
import type { EventEmitter } from 'node:events';
import { status as grpcStatus, Server, ServerCredentials } from '@grpc/grpc-js';
import type {
  sendUnaryData,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { createDeferred } from '../../kernel/deferred.ts';
import type { Deferred } from '../../kernel/deferred.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Timers } from '../../ports/timers.ts';
import { answerBytesMax, requestBytesMax, serverOptions } from './channel-options.ts';
import { statusOf, type StatusAnswer } from './error-details.ts';
import type { BridgedHandler, BridgedService, CallContext } from './grpc-bridge.ts';
import { writeAll } from './grpc-stream.ts';
import { createReflection } from './reflection.ts';

/** Where to listen and what to serve. */
export interface GrpcHostOptions {
  readonly host: string;
  /** 0: any free port; `start` tells which. */
  readonly port: number;
  readonly services: readonly BridgedService[];
  readonly receiveBytesMax?: number;
  /** Calls on one connection at once; more wait at the client. */
  readonly callsPerConnectionMax?: number;
  /** How long a client may leave the next message of a stream untaken. */
  readonly takeWithinMs?: number;
}

/** What the server stands on. */
export interface GrpcHostPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** See the file header. */
export interface GrpcHost {
  /** Binds and serves; resolves with the port. Health says NOT_SERVING until `setServing(true)`. */
  start(): Promise<number>;
  /** What health answers, for every service and for ''. */
  setServing(isServing: boolean): void;
  /** New calls are refused DRAINING from now on; connections stay, health says NOT_SERVING. */
  drain(): void;
  /**
   * Drains, tells clients to go elsewhere, waits for calls in flight, cuts what is left after
   * `deadlineMs`. Always resolves; idempotent.
   */
  stop(deadlineMs: number): Promise<void>;
}

/** Answers of the last calls get this long to leave after the calls are done. */
const flushMs = 200;
/** Answers must be on their way before the caller's own timer, or it never sees the reason. */
const answerLeadMsMax = 100;
const answerLeadShare = 0.1;
/** Far longer than a bad moment of a mobile network, far shorter than what a stop may take. */
const defaultTakeWithinMs = 10_000;

/** How one call is answered, in whichever way its method answers. */
interface CallServing {
  readonly run: (context: CallContext) => Promise<void>;
  readonly fail: (answer: StatusAnswer) => void;
}

type AnyCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** Makes a server that does not listen yet. */
export function createGrpcHost(options: GrpcHostOptions, ports: GrpcHostPorts): GrpcHost {
  return new Host(options, ports);
}

class Host implements GrpcHost {
  private readonly options: GrpcHostOptions;
  private readonly ports: GrpcHostPorts;
  private readonly server: Server;
  private readonly health: HealthImplementation;
  private readonly idle: Deferred<void> = createDeferred<void>();
  private inFlight = 0;
  private isDraining = false;
  private stopped: Promise<void> | null = null;

  constructor(options: GrpcHostOptions, ports: GrpcHostPorts) {
    this.options = options;
    this.ports = ports;
    const { receiveBytesMax = requestBytesMax, callsPerConnectionMax } = options;
    this.server = new Server(serverOptions(receiveBytesMax, answerBytesMax, callsPerConnectionMax));
    this.health = new HealthImplementation();
    this.setServing(false);
    this.health.addToServer(this.server);
    createReflection(options.services.map(({ typeName }) => typeName)).addToServer(this.server);
    for (const service of options.services) {
      this.server.addService(service.definition, this.implementation(service));
    }
  }

  start(): Promise<number> {
    const { host, port } = this.options;
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    return new Promise((resolve, reject) => {
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error, boundPort) => {
        if (error === null) resolve(boundPort);
        else reject(error);
      });
    });
  }

  setServing(isServing: boolean): void {
    const state = isServing && !this.isDraining ? 'SERVING' : 'NOT_SERVING';
    this.health.setStatus('', state);
    for (const { typeName } of this.options.services) this.health.setStatus(typeName, state);
  }

  drain(): void {
    this.isDraining = true;
    this.setServing(false);
    if (this.inFlight === 0) this.idle.resolve();
  }

  stop(deadlineMs: number): Promise<void> {
    this.stopped ??= this.stopWithin(deadlineMs);
    return this.stopped;
  }

  private async stopWithin(deadlineMs: number): Promise<void> {
    const { timers, log } = this.ports;
    this.drain();
    const deadline = new AbortController();
    const atDeadline = timers.sleep(deadlineMs, deadline.signal);
    // No new connections; a GOAWAY on the old ones sends clients elsewhere. It calls back when the
    // last stream has ended, which may be never.
    const closed = new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    const flushed = this.idle.promise.then(() => timers.sleep(flushMs, deadline.signal));
    await Promise.race([closed, flushed, atDeadline]);
    if (this.inFlight > 0) log.warn({ inFlight: this.inFlight }, 'calls cut at the stop deadline');
    this.server.forceShutdown(); // [A]
    deadline.abort();
  }

  private implementation(service: BridgedService): UntypedServiceImplementation {
    return Object.fromEntries(
      Object.entries(service.handlers).map(([name, handler]) => [
        name,
        handler.kind === 'unary' ? this.unary(handler) : this.stream(handler),
      ]),
    );
  }

  private unary({ run }: Extract<BridgedHandler, { kind: 'unary' }>) {
    return (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>): void => {
      void this.serve(call, {
        run: async (context) => callback(null, await run(call.request, context)),
        fail: (answer) => callback(answer, null),
      });
    };
  }

  private stream({ run }: Extract<BridgedHandler, { kind: 'stream' }>) {
    return (call: ServerWritableStream<unknown, unknown>): void => {
      const takeWithinMs = this.options.takeWithinMs ?? defaultTakeWithinMs;
      void this.serve(call, {
        run: async (context) => {
          await writeAll(call, run(call.request, context), {
            signal: context.signal,
            timers: this.ports.timers,
            takeWithinMs,
          });
        },
        fail: (answer) => void call.emit('error', answer),
      });
    };
  }

  /** Runs one call; never throws. */
  private async serve(call: AnyCall, { run, fail }: CallServing): Promise<void> {
    const { metrics } = this.ports;
    const path = call.getPath();
    this.inFlight += 1;
    const aborter = new AbortController();
    const onCancelled = (): void => aborter.abort();
    let code: number = grpcStatus.OK;
    try {
      if (this.isDraining) throw draining();
      if (call.cancelled) onCancelled();
      (call as EventEmitter).once('cancelled', onCancelled);
      await run(this.contextOf(call, path, aborter.signal));
    } catch (thrown) {
      const { answer, isFault } = statusOf(thrown);
      if (isFault) this.ports.log.error({ path, cause: thrown }, 'a call met a fault');
      code = answer.code;
      fail(answer);
    } finally {
      // grpc-js says so of every call, answered ones too: each would make an error that nobody reads.
      (call as EventEmitter).off('cancelled', onCancelled);
      this.inFlight -= 1;
      if (this.isDraining && this.inFlight === 0) this.idle.resolve();
      metrics.count('grpc_calls_total', { path, status: grpcStatus[code] ?? String(code) });
    }
  }

  private contextOf(call: AnyCall, path: string, signal: AbortSignal): CallContext {
    const [authorization] = call.metadata.get('authorization');
    return {
      path,
      authorization: typeof authorization === 'string' ? authorization : '',
      remainingMs: this.remainingMs(call),
      signal,
    };
  }

  private remainingMs(call: AnyCall): number | null {
    const deadline = call.getDeadline();
    const atMs = deadline instanceof Date ? deadline.getTime() : deadline;
    if (!Number.isFinite(atMs)) return null;
    const leftMs = atMs - this.ports.clock.wallMs();
    return leftMs - Math.min(answerLeadMsMax, Math.max(0, leftMs) * answerLeadShare);
  }
}

function draining(): Failure {
  return new Failure('retry', 'DRAINING', 'draining', { facts: { produced: 'no' } });
}
