/**
 * Holds one partition of the reply topic for this gateway: leases a slot, reads it, renews the lease
 * and, when the slot is lost, lets go of it at once and leases another with a new incarnation.
 *
 * Race: the lease runs out unseen (a pause of this process, MySQL out of reach for us alone) and
 * another gateway takes the slot. Two readers of one slot would fight over one consumer group, so
 * [A] this side stops by its own monotonic clock, one TTL after the last renewal *began*, which is
 * never later than the end that MySQL counted. Test: "a slot that cannot be renewed is let go of
 * after one TTL".
 */
import { createDeferred } from '../kernel/deferred.ts';
import type { Deferred } from '../kernel/deferred.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';
import type { ReplySlots } from '../ports/reply-slots.ts';
import type { ReplySource } from '../ports/reply-source.ts';
import type { CancelTimer, Timers } from '../ports/timers.ts';
import type { ReplyDesk } from './exchange.ts';
import { createPendingCalls } from './pending-calls.ts';

/** Sizes and times of the slot. */
export interface ReplySlotSettings {
  readonly nodeId: string;
  /** Partitions of the reply topic; at least twice the number of gateways. */
  readonly slotCount: number;
  readonly slotTtlMs: number;
  readonly callsMax: number;
}

/** What the keeper stands on. */
export interface ReplySlotPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly replySlots: ReplySlots;
  /** One reader per lease; it is never used again after it was stopped. */
  readonly newReplySource: () => ReplySource;
}

/** See the file header. */
export interface ReplySlotKeeper {
  /** Resolves when replies can be received; throws when no slot is free or a service is away. */
  start(): Promise<void>;
  /** The desk to use for a new call; null while no slot is held. */
  current(): ReplyDesk | null;
  /** Ends waiting calls as lost, frees the slot. Idempotent. */
  stop(): Promise<void>;
}

/** Pauses between two tries to get a new slot: doubled, with jitter. */
const firstPauseMs = 200;
const longestPauseMs = 5_000;
/** Renewals per TTL (architecture section 7). */
const renewalsPerTtl = 3;
/** A failed renewal is repeated sooner: an outage must not cost more of the lease than it lasts. */
const retriesPerTtl = 30;
const incarnationBytes = 8;

/** A leased slot with its reader. */
interface HeldSlot extends ReplyDesk {
  readonly incarnation: string;
  readonly source: ReplySource;
  cancelRenewal: CancelTimer;
  cancelExpiry: CancelTimer;
  isOver: boolean;
  /** The last renewal failed: said once per outage. */
  isAway: boolean;
  /** Resolved when the slot is let go of: ends a start that would never finish. */
  readonly over: Deferred<void>;
}

/** Makes a keeper that holds nothing yet. */
export function createReplySlotKeeper(
  settings: ReplySlotSettings,
  ports: ReplySlotPorts,
): ReplySlotKeeper {
  return new SlotKeeper(settings, ports);
}

class SlotKeeper implements ReplySlotKeeper {
  private readonly settings: ReplySlotSettings;
  private readonly ports: ReplySlotPorts;
  private readonly stopping = new AbortController();
  private held: HeldSlot | null = null;
  private isReading = false;
  private replacing: Promise<void> | null = null;

  constructor(settings: ReplySlotSettings, ports: ReplySlotPorts) {
    this.settings = settings;
    this.ports = ports;
  }

  async start(): Promise<void> {
    await this.open();
  }

  current(): ReplyDesk | null {
    return this.isReading ? this.held : null;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    // Twice: closing what is held ends an `open` under way, which may have leased one more by then.
    if (this.held !== null) await this.close(this.held);
    await this.replacing;
    if (this.held !== null) await this.close(this.held);
  }

  /** Leases a slot and reads it. The lease is renewed from the start, for reading may begin slowly. */
  private async open(): Promise<void> {
    const { nodeId, slotCount, slotTtlMs, callsMax } = this.settings;
    const { clock, timers, random, metrics, replySlots, newReplySource, log } = this.ports;
    const incarnation = random.hex(incarnationBytes, 'gateway incarnation');
    const leasedAtMonoMs = clock.monoMs();
    const slot = await replySlots.lease({ nodeId, incarnation, slotCount, ttlMs: slotTtlMs });
    if (slot === null) {
      const message = `all ${slotCount} reply slots are held: give the reply topic more partitions`;
      throw new Failure('retry', 'UNAVAILABLE', message, { retryAfterMs: longestPauseMs });
    }
    const calls = createPendingCalls({ incarnation, callsMax, timers, metrics });
    const source = newReplySource();
    const nothing = (): void => undefined;
    const held: HeldSlot = {
      slot,
      calls,
      incarnation,
      source,
      cancelRenewal: nothing,
      cancelExpiry: nothing,
      isOver: false,
      isAway: false,
      over: createDeferred<void>(),
    };
    this.held = held;
    this.expireAfter(held, leasedAtMonoMs);
    this.renewLater(held);
    try {
      const reading = source.start(slot, {
        onReply: (reply) => calls.onReply(reply),
        onLost: (cause) => this.lose(held, 'the reply consumer died', cause),
      });
      await Promise.race([reading, held.over.promise]);
    } catch (cause) {
      await this.close(held);
      throw cause;
    }
    if (held.isOver) throw new Failure('retry', 'UNAVAILABLE', 'the reply slot was lost at once');
    this.isReading = true;
    log.info({ slot, incarnation }, 'reply slot held');
  }

  private renewLater(held: HeldSlot, perTtl = renewalsPerTtl): void {
    held.cancelRenewal = this.ports.timers.after(this.settings.slotTtlMs / perTtl, () => {
      void this.renew(held);
    });
  }

  private async renew(held: HeldSlot): Promise<void> {
    const { clock, replySlots, log, metrics } = this.ports;
    const beganMonoMs = clock.monoMs();
    let isOurs: boolean;
    try {
      isOurs = await replySlots.renew(held.slot, held.incarnation, this.settings.slotTtlMs);
    } catch (cause) {
      // MySQL is away: it is tried again soon, and the expiry timer ends it if no try works.
      metrics.count('gateway_slot_renewals_failed_total');
      if (!held.isAway) log.warn({ slot: held.slot, cause }, 'the reply slot was not renewed');
      held.isAway = true;
      if (!held.isOver) this.renewLater(held, retriesPerTtl);
      return;
    }
    if (held.isOver) return;
    held.isAway = false;
    if (!isOurs) return this.lose(held, 'another gateway holds the slot', null);
    this.expireAfter(held, beganMonoMs);
    this.renewLater(held);
  }

  /** [A] The end of our right, counted from before the call that gave it. */
  private expireAfter(held: HeldSlot, beganMonoMs: number): void {
    const { clock, timers } = this.ports;
    held.cancelExpiry();
    const leftMs = beganMonoMs + this.settings.slotTtlMs - clock.monoMs();
    const expire = (): void => this.lose(held, 'not renewed for a whole TTL', null);
    held.cancelExpiry = timers.after(Math.max(0, leftMs), expire);
  }

  private lose(held: HeldSlot, why: string, cause: unknown): void {
    if (held.isOver) return;
    const { log, metrics } = this.ports;
    metrics.count('gateway_slots_lost_total');
    log.error({ slot: held.slot, why, cause }, 'reply slot lost; waiting calls end as unknown');
    const wasReading = this.isReading;
    const closing = this.close(held);
    // While `open` still waits for its reader, it tells its own caller and tries no second time.
    if (wasReading) this.replacing = closing.then(() => this.replace());
  }

  /** Leases another slot, however long it takes. */
  private async replace(): Promise<void> {
    const { timers, random, log } = this.ports;
    const { signal } = this.stopping;
    for (let pauseMs = firstPauseMs; !signal.aborted;) {
      try {
        return await this.open();
      } catch (cause) {
        log.warn({ cause }, 'no new reply slot yet');
        await timers.sleep(pauseMs * (0.5 + random.fraction('reply slot pause')), signal);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  /** Lets go of the slot: calls first, so that nobody waits for a reply that cannot come. */
  private async close(held: HeldSlot): Promise<void> {
    if (held.isOver) return;
    held.isOver = true;
    held.over.resolve();
    held.cancelRenewal();
    held.cancelExpiry();
    if (this.held === held) {
      this.held = null;
      this.isReading = false;
    }
    held.calls.abandon();
    const { replySlots, log } = this.ports;
    try {
      await held.source.stop();
      // Compare-and-delete: a slot that is somebody else's by now is left alone.
      await replySlots.release(held.slot, held.incarnation);
    } catch (cause) {
      // The lease ends by itself; a reader that cannot be stopped is cut by the broker's session.
      log.warn({ slot: held.slot, cause }, 'a reply slot was not given back cleanly');
    }
  }
}
