/** The clock of one simulated machine over the world's time: with an offset, a drift, and jumps. */
import type { Clock } from '../../../src/ports/clock.ts';

/** See the file header. */
export class PodClock implements Clock {
  /** Milliseconds of this machine in one of the world's. */
  readonly rate: number;
  private readonly world: Clock;
  private offsetMs: number;

  constructor(world: Clock, machine: { readonly offsetMs: number; readonly rate: number }) {
    this.world = world;
    this.rate = machine.rate;
    this.offsetMs = machine.offsetMs;
  }

  wallMs(): number {
    return Math.floor(this.world.wallMs() + this.offsetMs);
  }

  /** Of the machine, so that it goes on when a process ends. */
  monoMs(): number {
    return this.world.monoMs() * this.rate;
  }

  /** Sets the wall clock forward, or back when negative. */
  jump(byMs: number): void {
    this.offsetMs += byMs;
  }

  /** The wall clock shows the world's time again. */
  setTrue(): void {
    this.offsetMs = 0;
  }
}
