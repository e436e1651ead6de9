/** Days as rules count them: in UTC, by the time of a command. */
const dayMs = 24 * 60 * 60 * 1_000;

/** The number of the day that a time in milliseconds lies in; 1970-01-01 is day 0. */
export function utcDayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs);
}
