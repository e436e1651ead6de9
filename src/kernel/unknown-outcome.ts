/**
 * The outcome that every call over a network can have: it may or may not have taken effect.
 * It is a value and not an exception, so that the compiler makes every caller say what it does.
 */

/** The call ended without an answer. Never read it as "failed": settle it by asking again. */
export interface UnknownOutcome {
  readonly kind: 'unknown';
  /** What was seen instead of an answer (time-out, cut connection), for the log. */
  readonly cause: string;
}

/** Builds an UnknownOutcome from whatever was thrown. */
export function unknownOutcome(cause: unknown): UnknownOutcome {
  return { kind: 'unknown', cause: cause instanceof Error ? cause.message : String(cause) };
}
