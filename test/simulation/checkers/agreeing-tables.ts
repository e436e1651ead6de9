/**
 * INV-9: for each version the log, the events, the outbox and the rooms row say the same: one event
 * row per logged event, one outbox row per event and destination that it must have and no other, and
 * a rooms row that is as far as the log. A transaction that is half there shows here.
 */
import type { Destination } from '../../../src/protocol/topics.ts';
import { branchOf, readRecord } from './avro-reading.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { eventIdOf } from './derived.ts';
import type { LoggedEvent } from './logged-event.ts';
import { hasRowFor } from './required-destinations.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

const everyDestination: readonly Destination[] = ['im', 'activity', 'rtc'];

/** Makes it; see the file header. */
export const agreeingTables: CheckerFactory = (world, report) => new AgreeingTables(world, report);

class AgreeingTables implements Checker {
  readonly invariants = ['INV-9'];
  private readonly database: CheckedWorld['database'];
  private readonly lanes: CheckedWorld['lanes'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly events: Cursor<WorldReading['events'][number]>;
  private readonly outbox: Cursor<WorldReading['outbox'][number]>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.lanes = world.lanes;
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
    this.events = new Cursor(this.reading.events);
    this.outbox = new Cursor(this.reading.outbox);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    const steps = this.steps.fresh();
    for (const step of steps) this.checkStep(step);
    for (const key of new Set(steps.map(({ room }) => room.key))) this.checkMeta(key);
    this.lookAtEvents();
    this.lookAtOutbox();
  }

  atEnd(): void {
    this.look();
    for (const key of this.reading.rooms.keys()) this.checkMeta(key);
    for (const key of this.database.rooms.keys())
      if (!this.reading.rooms.has(key)) this.checkMeta(key);
  }

  private checkStep(step: LoggedStep): void {
    const { room, row, version, events } = step;
    for (const [index, event] of events.entries()) this.checkEvent(step, event, index);
    const beyond = this.rowsAt(room.key, version, events.length);
    if (beyond.length === 0) return;
    this.fault(
      room.key,
      `${row.commandId} logged ${events.length} events at version ${version}, and room_events has one more: ${beyond[0]?.eventType ?? ''}`,
    );
  }

  private checkEvent(step: LoggedStep, event: LoggedEvent, index: number): void {
    const { room, row, version } = step;
    const what = `event ${index} of version ${version} (${event.type} by ${row.commandId})`;
    const eventId = eventIdOf(row.appCode, row.roomId, row.commandId, index);
    const [stored, ...others] = this.rowsAt(room.key, version, index);
    if (stored === undefined || others.length > 0) {
      this.fault(
        room.key,
        `${what} has ${stored === undefined ? 'no row' : 'several rows'} in room_events`,
      );
      return;
    }
    const head = { eventId, eventType: event.type, occurredAtMs: row.decidedAtMs };
    for (const [name, value] of Object.entries(head)) {
      const held = stored[name as keyof typeof head];
      if (held !== value)
        this.fault(room.key, `${what} is stored with ${name} ${held} instead of ${value}`);
    }
    const expected = textOf({
      ...head,
      ...{ appCode: row.appCode, roomId: row.roomId, roomVersion: version, eventIndex: index },
      ...{ commandId: row.commandId, actorUserId: row.actorUserId },
      event: withoutSecret(event),
    });
    const envelope = envelopeText(stored.envelope);
    if (envelope !== expected) {
      this.fault(room.key, `${what} left the service as ${envelope} and is logged as ${expected}`);
    }
    this.checkOutbox(step, eventId, event.type, what);
  }

  private checkOutbox(
    { room: { key }, row: { commandId }, states }: LoggedStep,
    eventId: string,
    eventType: LoggedEvent['type'],
    what: string,
  ): void {
    const users = states.at(-1)?.users.size ?? 0;
    for (const destination of everyDestination) {
      const count = this.database.outbox.rowsBy('event', `${eventId}\0${destination}`).length;
      const wanted = hasRowFor({ eventType, commandId, users }, destination, this.lanes) ? 1 : 0;
      if (count !== wanted) {
        this.fault(
          key,
          `${what} has ${count} outbox rows for ${destination} and must have ${wanted}`,
        );
      }
    }
  }

  private lookAtEvents(): void {
    for (const { key: eventId, before, after } of this.events.fresh()) {
      const row = after ?? before;
      if (row === undefined) continue;
      const key = `${row.appCode}\0${row.roomId}`;
      const what = `event ${eventId} (${row.eventType}, version ${row.roomVersion})`;
      if (before !== undefined)
        this.fault(key, `${what} was ${after === undefined ? 'lost' : 'changed'} after its commit`);
      else if (this.reading.rooms.get(key)?.states.has(row.roomVersion) !== true) {
        this.fault(key, `${what} is committed without a log row of its version`);
      }
    }
  }

  private lookAtOutbox(): void {
    for (const { key: rowId, before, after } of this.outbox.fresh()) {
      const row = after ?? before;
      if (row === undefined || (before !== undefined && after !== undefined)) continue;
      const key = `${row.appCode}\0${row.roomId}`;
      const what = `outbox row ${rowId} (${row.eventType}, version ${row.roomVersion}, ${row.destination})`;
      if (after === undefined) {
        const isGivenUp =
          row.status === 'failed' && this.world.operatorHad?.(row.eventId, row.destination);
        if (isGivenUp !== true) this.fault(key, `${what} was lost after its commit`);
      }
      if (after !== undefined && !isOf(row, this.database.events.get(row.eventId))) {
        this.fault(key, `${what} does not say what its event ${row.eventId} says`);
      }
    }
  }

  private checkMeta(key: string): void {
    const version = this.database.rooms.get(key as never)?.version ?? 0n;
    const logged = this.reading.rooms.get(key)?.current.version ?? 0n;
    if (version !== logged) {
      this.fault(key, `the rooms row is at version ${version} and the log at ${logged}`);
    }
  }

  private rowsAt(key: string, version: bigint, index: number): CheckedRow[] {
    return this.database.events.rowsBy('place', `${key}\0${version}\0${index}`);
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-9', text, room: roomOfKey(key) });
  }
}

type CheckedRow = NonNullable<ReturnType<CheckedWorld['database']['events']['get']>>;

function isOf(
  row: Pick<CheckedRow, 'appCode' | 'roomId' | 'roomVersion' | 'eventIndex' | 'eventType'>,
  event: CheckedRow | undefined,
): boolean {
  if (event === undefined) return false;
  const fields = ['appCode', 'roomId', 'roomVersion', 'eventIndex', 'eventType'] as const;
  return fields.every((field) => row[field] === event[field]);
}

function envelopeText(bytes: Uint8Array): string {
  try {
    const { event, ...fields } = readRecord<{ readonly event: unknown }>('EventEnvelope', bytes);
    const branch = branchOf(event);
    return textOf({ ...fields, event: { ...branch?.value, type: branch?.name } });
  } catch (error) {
    return `bytes that cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

function withoutSecret(event: LoggedEvent): object {
  if (event.type !== 'RoomCreated' && event.type !== 'RoomPasswordChanged') return event;
  const { passwordHash: _, ...rest } = event;
  return rest;
}
