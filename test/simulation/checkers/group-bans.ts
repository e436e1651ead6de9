/**
 * INV-52: at rest, the group of a room keeps out whom the room has banned, for as long, and nobody else,
 * as far as the last that IM was to hear of a user was delivered. Rooms that have ended are let be: nobody
 * comes in there any more.
 */
import type { EventRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { branchOf, readIfAny } from './avro-reading.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import type { BanModel } from './room-model.ts';
import { readingOf, type LoggedRoom, type WorldReading } from './world-reading.ts';

/** The clock of an adapter that counts what is left of a ban may be set wrong by so much, and more. */
const clocksDifferMs = 20_000;
/** A ban without an end is one for longer than anybody looks. */
const foreverMs = 50 * 365 * 24 * 3_600_000;
const banTypes: ReadonlySet<string> = new Set(['RoomUserKicked', 'RoomUserUnbanned']);

/** Makes it; see the file header. */
export const groupBans: CheckerFactory = (world, report) => new GroupBans(world, report);

class GroupBans implements Checker {
  readonly invariants = ['INV-52'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private nowMs = 0;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
  }

  observe({ atMs }: Observation): void {
    this.nowMs = atMs;
  }

  atEnd(): void {
    if (this.world.groupBans === undefined) return;
    const newest = this.newestRows();
    for (const room of this.reading.catchUp().rooms.values()) {
      if (room.current.status === 'active') this.checkRoom(room, newest);
    }
  }

  private checkRoom(room: LoggedRoom, newest: ReadonlyMap<string, EventRow>): void {
    const held = this.world.groupBans?.(room.appCode, room.roomId) ?? new Map<string, number>();
    const { bans } = room.current;
    for (const userId of new Set([...bans.keys(), ...held.keys()])) {
      const event = newest.get(`${room.key}\0${userId}`);
      const fault = this.faultOf(bans.get(userId), held.get(userId));
      if (fault === null || (event !== undefined && this.isLost(event))) continue;
      const by = event === undefined ? 'nothing said of it' : `version ${event.roomVersion}`;
      const text = `${userId} ${fault} at rest (${by})`;
      this.report({ invariant: 'INV-52', text, room: roomOfKey(room.key) });
    }
  }

  private faultOf(ban: BanModel | undefined, untilMs: number | undefined): string | null {
    if (ban === undefined) return untilMs === undefined ? null : 'is banned from the group alone';
    const endsAtMs =
      ban.expiresAtMs === 0n ? this.nowMs + foreverMs : Number(ban.expiresAtMs) - clocksDifferMs;
    // Over by the clock of somebody, or as good as over.
    if (endsAtMs <= this.nowMs) return null;
    if (untilMs === undefined) return 'is banned from the room and not from its group';
    if (untilMs < endsAtMs) return `may enter the group at ${untilMs} ms, before its ban ends`;
    const isTooLong = ban.expiresAtMs > 0n && untilMs > endsAtMs + 2 * clocksDifferMs;
    return isTooLong ? `is kept out of the group until ${untilMs} ms, behind its ban` : null;
  }

  /** What was to be told last of each user of each room. */
  private newestRows(): Map<string, EventRow> {
    const newest = new Map<string, EventRow>();
    for (const { before, after } of this.reading.events) {
      if (before !== undefined || after === undefined || !banTypes.has(after.eventType)) continue;
      newest.set(`${after.appCode}\0${after.roomId}\0${userOf(after)}`, after);
    }
    return newest;
  }

  /** Refused for good, or given up by an operator, who must see to it. */
  private isLost({ eventId }: EventRow): boolean {
    const [row] = this.world.database.outbox.rowsBy('event', `${eventId}\0im`);
    return row === undefined || row.status === 'failed';
  }
}

function userOf({ envelope }: EventRow): string {
  const read = readIfAny<{ readonly event: unknown }>('EventEnvelope', envelope);
  const fields = branchOf(read?.event)?.value as { readonly userId?: string } | undefined;
  return fields?.userId ?? '';
}
