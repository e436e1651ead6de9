/**
 * INV-45: who is put out of a room's audio was not allowed there when the guard was asked last, and who
 * was inside when it was kicked or evicted is outside at rest, unless it was there again since.
 */
import type { EventRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { branchOf, readIfAny } from './avro-reading.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { guardVerdicts } from './owner-answers.ts';
import type { RoomModel } from './room-model.ts';
import { Cursor, readingOf, type LoggedStep, type WorldReading } from './world-reading.ts';

/** Clocks of processes run a little slower or faster than the world's. */
const driftMs = 100;
const outTypes: ReadonlySet<string> = new Set(['RoomUserKicked', 'RoomUserEvicted']);

/** A room as MySQL had it from a time on. */
interface Moment {
  readonly atMs: number;
  readonly room: RoomModel;
}

/** Makes it; see the file header. */
export const putOut: CheckerFactory = (world, report) => new PutOut(world, report);

class PutOut implements Checker {
  readonly invariants = ['INV-45'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  /** By room, oldest first: one per commit. */
  private readonly moments = new Map<string, Moment[]>();
  /** When a user last entered, by room and user. */
  private readonly entered = new Map<string, number>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  observe(observation: Observation): void {
    if (observation.kind === 'committed') this.follow(observation.atMs);
    if (observation.kind === 'putOut') this.judge(observation);
    if (observation.kind !== 'rtcEntered') return;
    const { appCode, roomId, userId, atMs } = observation;
    this.entered.set(`${appCode}\0${roomId}\0${userId}`, atMs);
  }

  atEnd(): void {
    const inside = new Set(
      (this.world.rtcRooms?.() ?? []).flatMap(({ appCode, roomId, users }) =>
        users.map((userId) => `${appCode}\0${roomId}\0${userId}`),
      ),
    );
    if (inside.size === 0) return;
    for (const { before, after } of this.reading.events) {
      if (before !== undefined || after === undefined || !outTypes.has(after.eventType)) continue;
      const userId = userOf(after);
      const roomKey = `${after.appCode}\0${after.roomId}`;
      if (inside.has(`${roomKey}\0${userId}`)) this.checkInside(after, roomKey, userId);
    }
  }

  /** What one transaction has made of each room, from its time on. */
  private follow(atMs: number): void {
    this.reading.catchUp();
    const changed = new Set<string>();
    for (const { room, states } of this.steps.fresh()) {
      const moments = this.moments.get(room.key) ?? [];
      this.moments.set(room.key, moments);
      // Versions of one transaction are seen together.
      if (changed.has(room.key)) moments.pop();
      changed.add(room.key);
      moments.push({ atMs, room: states.at(-1) ?? room.current });
    }
  }

  private judge(seen: Extract<Observation, { kind: 'putOut' }>): void {
    const { guardWordMs } = this.world;
    if (guardWordMs === undefined) return;
    const { pod, appCode, roomId, userId, atMs } = seen;
    const key = `${appCode}\0${roomId}`;
    const fromMs = atMs - guardWordMs - driftMs;
    const moments = this.moments.get(key) ?? [];
    const first = moments.findLastIndex((moment) => moment.atMs <= fromMs);
    const within = { fromMs, untilMs: atMs };
    const mayHaveBeenOut = ({ room }: Moment): boolean =>
      [...guardVerdicts(room, userId, within)].some((verdict) => verdict !== null);
    // A room that was not there yet let nobody in.
    if (first < 0 || moments.slice(first).some(mayHaveBeenOut)) return;
    const since = moments[first]?.room.version;
    this.fault(
      key,
      `${pod} puts ${userId} out at ${atMs} ms, who was allowed there from version ${since} on`,
    );
  }

  private checkInside(event: EventRow, roomKey: string, userId: string): void {
    const { database } = this.world;
    const { roomVersion, eventId, eventType } = event;
    const [row] = database.outbox.rowsBy('event', `${eventId}\0rtc`);
    // A refusal that no repeat makes right is shown to operators.
    if (row?.status === 'failed') return;
    const moments = this.moments.get(roomKey) ?? [];
    const at = moments.findIndex(({ room }) => room.version >= roomVersion);
    const outAtMs = moments[at]?.atMs ?? 0;
    const isBack = moments.slice(at).some(({ room }) => room.users.has(userId));
    const enteredAtMs = this.entered.get(`${roomKey}\0${userId}`) ?? Infinity;
    if (at < 0 || isBack || enteredAtMs >= outAtMs) return;
    const how = `${eventType}, version ${roomVersion}, row ${row?.status ?? 'missing'}`;
    this.fault(roomKey, `${userId} is in RTC at rest, and was to be put out (${how})`);
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-45', text, room: roomOfKey(key) });
  }
}

function userOf({ envelope }: EventRow): string {
  const read = readIfAny<{ readonly event: unknown }>('EventEnvelope', envelope);
  const fields = branchOf(read?.event)?.value as { readonly userId?: string } | undefined;
  return fields?.userId ?? '';
}
