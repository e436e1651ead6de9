/**
 * Events that this process saw confirmed, so that a repeat (a lost finish, a record read twice) ends
 * its row without being sent again. Keyed by app and event, never by version: an event that is
 * replayed late is older than what came since and must still go out. Bounded: the oldest leave, and
 * their repeats are sent again, which destinations bear.
 */
import type { AppCode, EventId } from '../domain/ids.ts';

/** See the file header. */
export class ConfirmedEvents {
  private readonly capacity: number;
  /** A Set keeps the order of insertion. */
  private readonly keys = new Set<string>();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Remembers a confirmed event. */
  add(appCode: AppCode, eventId: EventId): void {
    const key = keyOf(appCode, eventId);
    this.keys.delete(key);
    this.keys.add(key);
    if (this.keys.size <= this.capacity) return;
    const oldest = this.keys.values().next().value;
    if (oldest !== undefined) this.keys.delete(oldest);
  }

  /** True when the event was confirmed to this process not too long ago. */
  has(appCode: AppCode, eventId: EventId): boolean {
    return this.keys.has(keyOf(appCode, eventId));
  }
}

function keyOf(appCode: AppCode, eventId: EventId): string {
  return `${appCode}\0${eventId}`;
}
