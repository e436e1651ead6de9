/**
 * The pause before another try: doubling from a first value to a cap (RETRY-7), with jitter that
 * never leaves those bounds. Pure: the caller draws the chance. It lies in the kernel because the
 * relay, the adapters and drivers all wait by the same rule and none may import another.
 */

/** Bounds of the pause, in ms; `initialMs` is at least 1 and not above `maxMs`. */
export interface BackoffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How far the jitter goes to either side of the undisturbed pause. */
const jitterShare = 0.2;

/** The pause after failure number `failures` (from 1) without jitter: 5, 10, 20 … 300 s. */
export function plainBackoffMs(limits: BackoffLimits, failures: number): number {
  // The exponent is capped so that a row with thousands of tries does not reach Infinity.
  const doublings = Math.min(Math.max(failures - 1, 0), 50);
  return Math.min(limits.initialMs * 2 ** doublings, limits.maxMs);
}

/**
 * The same with jitter: uniform over ±20 % of the plain pause, as far as that lies within
 * [initial, max]. The range is cut, not the drawn value: cutting values would let half of all first
 * tries fall on the very same millisecond. `fraction` is in [0, 1). A whole number of ms.
 */
export function backoffMs(limits: BackoffLimits, failures: number, fraction: number): number {
  const plain = plainBackoffMs(limits, failures);
  const least = Math.max(limits.initialMs, plain * (1 - jitterShare));
  const most = Math.min(limits.maxMs, plain * (1 + jitterShare));
  return Math.floor(least + Math.max(most - least, 0) * fraction);
}
