/** The calls of a run's clients as plain data: what is asked in which order, never what comes of it. */
import type { PlannedAsk } from './planned-ask.ts';

/** A client is one user of one app; its name, and its place in the ring of gifts, is its index. */
export interface PlannedClient {
  readonly appCode: string;
  readonly userId: string;
}

/** One call with all its tries. */
export interface PlannedCall {
  /** Unique in the run; the command id is its place among the calls of its app. */
  readonly nth: number;
  readonly client: number;
  /** Not before this time of the run, and not before the end of the client's last call; virtual ms. */
  readonly atMs: number;
  readonly gateway: number;
  readonly role: 'user' | 'service' | 'operator';
  readonly ttlMs: number;
  /** Not before an aimed fault has come to its moment for the nth time. Absent: it waits for none. */
  readonly moment?: number;
  /** Whether the client goes on without an answer, and comes back for it at the end of the run. */
  readonly givesUp: boolean;
  /** Whether nobody ever asks for it again, answered or not. */
  readonly isForgotten: boolean;
  readonly ask: PlannedAsk;
  /**
   * The id of an earlier call of this client is used again: with exactly what was asked then, or
   * with `ask` instead of it (`otherPayload`). Null: an id of its own.
   */
  readonly repeatOf: number | null;
  readonly otherPayload: boolean;
}

/** Somebody who watches a room from a time on, until the run is over. */
export interface PlannedWatch {
  readonly appCode: string;
  readonly room: number;
  readonly role: 'user' | 'service' | 'operator';
  /** '' beside a role above the room. */
  readonly userId: string;
  readonly gateway: number;
  /** Virtual ms from the start of the run. */
  readonly fromMs: number;
  /** Steps after which it hangs up and asks again; 0: it never does. */
  readonly hangsUpAfter: number;
}

/** See the file header. */
export interface Workload {
  readonly clients: readonly PlannedClient[];
  readonly calls: readonly PlannedCall[];
  /** Not in cases of old: nobody watches. */
  readonly watches?: readonly PlannedWatch[];
}
