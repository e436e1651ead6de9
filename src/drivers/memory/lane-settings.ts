/** Which memory lane it is, and how long it waits for what. */
import type { Timers } from '../../ports/timers.ts';

/** Which lane this is and how long it waits; the defaults are the real lane's. */
export interface MemoryLaneSettings {
  /** Of its process; a successor finds the lane by it. A lane without one cannot be ended by name. */
  readonly incarnation?: string;
  readonly lane?: number;
  /** For the answer to the first packet, lock waits included. Default 3 s. */
  readonly packetMs?: number;
  /** For the answer to COMMIT. Default 3 s. */
  readonly commitMs?: number;
  /** For the gate; then it counts as a no. Default 1 s. */
  readonly gateMs?: number;
  /** Lock wait of one statement, at the server. Default 1 s. */
  readonly lockWaitMs?: number;
  /** After so long without a word in a transaction the server ends the connection. Default 10 s. */
  readonly silentMs?: number;
  /** Of the process. Default: the server's. */
  readonly timers?: Timers;
  /**
   * Awaited before COMMIT is sent: whoever simulates a process that stands still, or is no more,
   * holds its lane there. Default: nobody does.
   */
  readonly beforeCommit?: (() => Promise<void>) | null;
}

/** The settings with their defaults. */
export function laneSettings(
  given: MemoryLaneSettings,
  serverTimers: Timers,
): Required<MemoryLaneSettings> {
  return {
    incarnation: '',
    lane: 0,
    packetMs: 3_000,
    commitMs: 3_000,
    gateMs: 1_000,
    lockWaitMs: 1_000,
    silentMs: 10_000,
    timers: serverTimers,
    beforeCommit: null,
    ...given,
  };
}

/** Name by which others find a lane's connection; the real lock's name is a digest of the same. */
export function laneName(incarnation: string, lane: number): string {
  return `${incarnation}\0${lane}`;
}
