/** Time as the program sees it. Injected everywhere outside `drivers` and `main`. */

/** Reads two clocks that must not be mixed. */
export interface Clock {
  /** Whole milliseconds since 1970 UTC. May jump. For times that are stored or shown. */
  wallMs(): number;
  /** Milliseconds since some start, never runs backwards. For durations and local deadlines. */
  monoMs(): number;
}
