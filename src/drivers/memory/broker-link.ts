/**
 * The way between a process and the memory broker. Everything takes time here, and on the way a
 * request or its answer can be lost, held back or cut, as on a network: what the sender knows then is
 * what it would know over TCP.
 */
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';

/**
 * `refused`: connections are cut and new ones refused. `silent`: nothing passes, senders give up in
 * time; what waits goes on when the way is open again. `frozen`: as silent, but the process itself
 * stands still, so that it gives nothing up.
 */
export type Reach = 'open' | 'refused' | 'silent' | 'frozen';

/** No answer. */
export class BrokerUnreachable extends Error {
  /** The request had left: nobody can say whether the broker got it. */
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean) {
    super(message);
    this.name = 'BrokerUnreachable';
    this.wasSent = wasSent;
  }
}

/** One way of one request takes between these, drawn. */
export interface LatencyMs {
  readonly min: number;
  readonly max: number;
}

/** What a link stands on. */
export interface NetworkParts {
  readonly timers: Timers;
  readonly random: Random;
  readonly latencyMs: LatencyMs;
}

/** Whether somebody can be reached: the broker (for all) or one client. */
export class ReachSwitch {
  private state: Reach = 'open';
  private readonly watchers = new Set<() => void>();

  get reach(): Reach {
    return this.state;
  }

  set(reach: Reach): void {
    this.state = reach;
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Calls `run` at every `set`; answers how to end that. */
  watch(run: () => void): () => void {
    this.watchers.add(run);
    return () => this.watchers.delete(run);
  }
}

/**
 * A client's way to the broker; requests may overtake each other, as they do on the connections that
 * a client has to several brokers. See the file header.
 */
export class BrokerLink {
  private readonly ends: readonly ReachSwitch[];
  private readonly parts: NetworkParts;
  /** Open until `close`; a switch of its own, so that closing is told like a cut. */
  private readonly own = new ReachSwitch();
  /** Who wants to hear of every change at an end; the link itself listens while there is somebody. */
  private readonly watchers = new Set<() => void>();
  private unwatchEnds: readonly (() => void)[] = [];

  /** `ends` are the switches of client and broker. */
  constructor(ends: readonly ReachSwitch[], parts: NetworkParts) {
    this.ends = [...ends, this.own];
    this.parts = parts;
  }

  /**
   * Has `act` done by the broker and answers what it answers. Throws what `act` throws, or
   * BrokerUnreachable; after that the request may still arrive, whatever the sender does.
   */
  ask<T>(act: () => T | Promise<T>, withinMs: number): Promise<T> {
    if (this.isCut()) {
      return Promise.reject(new BrokerUnreachable('connection refused', false));
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        unwatch();
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const unwatch = this.watch(() => {
        if (this.isCut()) fail(new BrokerUnreachable('connection cut', true));
      });
      const cancel = this.parts.timers.after(withinMs, () => {
        // A frozen process has no time of its own: it is still waiting when it thaws.
        if (this.is('frozen')) return;
        fail(new BrokerUnreachable(`no answer within ${withinMs} ms`, true));
      });
      this.travel(act).then(
        (answer) => {
          end();
          resolve(answer);
        },
        (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }

  /** Ends what is under way as unknown. Idempotent. */
  close(): void {
    this.own.set('refused');
  }

  private async travel<T>(act: () => T | Promise<T>): Promise<T> {
    await this.pass();
    // Cut on the way: what had left may be read by the broker all the same.
    if (this.isCut() && this.parts.random.fraction('cut request arrives') < 0.5) {
      throw new BrokerUnreachable('connection cut', true);
    }
    const answer = await act();
    await this.pass();
    return answer;
  }

  /** One way; null: it takes no time. */
  private pass(): Promise<void> | null {
    const { random, latencyMs } = this.parts;
    const { min, max } = latencyMs;
    const travelMs = min + (max - min) * random.fraction('broker latency');
    if (travelMs <= 0 && !this.is('silent') && !this.is('frozen')) return null;
    return this.longPass(travelMs);
  }

  /** What is held back goes on when the way opens, or is lost with its connection. */
  private async longPass(travelMs: number): Promise<void> {
    if (travelMs > 0) await this.parts.timers.sleep(travelMs);
    while ((this.is('silent') || this.is('frozen')) && !this.isCut()) {
      await new Promise<void>((resolve) => {
        const unwatch = this.watch(() => {
          unwatch();
          resolve();
        });
      });
    }
  }

  private watch(run: () => void): () => void {
    if (this.watchers.size === 0) {
      this.unwatchEnds = this.ends.map((end) => end.watch(() => this.tellWatchers()));
    }
    this.watchers.add(run);
    return () => {
      if (!this.watchers.delete(run) || this.watchers.size > 0) return;
      for (const unwatch of this.unwatchEnds) unwatch();
    };
  }

  private tellWatchers(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  private isCut(): boolean {
    return this.is('refused');
  }

  private is(reach: Reach): boolean {
    for (const end of this.ends) if (end.reach === reach) return true;
    return false;
  }
}
