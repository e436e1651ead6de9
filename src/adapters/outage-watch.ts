/**
 * Tells an outage of the destination from a bad event. When nothing gets through any more, in more
 * than one room, the events are not to blame: failures are not counted as tries (no row may end in
 * `failed` because somebody's server was down) and sending slows down. One success ends it.
 *
 * One room alone is no outage, however often it fails: its event may be the cause, and must reach
 * its limit of tries some day.
 */
import { backoffMs } from '../kernel/backoff.ts';
import type { RoomKey } from '../domain/ids.ts';

/** Failures in a row, without one success, that make an outage … */
const failuresMin = 5;
/** … when they come from this many rooms. */
const roomsMin = 2;
const pauses = { initialMs: 100, maxMs: 2_000 };

/** See the file header. One per adapter. */
export class OutageWatch {
  private failures = 0;
  private readonly rooms = new Set<RoomKey>();

  /** True while the destination seems to be out of reach. */
  get isOutage(): boolean {
    return this.failures >= failuresMin && this.rooms.size >= roomsMin;
  }

  /** Something got through. Answers true when that ended an outage. */
  succeeded(): boolean {
    const was = this.isOutage;
    this.failures = 0;
    this.rooms.clear();
    return was;
  }

  /** A send failed in a way that may pass. Answers true when that made an outage. */
  failed(roomKey: RoomKey): boolean {
    const was = this.isOutage;
    this.failures += 1;
    if (this.rooms.size < roomsMin) this.rooms.add(roomKey);
    return !was && this.isOutage;
  }

  /** Pause before the next run is tried; 0 when there is no outage. `fraction` is in [0, 1). */
  pauseMs(fraction: number): number {
    if (!this.isOutage) return 0;
    return backoffMs(pauses, this.failures - failuresMin + 1, fraction);
  }
}
