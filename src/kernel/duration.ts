/**
 * Durations as configuration writes them: `1s`, `5m`, `250ms`, `1h30m` (the notation of Go's
 * `time.ParseDuration`). Inside the program a duration is a whole number of milliseconds in a name
 * that ends in `Ms`; this file is the only way from one to the other.
 */

/** What parsing gives: a number of milliseconds, or a sentence for whoever wrote the text. */
export type ParsedDuration =
  { readonly kind: 'ok'; readonly ms: number } | { readonly kind: 'fault'; readonly fault: string };

/** Nanoseconds per unit. `µs` is spelled with the micro sign or with the Greek letter. */
const unitNanos: Readonly<Record<string, bigint>> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ns: 1n,
};
const nanosPerMs = 1_000_000n;
/** The longest duration of the notation: 2^63 - 1 nanoseconds, about 292 years. */
const nanosMax = 9_223_372_036_854_775_807n;
/** Longer texts are no durations; the cap keeps a hostile value from costing anything. */
const textLengthMax = 64;

const wholeText = /^(?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|\u00b5s|\u03bcs|ns))+$/;
const oneTerm = /(\d*)\.?(\d*)(h|ms|m|s|us|\u00b5s|\u03bcs|ns)/g;

/**
 * Reads a duration. Zero may stand without a unit (`0`). Refused, each with its own sentence: a
 * number without a unit, a sign, anything finer than a millisecond, anything beyond 292 years.
 */
export function parseDuration(text: string): ParsedDuration {
  const trimmed = text.trim();
  if (trimmed === '') return fault('is empty; write a duration such as 5s or 1h30m');
  if (trimmed.length > textLengthMax) return fault('is too long to be a duration');
  if (trimmed === '0') return { kind: 'ok', ms: 0 };
  if (trimmed.startsWith('-')) return fault(`${trimmed} is negative; a duration cannot be`);
  if (/^[\d.]+$/.test(trimmed))
    return fault(`${trimmed} has no unit; write ${trimmed}s or similar`);
  if (!wholeText.test(trimmed)) {
    return fault(`${trimmed} is not a duration; write numbers with h, m, s or ms, such as 1h30m`);
  }
  return millisecondsOf(trimmed);
}

/** Writes `ms` (a whole number, at least 0) so that `parseDuration` gives it back: `1h30m`, `0s`. */
export function formatDuration(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ];
  let rest = ms;
  let text = '';
  for (const [unit, unitMs] of units) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text === '' ? '0s' : text;
}

/** Sums the terms in whole nanoseconds, so that `0.1s` is 100 ms and not 100.00000000000001. */
function millisecondsOf(text: string): ParsedDuration {
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(oneTerm)) {
    const perUnit = unitNanos[unit] ?? 0n;
    const scale = 10n ** BigInt(fraction.length);
    const scaled = BigInt(`${whole}${fraction}`) * perUnit;
    if (scaled % scale !== 0n) return fault(`${text} is finer than a millisecond`);
    nanos += scaled / scale;
  }
  if (nanos > nanosMax) return fault(`${text} is too long; the longest duration is 292 years`);
  if (nanos % nanosPerMs !== 0n) return fault(`${text} is finer than a millisecond`);
  return { kind: 'ok', ms: Number(nanos / nanosPerMs) };
}

function fault(sentence: string): ParsedDuration {
  return { kind: 'fault', fault: sentence };
}
