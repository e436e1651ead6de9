/**
 * INV-26: a user sits on one seat at most and a seat holds one user at most, who is present; nobody
 * sits on a locked seat, and nobody asks for the mic while on a seat or absent. INV-27: whatever speaks of a mic session speaks of the one that holds the seat:
 * nothing that carries an older session, or an older time of the same one, changes a newer.
 */
import { roomOfKey } from './calls.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { recordsOf } from './command-records.ts';
import { sessionIdOf } from './derived.ts';
import type { LoggedOf, MicFields } from './logged-event.ts';
import type { RoomModel } from './room-model.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

/** How far the RTC service's clock may be behind when audio starts (decision 20). */
const rtcClockSkewMs = 2_000n;

/** Makes it; see the file header. */
export const seats: CheckerFactory = (world, report) => new Seats(world, report);

class Seats implements Checker {
  readonly invariants = ['INV-26', 'INV-27'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step);
  }

  atEnd(): void {
    this.look();
    for (const step of this.reading.steps) {
      this.checkNamedSession(step);
      this.checkRtcEvent(step);
    }
  }

  private checkStep(step: LoggedStep): void {
    for (const [index, event] of step.events.entries()) {
      const before = step.states[index];
      if (before === undefined) continue;
      if (event.type === 'RoomMicUp') this.checkUp(step, event, before);
      if (
        event.type === 'RoomMicDown' ||
        event.type === 'RoomMicPublishing' ||
        event.type === 'RoomMicRtcNoted'
      ) {
        this.checkSession(step, event, before);
      }
      if (event.type === 'RoomMicSeatChanged') this.checkMove(step, event, before);
      if (event.type === 'RoomSeatCountChanged') this.checkSeatCount(step, event, before);
    }
    const after = step.states.at(-1);
    for (const fault of after === undefined ? [] : seatFaults(after))
      this.fault('INV-26', step, fault);
  }

  private checkUp(step: LoggedStep, event: MicFields, before: RoomModel): void {
    const { userId, seatNo, micSessionId } = event;
    const seat = before.seats.find((each) => each.seatNo === seatNo);
    if (seat?.occupancy !== null) {
      this.fault(
        'INV-26',
        step,
        `${userId} took seat ${seatNo}, ${seat === undefined ? 'which the room lacks' : `on which ${seat.occupancy.userId} sat`}`,
      );
    }
    const { row } = step;
    const expected = sessionIdOf(row.appCode, row.roomId, row.commandId);
    if (micSessionId === expected) return;
    this.fault(
      'INV-27',
      step,
      `${userId} began the session ${micSessionId} on seat ${seatNo}, and ${row.commandId} makes ${expected}: a session is used again`,
    );
  }

  private checkSession(
    step: LoggedStep,
    event: LoggedOf<'RoomMicDown' | 'RoomMicPublishing' | 'RoomMicRtcNoted'>,
    before: RoomModel,
  ): void {
    const { type, userId, seatNo, micSessionId } = event;
    const held = before.seats.find((each) => each.seatNo === seatNo)?.occupancy ?? null;
    if (held?.micSessionId !== micSessionId || held.userId !== userId) {
      const holder =
        held === null
          ? 'nobody sits there'
          : `${held.userId} sits there in session ${held.micSessionId}`;
      this.fault(
        'INV-27',
        step,
        `${type} speaks of ${userId} on seat ${seatNo} in session ${micSessionId}, and ${holder}`,
      );
    } else if (event.type !== 'RoomMicDown') {
      const { publishEventTimeMs: heardMs } = event;
      if (heardMs === 0n || heardMs > held.lastPublishEventTimeMs) return;
      this.fault(
        'INV-27',
        step,
        `${type} of session ${micSessionId} is of ${heardMs} ms, and ${held.lastPublishEventTimeMs} ms had been heard`,
      );
    }
  }

  private checkMove(
    step: LoggedStep,
    event: LoggedOf<'RoomMicSeatChanged'>,
    before: RoomModel,
  ): void {
    const { userId, fromSeatNo, toSeatNo, micSessionId } = event;
    const held = before.seats.find((each) => each.seatNo === fromSeatNo)?.occupancy ?? null;
    if (held?.micSessionId !== micSessionId || held.userId !== userId) {
      const what = `session ${micSessionId} of ${userId} moved from seat ${fromSeatNo}`;
      this.fault('INV-27', step, `${what}, where ${held?.micSessionId ?? 'nobody'} sat`);
    }
    const target = before.seats.find((each) => each.seatNo === toSeatNo);
    if (target?.occupancy === null && !target.locked) return;
    const there = target === undefined ? 'which the room lacks' : 'which was not free';
    this.fault('INV-26', step, `${userId} moved to seat ${toSeatNo}, ${there}`);
  }

  private checkSeatCount(
    step: LoggedStep,
    { seatCount }: LoggedOf<'RoomSeatCountChanged'>,
    before: RoomModel,
  ): void {
    for (const { seatNo, occupancy } of before.seats.slice(seatCount)) {
      if (occupancy === null) continue;
      this.fault('INV-26', step, `seat ${seatNo} went away under ${occupancy.userId}`);
    }
  }

  /** A command that names a session changes that one and no other. */
  private checkNamedSession(step: LoggedStep): void {
    const { row, events } = step;
    if (row.kafkaOffset === null) return;
    if (row.commandType !== 'ConfirmMicPublishing' && row.commandType !== 'MicDown') return;
    const record = recordsOf(this.world, row.partition).get(row.kafkaOffset);
    const named = record?.command?.body['micSessionId'];
    if (typeof named !== 'string' || named === '') return;
    for (const event of events) {
      if (!('micSessionId' in event) || event.micSessionId === named) continue;
      this.fault(
        'INV-27',
        step,
        `${row.commandType} named session ${named} and changed ${event.micSessionId} by ${event.type}`,
      );
    }
  }

  /** An RTC event changes only what it is newer than, and no session that began after it. */
  private checkRtcEvent(step: LoggedStep): void {
    const { row, events, states } = step;
    if (row.commandType !== 'ApplyRtcEvent' || row.kafkaOffset === null) return;
    const record = recordsOf(this.world, row.partition).get(row.kafkaOffset);
    const heardMs = BigInt((record?.command?.body['eventTimeMs'] as bigint | undefined) ?? 0n);
    const isStart = record?.command?.body['kind'] === 'audio_started';
    const holder = states[0]?.seats.find((seat) => seat.occupancy?.userId === row.actorUserId);
    const held = holder?.occupancy ?? null;
    const allowedMs = isStart ? rtcClockSkewMs : 0n;
    const isNews =
      held !== null &&
      heardMs > held.lastPublishEventTimeMs &&
      heardMs >= held.sessionStartedAtMs - allowedMs;
    const odd = events.find((event) => 'userId' in event && event.userId !== row.actorUserId);
    if (isNews && odd === undefined) return;
    this.fault(
      'INV-27',
      step,
      `an RTC event of ${heardMs} ms about ${row.actorUserId} changed ${odd?.type ?? 'the seat'}, where ${held === null ? 'nobody' : `session ${held.micSessionId} of ${held.sessionStartedAtMs} ms, last heard at ${held.lastPublishEventTimeMs} ms,`} sat`,
    );
  }

  private fault(invariant: string, { room, row, version }: LoggedStep, what: string): void {
    const text = `version ${version} by ${row.commandId} (${row.commandType}): ${what}`;
    this.report({ invariant, text, room: roomOfKey(room.key) });
  }
}

function seatFaults(room: RoomModel): string[] {
  const faults: string[] = [];
  const seatOf = new Map<string, number>();
  for (const { seatNo, locked, occupancy } of room.seats) {
    if (occupancy === null) continue;
    const { userId } = occupancy;
    if (locked) faults.push(`${userId} sits on seat ${seatNo}, which is locked`);
    const other = seatOf.get(userId);
    seatOf.set(userId, seatNo);
    if (other !== undefined) faults.push(`${userId} sits on the seats ${other} and ${seatNo}`);
    if (!room.users.has(userId))
      faults.push(`${userId} sits on seat ${seatNo} and is not in the room`);
  }
  for (const { userId } of room.micRequests) {
    if (seatOf.has(userId) || !room.users.has(userId))
      faults.push(`${userId} asks for the mic and ${seatOf.has(userId) ? 'sits' : 'is absent'}`);
  }
  return faults;
}
