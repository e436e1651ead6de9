/**
 * Wake hints over Redis pub/sub. Hints only make things quicker, so every loss is fine, and nothing
 * ever waits: one publish under way at a time, hints that come meanwhile become one.
 */
import type { Redis } from 'ioredis';
import type { CancelTimer } from '../../ports/timers.ts';
import type { Wake } from '../../ports/wake.ts';
import { settleWithin } from '../settle-within.ts';
import { closeRedisClient, createRedisClient } from './redis-client.ts';
import type { RedisDeps, RedisSettings } from './redis-client.ts';

/** Times in ms. */
export interface RedisWakeSettings {
  readonly redis: RedisSettings;
  /** What the hints are about; hints of other topics are not heard. */
  readonly topic: string;
  /** New for every process: a process hears its own hints directly, not through Redis. */
  readonly incarnation: string;
  /** At most one publish in this time. Default 3. */
  readonly coalesceMs?: number;
}

/** A wake that can be closed. */
export interface RedisWake extends Wake {
  stop(): Promise<void>;
}

const publishWithinMs = 1_000;

class RedisWakeDriver implements RedisWake {
  private readonly settings: RedisWakeSettings;
  private readonly deps: RedisDeps;
  private readonly channel: string;
  private readonly publisher: Redis;
  private subscriber: Redis | null = null;
  /** By subscription: one function may listen twice, and each ends for itself. */
  private readonly listeners = new Map<symbol, () => void>();
  private cancelPublish: CancelTimer | null = null;
  private isPublishing = false;
  private isHinted = false;
  private isStopped = false;

  constructor(settings: RedisWakeSettings, deps: RedisDeps) {
    this.settings = settings;
    this.deps = deps;
    this.channel = `${settings.redis.keyPrefix}wake:${settings.topic}`;
    this.publisher = createRedisClient(settings.redis, 'wake', deps);
  }

  hint(): void {
    if (this.isStopped) return;
    // Own listeners first and without Redis: one process alone keeps its speed in an outage.
    this.tellListeners();
    this.isHinted = true;
    this.schedulePublish();
  }

  subscribe(onHint: () => void): () => void {
    const subscription = Symbol('subscription');
    this.listeners.set(subscription, onHint);
    this.subscriber ??= this.createSubscriber();
    return () => this.listeners.delete(subscription);
  }

  stop(): Promise<void> {
    this.isStopped = true;
    this.cancelPublish?.();
    this.listeners.clear();
    closeRedisClient(this.publisher);
    if (this.subscriber !== null) closeRedisClient(this.subscriber);
    return Promise.resolve();
  }

  private schedulePublish(): void {
    if (this.cancelPublish !== null || this.isPublishing) return;
    this.cancelPublish = this.deps.timers.after(this.settings.coalesceMs ?? 3, () => {
      this.cancelPublish = null;
      void this.publish();
    });
  }

  private async publish(): Promise<void> {
    this.isHinted = false;
    this.isPublishing = true;
    const sending = this.publisher.publish(this.channel, this.settings.incarnation);
    const sent = await settleWithin(this.deps.timers, sending, publishWithinMs);
    this.isPublishing = false;
    const outcome = sent.kind === 'done' ? 'sent' : 'lost';
    this.deps.metrics.count('roomcell_wake_hints_total', { topic: this.settings.topic, outcome });
    if (this.isHinted && !this.isStopped) this.schedulePublish();
  }

  /** On a connection of its own: a subscribed connection takes no other commands. */
  private createSubscriber(): Redis {
    const { redis, incarnation } = this.settings;
    const subscriber = createRedisClient(redis, 'wake-subscriber', this.deps);
    subscriber.on('message', (_channel: string, from: string) => {
      if (from !== incarnation) this.tellListeners();
    });
    subscriber.on('ready', () => {
      subscriber.subscribe(this.channel).catch((error: unknown) => {
        // The connection ended again meanwhile; the next `ready` subscribes anew.
        this.deps.log.debug({ error: String(error) }, 'wake hints are not heard for now');
      });
      // What was published while this end was deaf is made up for by one look.
      this.tellListeners();
    });
    return subscriber;
  }

  /** One listener's fault takes the hint from no other, and never reaches who hinted. */
  private tellListeners(): void {
    for (const listener of this.listeners.values()) {
      try {
        listener();
      } catch (thrown) {
        this.deps.log.error({ error: thrown }, 'a listener of wake hints threw');
      }
    }
  }
}

/** Makes the wake and begins to connect. Works (for this process alone) without Redis. */
export function createRedisWake(settings: RedisWakeSettings, deps: RedisDeps): RedisWake {
  return new RedisWakeDriver(settings, deps);
}
