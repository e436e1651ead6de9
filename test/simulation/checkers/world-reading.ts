/**
 * What all checkers of one run read together, once: every change of the log, the events and the
 * outbox in its order, and each room's history as a model, evolved from the logged bytes as they
 * come. Checkers keep a `Cursor` and look at what is new, so that a look costs what has changed.
 */
import type { EventId } from '../../../src/domain/ids.ts';
import type { OutboxRow } from '../../../src/drivers/memory/memory-rows.ts';
import type { EventRow, LogRow } from '../../../src/ports/commit-lane.ts';
import { branchOf, readRecord } from './avro-reading.ts';
import type { CheckedWorld } from './checker.ts';
import { chainBefore, linkOf } from './derived.ts';
import { evolved } from './evolved.ts';
import { absentRoom } from './room-model.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { RoomModel } from './room-model.ts';

/** One change of one row; undefined: there was, or is, no such row. */
export interface RowChange<Key, Row> {
  readonly key: Key;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** One applied command, as its log row tells it. */
export interface LoggedStep {
  readonly room: LoggedRoom;
  readonly row: LogRow;
  readonly version: bigint;
  readonly events: readonly LoggedEvent[];
  /** The room before each event and after the last: one more than there are events. */
  readonly states: readonly RoomModel[];
  /** h(v) as it follows from the stored events of this and all rows before. */
  readonly link: Uint8Array;
  /** Why the events cannot be read, or null. */
  readonly fault: string | null;
}

/** A room as its log tells it. */
export interface LoggedRoom {
  readonly key: string;
  readonly appCode: string;
  readonly roomId: string;
  /** By version; 0 is the absent room. */
  readonly states: Map<bigint, RoomModel>;
  readonly links: Map<bigint, Uint8Array>;
  /** What made each version; 0 has none. */
  readonly steps: Map<bigint, LoggedStep>;
  current: RoomModel;
  link: Uint8Array;
}

const nothing: readonly never[] = [];

/** What of a growing list somebody has not seen yet. */
export class Cursor<Item> {
  private readonly list: readonly Item[];
  private seen = 0;

  constructor(list: readonly Item[]) {
    this.list = list;
  }

  /** The new items, oldest first; they count as seen. */
  fresh(): readonly Item[] {
    if (this.seen === this.list.length) return nothing;
    const items = this.list.slice(this.seen);
    this.seen = this.list.length;
    return items;
  }
}

const readings = new WeakMap<CheckedWorld, WorldReading>();

/** The one reading of a world; the first checker opens it. */
export function readingOf(world: CheckedWorld): WorldReading {
  const known = readings.get(world);
  if (known !== undefined) return known;
  const reading = new WorldReading(world);
  readings.set(world, reading);
  return reading;
}

/** See the file header. Call `catchUp` before each look. */
export class WorldReading {
  readonly log: RowChange<string, LogRow>[] = [];
  readonly events: RowChange<EventId, EventRow>[] = [];
  readonly outbox: RowChange<bigint, OutboxRow>[] = [];
  readonly steps: LoggedStep[] = [];
  readonly rooms = new Map<string, LoggedRoom>();
  private readonly unread: Cursor<RowChange<string, LogRow>>;

  constructor({ database }: CheckedWorld) {
    this.unread = new Cursor(this.log);
    follow(database.log, this.log);
    follow(database.events, this.events);
    follow(database.outbox, this.outbox);
  }

  /** Reads what the log has got since the last call. */
  catchUp(): this {
    for (const { before, after } of this.unread.fresh()) {
      if (before !== undefined) this.forget(before);
      if (after?.appliedVersion !== null && after?.appliedVersion !== undefined) this.take(after);
    }
    return this;
  }

  private take(row: LogRow): void {
    const room = this.roomOf(row);
    const step = stepOf(room, row);
    room.current = step.states.at(-1) ?? room.current;
    room.link = step.link;
    room.states.set(step.version, room.current);
    room.links.set(step.version, room.link);
    room.steps.set(step.version, step);
    this.steps.push(step);
  }

  /** What made the room's version, as far as the log has got by now. */
  stepAt(roomKey: string, version: bigint): LoggedStep | undefined {
    return this.catchUp().rooms.get(roomKey)?.steps.get(version);
  }

  /** The room is again what it was before a row that is gone or was written over. */
  private forget(row: LogRow): void {
    if (row.appliedVersion === null) return;
    const room = this.roomOf(row);
    const before = room.states.get(row.appliedVersion - 1n);
    if (before === undefined) return;
    room.current = before;
    room.link = room.links.get(row.appliedVersion - 1n) ?? chainBefore;
  }

  private roomOf({ appCode, roomId }: LogRow): LoggedRoom {
    const key = `${appCode}\0${roomId}`;
    const known = this.rooms.get(key);
    if (known !== undefined) return known;
    const current = absentRoom(appCode, roomId);
    const states = new Map([[0n, current]]);
    const links = new Map([[0n, chainBefore]]);
    const steps = new Map<bigint, LoggedStep>();
    const room = { key, appCode, roomId, states, links, steps, current, link: chainBefore };
    this.rooms.set(key, room);
    return room;
  }
}

/** The events of a log row, or why they cannot be read. */
export function eventsOf(row: LogRow): {
  readonly events: readonly LoggedEvent[];
  readonly fault: string | null;
} {
  if (row.events === null) return { events: [], fault: 'it has no events' };
  try {
    const { events } = readRecord<{ events: readonly unknown[] }>('LoggedEvents', row.events);
    const read = events.map((event) => {
      const branch = branchOf(event);
      if (branch === null) throw new Error('an event without a type');
      return { ...branch.value, type: branch.name } as LoggedEvent;
    });
    return { events: read, fault: read.length === 0 ? 'it has no events' : null };
  } catch (error) {
    return { events: [], fault: error instanceof Error ? error.message : String(error) };
  }
}

function stepOf(room: LoggedRoom, row: LogRow): LoggedStep {
  const version = row.appliedVersion ?? 0n;
  const { events, fault } = eventsOf(row);
  const states = [room.current];
  for (const event of events) {
    states.push(evolved(states.at(-1) ?? room.current, event, version, BigInt(row.decidedAtMs)));
  }
  const link = linkOf(room.link, row.events ?? new Uint8Array());
  return { room, row, version, events, states, link, fault };
}

function follow<Key, Row>(
  table: Map<Key, Row> & {
    watch(watcher: (key: Key, before: Row | undefined, after: Row | undefined) => void): void;
  },
  into: RowChange<Key, Row>[],
): void {
  for (const [key, row] of table) into.push({ key, before: undefined, after: row });
  table.watch((key, before, after) => into.push({ key, before, after }));
}
