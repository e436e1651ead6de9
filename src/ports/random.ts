/** Chance, as the program draws it: jitter, incarnations, claim tokens. */

/** `why` names the draw, so that a replay notices when code has drifted from its trace. */
export interface Random {
  /** Uniform in [0, 1). */
  fraction(why: string): number;
  /** `byteCount` unguessable bytes as lower-case hex. */
  hex(byteCount: number, why: string): string;
}
