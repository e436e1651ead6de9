/**
 * A watched room for a client: the stream of the room's owner, and when the owner changes the stream
 * of the next one, from the last version on that was passed on. The client notices nothing but a
 * pause; when no owner is found in time it is told where to go on.
 *
 * Race (test "a change of the owner repeats nothing and leaves nothing out"):
 *   1. The owner ends after a step that is on its way, or was written and is not read yet.
 *   2. The next owner is asked from a version that the client has, or has not.
 * Closed by counting what was handed to the client's stream, which is whole versions in order: a step
 * that was lost before is told again by the next owner, one that was not comes from nobody else.
 */
import { roomKeyOf } from '../domain/ids.ts';
import type { AppCode, RoomId, RoomVersion } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { OwnerWatch } from '../ports/room-watch.ts';
import type { CallFrame } from '../ports/room-api.ts';
import type { RoomReadApi, RoomWatchMessage } from '../ports/room-read-api.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import type { Metrics } from '../ports/metrics.ts';
import { partitionOf } from '../protocol/partition.ts';
import { mayPass, ownerRowFreshMs, type AskOwnerPorts } from '../owners/ask-owner.ts';
import { OwnerMap } from '../owners/owner-map.ts';
import { askerOf } from './asker-of.ts';
import type { CallGate } from './call-gate.ts';
import { checkPlace } from './check-place.ts';
import { heardStream } from './heard-stream.ts';
import type { GatewayLimits } from './limits.ts';
import { notProduced, refusal } from './refusals.ts';

/** Longest pause in what an owner says: it says at least that it still is the owner (3 s). */
const silentMs = 10_000;
/** Pauses between looks for the next owner; the last one again and again. */
const pausesMs: readonly number[] = [50, 200, 500];
/** A token that is good for months is looked at now and then: no timer runs that long. */
const expiryLookMs = 3_600_000;

/** What watching stands on. */
export interface WatchPorts extends AskOwnerPorts {
  readonly metrics: Metrics;
  readonly roomQueries: Pick<RoomQueries, 'isPlatformBanned'>;
}

/** See the file header. */
export function createWatchRoom(
  ports: WatchPorts,
  parts: {
    readonly limits: GatewayLimits;
    readonly partitionCount: number;
    readonly gate: Pick<CallGate, 'state' | 'draining'>;
  },
): RoomReadApi['watchRoom'] {
  const owners = new OwnerMap(ports);
  const { limits, gate } = parts;
  let open = 0;
  const countOpen = (by: 1 | -1): void => {
    open += by;
    ports.metrics.gauge('gateway_watches_open', open);
  };

  return async function* (frame, { afterVersion, ...place }) {
    if (gate.state !== 'open') {
      throw refusal(gate.state === 'draining' ? 'DRAINING' : 'UNAVAILABLE', notProduced);
    }
    const caller = checkPlace(frame, place, (faults) => {
      if (afterVersion < 0n) faults.add('after_version', 'negative');
    });
    const asker = askerOf(caller);
    if (open >= limits.watchersMax) {
      throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: limits.busyRetryMs });
    }
    countOpen(1);
    const life = new WatchLife(ports, frame, gate.draining);
    try {
      const { userId } = asker;
      if (userId !== null) {
        const nowMs = ports.clock.wallMs();
        const app = place.appCode as AppCode;
        if (await ports.roomQueries.isPlatformBanned(app, userId, nowMs)) {
          throw refusal('USER_PLATFORM_BANNED');
        }
      }
      const roomKey = roomKeyOf(place.appCode as AppCode, place.roomId as RoomId);
      const partition = partitionOf(roomKey, parts.partitionCount);
      const watching = new Watching(ports, limits, life, {
        addressOf: (sinceMonoMs) => owners.addressOf(partition, sinceMonoMs),
        watch: { roomKey, asker, afterVersion: afterVersion as RoomVersion, forwardedBy: '' },
      });
      yield* watching.messages();
    } finally {
      life.end();
      countOpen(-1);
    }
  };
}

/** Why a watch has to end, whatever its owner says. */
class WatchLife {
  private readonly stopped = new AbortController();
  private readonly undo: (() => void)[] = [];
  private cause: 'left' | 'DRAINING' | 'UNAUTHENTICATED' | null = null;

  constructor({ clock, timers }: WatchPorts, frame: CallFrame, draining: AbortSignal) {
    this.endBy(frame.signal, 'left');
    this.endBy(draining, 'DRAINING');
    const untilMs = frame.authorizedUntilMs;
    if (untilMs === undefined) return;
    const look = (): void => {
      const leftMs = untilMs - clock.wallMs();
      if (leftMs <= 0) this.stop('UNAUTHENTICATED');
      else cancel = timers.after(Math.min(leftMs, expiryLookMs), look);
    };
    let cancel = (): void => undefined;
    look();
    this.undo.push(() => cancel());
  }

  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  /** Null: it goes on. */
  get over(): 'left' | 'DRAINING' | 'UNAUTHENTICATED' | null {
    return this.cause;
  }

  end(): void {
    for (const undo of this.undo) undo();
  }

  private endBy(signal: AbortSignal, cause: NonNullable<WatchLife['over']>): void {
    const stop = (): void => this.stop(cause);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.undo.push(() => signal.removeEventListener('abort', stop));
  }

  private stop(cause: NonNullable<WatchLife['over']>): void {
    this.cause ??= cause;
    this.stopped.abort();
  }
}

/** One client's watch, over all the owners that serve it one after another. */
class Watching {
  private readonly ports: WatchPorts;
  private readonly limits: GatewayLimits;
  private readonly life: WatchLife;
  private readonly addressOf: (sinceMonoMs: number) => Promise<string | null>;
  private readonly watch: OwnerWatch;
  /** Last version that was passed on, or asked for. */
  private position: RoomVersion;
  private hasBegun = false;
  /** The present owner has said something. */
  private isHeard = false;

  constructor(
    ports: WatchPorts,
    limits: GatewayLimits,
    life: WatchLife,
    from: {
      readonly addressOf: (sinceMonoMs: number) => Promise<string | null>;
      readonly watch: OwnerWatch;
    },
  ) {
    this.ports = ports;
    this.limits = limits;
    this.life = life;
    this.addressOf = from.addressOf;
    this.watch = from.watch;
    this.position = from.watch.afterVersion;
  }

  async *messages(): AsyncGenerator<RoomWatchMessage> {
    const { clock, timers, metrics } = this.ports;
    let sinceMonoMs = clock.monoMs() - ownerRowFreshMs;
    let untilMonoMs = clock.monoMs() + this.limits.watchResumeMs;
    for (let tries = 0; ; tries += 1) {
      this.isHeard = false;
      const failure = yield* this.ofOneOwner(sinceMonoMs);
      if (failure === null) return;
      if (this.life.over !== null) break;
      if (this.isHeard) {
        tries = 0;
        untilMonoMs = clock.monoMs() + this.limits.watchResumeMs;
      }
      const pauseMs = pausesMs[Math.min(tries, pausesMs.length - 1)] ?? 0;
      if (!mayPass(failure) || clock.monoMs() + pauseMs > untilMonoMs) {
        yield* this.lastWord(failure);
        return;
      }
      metrics.count('gateway_watch_resumes_total', { reason: failure.reason });
      await timers.sleep(pauseMs, this.life.signal);
      // Rows that were asked for before the failure led to it.
      sinceMonoMs = clock.monoMs();
    }
    const { over } = this.life;
    if (over === 'UNAUTHENTICATED') throw refusal('UNAUTHENTICATED', { fault: 'token expired' });
    if (over === 'DRAINING') yield* this.lastWord(refusal('DRAINING', notProduced));
  }

  /** Null: there is nothing to go on with. Else why the owner told no more. */
  private async *ofOneOwner(sinceMonoMs: number): AsyncGenerator<RoomWatchMessage, Failure | null> {
    const { peers, timers } = this.ports;
    const { signal: stop } = this.life;
    try {
      const address = await this.addressOf(sinceMonoMs);
      if (address === null) return refusal('NOT_OWNER');
      const watch = { ...this.watch, afterVersion: this.position };
      const open = (signal: AbortSignal) => peers.at(address).watch(watch, signal);
      for await (const message of heardStream(open, { timers, silentMs, stop })) {
        this.isHeard = true;
        if (message.kind === 'alive') continue;
        if (message.kind === 'end') {
          const failure = refusal(message.end.reason);
          if (mayPass(failure)) return failure;
        }
        // Whoever has begun does not begin again: the steps just go on.
        if (message.kind === 'resumed' && this.hasBegun) continue;
        this.hasBegun = true;
        if (message.kind === 'view') this.position = message.view.version;
        if (message.kind === 'step') this.position = message.step.version;
        yield message;
        if (message.kind === 'end') return null;
      }
      return refusal('UNAVAILABLE', {}, { cause: 'the owner ended without a word' });
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  /** Where to go on, or the failure itself: nothing was told yet, or nobody else can help. */
  private *lastWord(failure: Failure): Generator<RoomWatchMessage> {
    if (!this.hasBegun || failure.kind !== 'retry') throw failure;
    const { reason } = failure;
    yield { kind: 'end', end: { reason, resumeAfterVersion: this.position } };
  }
}
