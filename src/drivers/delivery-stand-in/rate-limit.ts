/** How much a vendor takes within a second, by whatever it counts apart. */

const windowMs = 1_000;

/** See the file header. `nowMs` never runs backwards by more than a test wants it to. */
export class RateLimit {
  private readonly perSecondMax: number;
  private readonly nowMs: () => number;
  /** Times of what was taken within the last second, by key. */
  private readonly recent = new Map<string, number[]>();

  constructor(perSecondMax: number, nowMs: () => number) {
    this.perSecondMax = perSecondMax;
    this.nowMs = nowMs;
  }

  /** Takes one more under the key, or none when a second has had enough. */
  takes(key: string): boolean {
    const nowMs = this.nowMs();
    const recent = (this.recent.get(key) ?? []).filter((timeMs) => nowMs - timeMs < windowMs);
    this.recent.set(key, recent);
    return recent.length < this.perSecondMax && recent.push(nowMs) > 0;
  }
}
