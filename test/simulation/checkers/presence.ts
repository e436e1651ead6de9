/**
 * INV-28: a closed room holds nobody and takes nothing any more. INV-29: every count is the size of
 * a set: who joins was not there, who leaves was, and rooms row, list, last words and views say the
 * number that the log makes. Nobody is in a room who is banned from it (INV-28).
 */
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { roomOfKey, viewIn } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import type { LoggedEvent } from './logged-event.ts';
import type { RoomModel } from './room-model.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, RowChange, WorldReading } from './world-reading.ts';

/** Commands that a closed room must refuse. */
const openOnly: ReadonlySet<string> = new Set([
  ...['JoinRoom', 'UpdateUser', 'LeaveRoom', 'KickUser', 'UnbanUser', 'EvictUser'],
  ...['MicUp', 'MicDown', 'ChangeMicSeat', 'ConfirmMicPublishing', 'SetMicSeatLock'],
  ...['SetMicSeatMute', 'InviteToMic', 'ApplyForMic', 'AnswerMicRequest', 'SendGift'],
  ...['UpdateRoomProfile', 'SetSeatCount', 'SetRoomPassword', 'SetRoomMode', 'SetVisibleRegion'],
  ...['SetAdmin', 'TransferOwner'],
]);

/** What alone may happen in a room that has ended. */
const endEvents: ReadonlySet<string> = new Set(['RoomDeleted']);

/** States of a room that has ended. */
const ended: ReadonlySet<string> = new Set(['closed', 'deleted']);

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
    this.checkWhereabouts();
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

  /** The rows by which a user's rooms are found are those who are present, no more and no less. */
  private checkWhereabouts(): void {
    const stored = new Map<string, string[]>();
    for (const { appCode, roomId, userId, joinedAtMs } of this.database.userRooms.values()) {
      const key = `${appCode}\0${roomId}`;
      stored.set(key, [...(stored.get(key) ?? []), `${userId} since ${joinedAtMs}`]);
    }
    const keys = new Set([...stored.keys(), ...this.reading.rooms.keys()]);
    for (const key of keys) {
      const present = [...(this.reading.rooms.get(key)?.current.users.values() ?? [])];
      const expected = present.map(({ userId, joinedAtMs }) => `${userId} since ${joinedAtMs}`);
      const [held, made] = [stored.get(key) ?? [], expected].map((list) => list.sort().join(', '));
      if (held !== made) {
        this.fault(
          'INV-29',
          key,
          `user_rooms holds ${held}, and the log leaves ${made} in the room`,
        );
      }
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
      if (ended.has(before.status) && !endEvents.has(event.type))
        this.fault('INV-28', room.key, `${by}: ${event.type} happened in a closed room`);
      if (event.type === 'RoomUserUnbanned' && event.reason === 'expired') {
        const endsAtMs = before.bans.get(event.userId)?.expiresAtMs ?? 0n;
        if (endsAtMs === 0n || endsAtMs > BigInt(row.decidedAtMs)) {
          const what = `the ban of ${event.userId} ends by its time at ${row.decidedAtMs} ms`;
          this.fault('INV-28', room.key, `${by}: ${what}, and that is ${endsAtMs}`);
        }
      }
      const fault = countFault(event, before);
      if (fault !== null) this.fault('INV-29', room.key, `${by}: ${fault}`);
    }
    const after = states.at(-1);
    if (after !== undefined && ended.has(after.status)) {
      const seated = after.seats.flatMap(({ occupancy }) => occupancy?.userId ?? []);
      const waiting = after.micRequests.map(({ userId }) => userId);
      const held = [...after.users.keys(), ...seated, ...waiting];
      if (held.length > 0)
        this.fault('INV-28', room.key, `${by}: the closed room holds ${held.join(', ')}`);
    }
    for (const userId of after?.bans.keys() ?? []) {
      if (after?.users.has(userId) === true)
        this.fault('INV-28', room.key, `${by}: ${userId} is in the room and banned from it`);
    }
    if (version !== room.current.version || after === undefined || after.status === 'deleted')
      return;
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
    if (room === undefined || !ended.has(room.status)) return;
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
    const robots = [...room.users.values()].filter(({ isRobot }) => isRobot).length;
    if (counts.robots !== robots) {
      const text = `counts ${counts.robots} robots at version ${view.version}, and the log makes ${robots}`;
      this.fault('INV-29', key, `${what} ${text}`);
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
    case 'RoomUsersStaleLeft': {
      const twice = event.userIds.filter((userId, at) => event.userIds.indexOf(userId) !== at);
      const absent = event.userIds.filter((userId) => !before.users.has(userId));
      const odd = [...twice, ...absent];
      return odd.length === 0 ? null : `${odd.join(', ')} left as stale without being in the room`;
    }
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
