/** How long things take on the way: mostly nothing or a few ms, sometimes ten times that, rarely more. */
import type { Timers } from '../../../src/ports/timers.ts';
import type { SimRandom } from '../kernel/sim-random.ts';

/** Shares of slow ways, as data of a run. */
export interface LatencyShape {
  /** Share of ways that take ten times as long. */
  readonly tenfold: number;
  /** Share of ways that take a thousand times as long. */
  readonly thousandfold: number;
}

const usualMs = 5;
/** Share of ways to a server next door that take no time at all: they cost the run no event. */
const atOnceShare = 0.6;

/** See the file header. */
export class Latency {
  private readonly random: SimRandom;
  private shape: LatencyShape;

  constructor(random: SimRandom, shape: LatencyShape) {
    this.random = random;
    this.shape = shape;
  }

  /** From now on every way is a usual one. */
  calm(): void {
    this.shape = { tenfold: 0, thousandfold: 0 };
  }

  /** One way, in ms. */
  drawMs(): number {
    const { tenfold, thousandfold } = this.shape;
    const kind = this.random.fraction();
    const ms = this.random.fraction() * usualMs;
    if (kind < thousandfold) return ms * 1_000;
    return kind < thousandfold + tenfold ? ms * 10 : ms;
  }

  /** One way to a server next door. */
  drawNearMs(): number {
    return this.random.chance(atOnceShare) ? 0 : this.drawMs();
  }
}

/**
 * A stand-in behind a network: each named call takes a way there and a way back. Whoever gives up in
 * between does not call it back.
 */
export function farAway<Service extends object>(
  service: Service,
  methods: readonly (keyof Service & string)[],
  network: { readonly timers: Timers; readonly latency: Latency },
): Service {
  const { timers, latency } = network;
  const far = Object.create(service) as Record<string, unknown>;
  for (const name of methods) {
    const method = service[name] as (...given: readonly unknown[]) => Promise<unknown>;
    far[name] = async (...given: readonly unknown[]): Promise<unknown> => {
      await timers.sleep(latency.drawMs());
      const answer = await method.apply(service, given as unknown[]);
      await timers.sleep(latency.drawMs());
      return answer;
    };
  }
  return far as Service;
}
