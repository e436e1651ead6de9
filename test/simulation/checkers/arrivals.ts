/**
 * What arrived outside. INV-17: per (room, destination) events arrive for the first time in version
 * order, and none is passed over but superseded ones, those that an operator gave up, and, where that
 * does not block, failed ones: behind them a room's later events are late, and not lost. INV-18: a repeat has the same bytes.
 * INV-20: whatever is seen outside, or on its way there, is a committed event with its own content.
 */
import type { EventRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { readIfAny, recordNameOf } from './avro-reading.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { mustGoTo, wayToIm } from './required-destinations.ts';
import { textIn } from './shown-displays.ts';
import { displayTypes } from './shown-record.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { WorldReading } from './world-reading.ts';

type Arrived = Extract<Observation, { kind: 'arrived' }>;
type Destination = Arrived['destination'];

/** A line of first arrivals: one room, one destination. */
interface Stream {
  /** The highest place in the room's events that has arrived; −1: none. */
  highest: number;
  /** Places that were passed over, with the state of their row at that time. */
  readonly passed: Map<number, string>;
  readonly bytes: Map<string, Uint8Array>;
}

/** All that IM sees of them is what they make of a group, which carries no event id. */
const withoutMessage: ReadonlySet<string> = new Set(['RoomCreated', 'RoomUserUnbanned']);

/** Makes it; see the file header. */
export const arrivals: CheckerFactory = (world, report) => new Arrivals(world, report);

class Arrivals implements Checker {
  readonly invariants = ['INV-17', 'INV-18', 'INV-20'];
  private readonly database: CheckedWorld['database'];
  private readonly lanes: CheckedWorld['lanes'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly fresh: Cursor<WorldReading['events'][number]>;
  /** A room's events in the order of their commits, and the place of each. */
  private readonly events = new Map<string, EventRow[]>();
  /** Envelopes that were committed, as texts of their bytes. */
  private readonly committed = new Set<string>();
  private readonly places = new Map<string, number>();
  private readonly streams = new Map<string, Stream>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.lanes = world.lanes;
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.fresh = new Cursor(this.reading.events);
  }

  observe(observation: Observation): void {
    this.lookAtEvents();
    if (observation.kind === 'arrived') this.arrived(observation);
    if (observation.kind === 'appended' && observation.value !== null) this.onItsWay(observation);
  }

  atEnd(): void {
    this.lookAtEvents();
    for (const [roomKey, rows] of this.events) {
      for (const destination of ['im', 'activity'] as const) {
        const stream = this.streamOf(roomKey, destination);
        for (const row of rows) this.checkSeen(row, destination, stream);
      }
    }
  }

  private lookAtEvents(): void {
    for (const { before, after } of this.fresh.fresh()) {
      if (before !== undefined || after === undefined) continue;
      const roomKey = `${after.appCode}\0${after.roomId}`;
      const rows = this.events.get(roomKey) ?? [];
      this.events.set(roomKey, rows);
      this.committed.add(Buffer.from(after.envelope).toString('latin1'));
      this.places.set(after.eventId, rows.push(after) - 1);
    }
  }

  private arrived(seen: Arrived): void {
    const row = this.database.events.get(seen.eventId as never);
    const place = this.places.get(seen.eventId);
    if (row === undefined && isDisplay(seen)) return;
    const fault = row === undefined ? 'is no committed event' : contentFault(seen, row);
    if (fault !== null)
      this.fault(
        'INV-20',
        seen,
        `${seen.eventId} arrived at ${seen.destination} (${seen.atMs} ms) and ${fault}`,
      );
    if (row === undefined || place === undefined) return;
    const way = this.wayOf(row, seen.destination);
    if (way === 'none') {
      this.fault(
        'INV-20',
        seen,
        `${named(row)} arrived at ${seen.destination}, which it is not for`,
      );
    }
    const stream = this.streamOf(`${row.appCode}\0${row.roomId}`, seen.destination);
    const first = stream.bytes.get(seen.eventId);
    if (first !== undefined) {
      if (Buffer.compare(first, seen.bytes) === 0) return;
      this.fault(
        'INV-18',
        seen,
        `${named(row)} arrived again at ${seen.destination} (${seen.atMs} ms) with other bytes: ${shown(first)} and then ${shown(seen.bytes)}`,
      );
      return;
    }
    stream.bytes.set(seen.eventId, seen.bytes);
    // In no order with what the outbox sends.
    if (way === 'display') return;
    this.checkOrder(seen, row, place, stream);
  }

  private checkOrder(seen: Arrived, row: EventRow, place: number, stream: Stream): void {
    const rows = this.events.get(`${row.appCode}\0${row.roomId}`) ?? [];
    if (place < stream.highest) {
      const passedAs = stream.passed.get(place) ?? 'arrived';
      if (passedAs === 'failed' || passedAs === 'given up') return;
      const later = rows[stream.highest];
      this.fault(
        'INV-17',
        seen,
        `${named(row)} arrived first at ${seen.destination} (${seen.atMs} ms) after ${later === undefined ? '?' : named(later)} had, and was ${passedAs} when it was passed over`,
      );
      return;
    }
    for (let at = stream.highest + 1; at < place; at += 1) {
      const passed = rows[at];
      if (passed === undefined) continue;
      const state = this.stateOf(passed, seen.destination);
      stream.passed.set(at, state);
      if (state === 'failed') this.checkPassedFailed(seen, row, passed);
    }
    stream.highest = place;
  }

  private checkPassedFailed(seen: Arrived, row: EventRow, passed: EventRow): void {
    if (this.world.blocking?.includes(seen.destination) !== true) return;
    this.fault(
      'INV-17',
      seen,
      `${named(row)} arrived at ${seen.destination} (${seen.atMs} ms) past ${named(passed)}, which had failed and holds back what comes behind it`,
    );
  }

  private checkSeen(row: EventRow, destination: Destination, stream: Stream): void {
    if (stream.bytes.has(row.eventId) || this.wayOf(row, destination) !== 'outbox') return;
    if (destination === 'im' && withoutMessage.has(row.eventType)) return;
    const state = this.stateOf(row, destination);
    if (state === 'failed' || state === 'superseded' || state === 'given up') return;
    const place = this.places.get(row.eventId) ?? 0;
    if (place > stream.highest && state !== 'delivered') return;
    const how = place < stream.highest ? 'was passed over by later ones' : 'was never seen there';
    this.fault('INV-17', row, `${named(row)} is ${state} for ${destination} and ${how}`);
  }

  private wayOf(row: EventRow, destination: Destination): 'outbox' | 'display' | 'none' {
    if (destination !== 'im') return mustGoTo(row.eventType, destination) ? 'outbox' : 'none';
    const { eventType, roomVersion } = row;
    const step = this.reading.stepAt(`${row.appCode}\0${row.roomId}`, roomVersion);
    const users = step?.states.at(-1)?.users.size ?? 0;
    const commandId = step?.row.commandId ?? '';
    const way = wayToIm({ eventType, commandId, users }, this.lanes);
    // Told with others, and not by itself.
    return way === 'gathered' ? 'none' : way;
  }

  private stateOf({ eventId }: EventRow, destination: Destination): string {
    const [row] = this.database.outbox.rowsBy('event', `${eventId}\0${destination}`);
    if (row === undefined) {
      return this.world.operatorHad?.(eventId, destination) === true ? 'given up' : 'without a row';
    }
    return row.status === 'delivered' && row.lastError.includes('superseded')
      ? 'superseded'
      : row.status;
  }

  private onItsWay({ value, topic, offset }: Extract<Observation, { kind: 'appended' }>): void {
    if (value === null || recordNameOf(value) !== 'EventEnvelope') return;
    if (this.committed.has(Buffer.from(value).toString('latin1'))) return;
    const envelope = readIfAny<Record<string, string>>('EventEnvelope', value);
    if (envelope === null) return;
    const { eventId, appCode, roomId } = envelope;
    const row = this.database.events.get(eventId as never);
    const room = { appCode: appCode ?? '', roomId: roomId ?? '' };
    const fault =
      row === undefined ? 'is no committed event' : 'has other bytes than the committed event';
    this.fault('INV-20', room, `${eventId} was put on ${topic} (offset ${offset}) and ${fault}`);
  }

  private streamOf(roomKey: string, destination: Destination): Stream {
    const key = `${roomKey}\0${destination}`;
    const stream = this.streams.get(key) ?? { highest: -1, passed: new Map(), bytes: new Map() };
    this.streams.set(key, stream);
    return stream;
  }

  private fault(invariant: string, at: { appCode: string; roomId: string }, text: string): void {
    this.report({ invariant, text, room: { appCode: at.appCode, roomId: at.roomId } });
  }
}

function isDisplay({ destination, bytes }: Arrived): boolean {
  return destination === 'im' && displayTypes.has(textIn(bytes, 'type'));
}

/** What of an arrival contradicts the committed event, or null. IM gets texts, others the envelope. */
function contentFault(seen: Arrived, row: EventRow): string | null {
  if (seen.appCode !== row.appCode || seen.roomId !== row.roomId) {
    return `was given out as one of ${seen.appCode}/${seen.roomId}, and is one of ${row.appCode}/${row.roomId}`;
  }
  if (recordNameOf(seen.bytes) === 'EventEnvelope') {
    return Buffer.compare(seen.bytes, row.envelope) === 0
      ? null
      : 'has other bytes than the committed event';
  }
  const expected = [row.eventId, row.appCode, row.roomId, row.eventType, String(row.roomVersion)];
  try {
    const text = JSON.parse(Buffer.from(seen.bytes).toString('utf8')) as Record<string, unknown>;
    const held = ['event_id', 'app_code', 'room_id', 'type', 'version'].map((name) => text[name]);
    return held.every((value, at) => value === expected[at])
      ? null
      : `says ${held.join(', ')} instead of ${expected.join(', ')}`;
  } catch {
    return `cannot be read: ${shown(seen.bytes)}`;
  }
}

function named(row: EventRow): string {
  return `event ${row.eventId} (${row.eventType}, version ${row.roomVersion}.${row.eventIndex})`;
}

function shown(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').slice(0, 200);
}
