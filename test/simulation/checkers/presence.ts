/**
 * INV-28: a closed room holds nobody and takes nothing any more. INV-29: every count is the size of
 * a set: who joins was not there, who leaves was, and rooms row, list, last words and views say the
 * number that the log makes. Bans do not exist yet.
 */
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { roomOfKey, viewIn } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import type { LoggedEvent, RoomModel } from './room-model.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, RowChange, WorldReading } from './world-reading.ts';

/** Commands that a closed room must refuse. */
const openOnly: ReadonlySet<string> = new Set([
  'JoinRoom',
  'LeaveRoom',
  'MicUp',
  'MicDown',
  'ConfirmMicPublishing',
  'SendGift',
]);

/** Makes it; see the file header. */
export const presence: CheckerFactory = (world, report) => new Presence(world, report);

class Presence implements Checker {
  readonly invariants = ['INV-28', 'INV-29'];
  private readonly database: CheckedWorld['database'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly rows: Cursor<RowChange<string, LogRow>>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
    this.rows = new Cursor(this.reading.log);
  }

  observe(observation: Observation): void {
    this.look();
    if (observation.kind !== 'answered') return;
    const { end, call } = observation;
    const view = viewIn(end);
    if (view !== null) this.checkView(view, `the view of call ${call.callId} (${call.client})`);
  }

  atEnd(): void {
    this.look();
    for (const [key, { onlineCount }] of this.database.rooms) {
      const online = this.reading.rooms.get(key)?.current.users.size ?? 0;
      if (onlineCount !== online)
        this.fault(
          'INV-29',
          key,
          `${onlineCount} are online by the rooms row, and the log leaves ${online} in the room`,
        );
    }
  }

  private look(): void {
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step);
    for (const { after } of this.rows.fresh()) if (after !== undefined) this.checkTaken(after);
  }

  private checkStep(step: LoggedStep): void {
    const { room, row, version, events, states } = step;
    const by = `version ${version} by ${row.commandId} (${row.commandType})`;
    for (const [index, event] of events.entries()) {
      const before = states[index];
      if (before === undefined) continue;
      if (before.status === 'closed')
        this.fault('INV-28', room.key, `${by}: ${event.type} happened in a closed room`);
      const fault = countFault(event, before);
      if (fault !== null) this.fault('INV-29', room.key, `${by}: ${fault}`);
    }
    const after = states.at(-1);
    if (after?.status === 'closed') {
      const seated = after.seats.flatMap(({ occupancy }) => occupancy?.userId ?? []);
      const held = [...after.users.keys(), ...seated];
      if (held.length > 0)
        this.fault('INV-28', room.key, `${by}: the closed room holds ${held.join(', ')}`);
    }
    if (version !== room.current.version || after === undefined) return;
    const online = this.database.rooms.get(room.key as never)?.onlineCount;
    const listed = this.database.listEntries.get(room.key as never)?.onlineCount;
    if (online === after.users.size && listed === after.users.size) return;
    this.fault(
      'INV-29',
      room.key,
      `${by}: ${online} are online by the rooms row, ${listed} by the list, and ${after.users.size} are in the room`,
    );
  }

  private checkTaken(row: LogRow): void {
    if (row.outcome === 'rejected' || !openOnly.has(row.commandType)) return;
    const key = `${row.appCode}\0${row.roomId}`;
    const at = row.appliedVersion === null ? row.decidedVersion : row.appliedVersion - 1n;
    const room = this.reading.rooms.get(key)?.states.get(at);
    if (room?.status !== 'closed') return;
    this.fault(
      'INV-28',
      key,
      `${row.commandId} (${row.commandType}) of ${row.actorUserId} ended ${row.outcome} in a closed room`,
    );
  }

  private checkView(view: RoomView, what: string): void {
    const key = `${view.appCode}\0${view.roomId}`;
    const room = this.reading.rooms.get(key)?.states.get(view.version);
    if (room === undefined) return;
    const onSeat = room.seats.filter(({ occupancy }) => occupancy !== null).length;
    const { counts, status } = view;
    if (counts.online !== room.users.size || counts.onSeat !== onSeat) {
      this.fault(
        'INV-29',
        key,
        `${what} counts ${counts.online} online and ${counts.onSeat} on seats at version ${view.version}, and the log makes ${room.users.size} and ${onSeat}`,
      );
    }
    if (status !== room.status) {
      this.fault(
        'INV-28',
        key,
        `${what} is ${status} at version ${view.version}, and the log makes ${room.status}`,
      );
    }
  }

  private fault(invariant: string, key: string, text: string): void {
    this.report({ invariant, text, room: roomOfKey(key) });
  }
}

function countFault(event: LoggedEvent, before: RoomModel): string | null {
  switch (event.type) {
    case 'RoomUserJoined':
      return before.users.has(event.userId) ? `${event.userId} joined and was in the room` : null;
    case 'RoomUserLeft':
    case 'RoomUserUpdated': {
      if (before.users.has(event.userId)) return null;
      return `${event.type} of ${event.userId}, who was not in the room`;
    }
    case 'RoomClosed': {
      const { finalOnlineCount: said } = event;
      const { size } = before.users;
      return said === size ? null : `it closed with ${said} online, and ${size} were in the room`;
    }
    default:
      return null;
  }
}
