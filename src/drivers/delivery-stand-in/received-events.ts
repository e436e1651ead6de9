/**
 * The sandbox's own record of what arrived: per destination and room the events in the order of
 * their first arrival, with their repeats. Tests and people compare it with what was committed, so
 * it is written by the receiving side alone.
 */
import { hash } from 'node:crypto';

/** One arrival. */
export interface Arrival {
  readonly appCode: string;
  readonly roomId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Decimal. */
  readonly roomVersion: string;
  readonly eventIndex: number;
  /** What came, for telling repeats with other bytes. */
  readonly bytes: Uint8Array;
}

/** One event as it is shown. */
export interface ReceivedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly version: string;
  readonly index: number;
  /** Arrivals after the first that the receiver took for new. */
  repeats: number;
  /** Arrivals that the receiver recognised as repeats and dropped. */
  deduplicated: number;
  /** Arrivals whose bytes differed from the first. */
  different: number;
  /** System notifications about it (IM only). */
  notifications: number;
}

/** One room's events in the order of first arrival. */
export interface ReceivedRoom {
  readonly app_code: string;
  readonly room_id: string;
  readonly events: readonly ReceivedEvent[];
}

interface Entry {
  readonly event: ReceivedEvent;
  readonly digest: string;
}

/** Beyond this many events nothing new is recorded, only counted. */
const eventsMax = 500_000;

/** See the file header. One per destination. */
export class ReceivedEvents {
  private readonly rooms = new Map<string, { room: ReceivedRoom; events: ReceivedEvent[] }>();
  private readonly entries = new Map<string, Entry>();
  /** Events that came when the record was full. */
  private unrecorded = 0;

  /** `how`: the receiver took it, dropped it as a repeat, or it was a notification about it. */
  record(arrival: Arrival, how: 'taken' | 'deduplicated' | 'notification'): void {
    const digest = hash('sha256', arrival.bytes, 'hex');
    const key = `${arrival.appCode}\0${arrival.eventId}`;
    const known = this.entries.get(key);
    const entry = known ?? this.first(key, arrival, digest);
    if (entry === null) return;
    if (how === 'notification') entry.event.notifications += 1;
    else if (how === 'deduplicated') entry.event.deduplicated += 1;
    else if (known !== undefined) entry.event.repeats += 1;
    if (entry.digest !== digest) entry.event.different += 1;
  }

  /** True when the event was recorded before. */
  has(appCode: string, eventId: string): boolean {
    return this.entries.has(`${appCode}\0${eventId}`);
  }

  /** Everything, as JSON for the control interface. */
  show(): {
    readonly events: number;
    readonly unrecorded: number;
    readonly rooms: readonly ReceivedRoom[];
  } {
    const rooms = [...this.rooms.values()].map(({ room }) => room);
    return { events: this.entries.size, unrecorded: this.unrecorded, rooms };
  }

  private first(key: string, arrival: Arrival, digest: string): Entry | null {
    if (this.entries.size >= eventsMax) {
      this.unrecorded += 1;
      return null;
    }
    const event: ReceivedEvent = {
      event_id: arrival.eventId,
      type: arrival.eventType,
      version: arrival.roomVersion,
      index: arrival.eventIndex,
      repeats: 0,
      deduplicated: 0,
      different: 0,
      notifications: 0,
    };
    const entry = { event, digest };
    this.entries.set(key, entry);
    this.roomOf(arrival).push(event);
    return entry;
  }

  private roomOf({ appCode, roomId }: Arrival): ReceivedEvent[] {
    const key = `${appCode}\0${roomId}`;
    const known = this.rooms.get(key);
    if (known !== undefined) return known.events;
    const events: ReceivedEvent[] = [];
    this.rooms.set(key, { room: { app_code: appCode, room_id: roomId, events }, events });
    return events;
  }
}
