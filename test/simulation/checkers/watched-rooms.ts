/**
 * INV-44: whoever watches a room is shown it as it was at a committed version, and then told every
 * version behind it, once, in order, with exactly the events that are stored of it, whoever owns the
 * room meanwhile and however often the stream breaks; a user only what happened while it was there.
 */
import type { EventRow } from '../../../src/ports/commit-lane.ts';
import type { WatchStep } from '../../../src/ports/room-watch.ts';
import type { AskedWatch, Observation } from '../observations.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { guardVerdicts, rightAnswer } from './owner-answers.ts';
import { mustGoTo } from './required-destinations.ts';
import { absentRoom, type RoomModel } from './room-model.ts';
import { toldWrongly } from './told-event.ts';
import { Cursor, readingOf, type WorldReading } from './world-reading.ts';

type Told = Extract<Observation, { kind: 'watchTold' }>;
type Stopped = Extract<Observation, { kind: 'watchStopped' }>;

/** One stream while it is open. */
interface Stream {
  readonly askedAtMs: number;
  /** What was committed of the room when the watcher asked. */
  readonly floor: bigint;
  /** Null: nothing was told yet. Else the version behind which the next step follows. */
  position: bigint | null;
  hasEnded: boolean;
}

/** Reasons that say of nobody's rights or room anything: somebody could not be asked, or serves no more. */
const ofNobody: ReadonlySet<string> = new Set([
  ...['NOT_OWNER', 'UNAVAILABLE', 'DRAINING', 'OWNER_BUSY', 'GATEWAY_BUSY', 'WATCH_TOO_SLOW'],
]);

/** Makes it; see the file header. */
export const watchedRooms: CheckerFactory = (world, report) => new WatchedRooms(world, report);

class WatchedRooms implements Checker {
  readonly invariants = ['INV-44'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly fresh: Cursor<WorldReading['events'][number]>;
  /** Stored events for clients, by room and version. */
  private readonly events = new Map<string, EventRow[]>();
  private readonly streams = new Map<number, Stream>();
  private readonly database: CheckedWorld['database'];

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.fresh = new Cursor(this.reading.events);
  }

  observe(observation: Observation): void {
    if (observation.kind === 'watchAsked') {
      const { watch, atMs: askedAtMs } = observation;
      const stream = { askedAtMs, floor: this.versionOf(watch), position: null, hasEnded: false };
      this.streams.set(watch.watchId, stream);
    }
    if (observation.kind === 'watchTold') {
      this.lookAtEvents();
      this.told(observation);
    }
    if (observation.kind === 'watchStopped') {
      this.reading.catchUp();
      this.stopped(observation);
    }
  }

  private told({ watch, message, atMs }: Told): void {
    const stream = this.streams.get(watch.watchId);
    if (stream === undefined)
      return this.fault(watch, `a stream that is over says ${message.kind}`);
    if (stream.hasEnded) this.fault(watch, `something is told behind the end: ${message.kind}`);
    switch (message.kind) {
      case 'view':
        this.shown(watch, stream, message.view, atMs);
        stream.position = message.view.version;
        return;
      case 'resumed':
        this.resumed(watch, stream, message.version);
        stream.position ??= watch.afterVersion;
        return;
      case 'step':
        this.stepTold(watch, stream, message.step);
        stream.position = message.step.version;
        return;
      case 'end':
        this.ended(watch, stream, message.end);
        stream.hasEnded = true;
    }
  }

  private shown(
    watch: AskedWatch,
    { position, floor, askedAtMs }: Stream,
    view: Extract<Told['message'], { kind: 'view' }>['view'],
    atMs: number,
  ): void {
    const { version } = view;
    const before = position ?? watch.afterVersion;
    const top = this.versionOf(watch);
    const least = before > floor ? before : floor;
    if (version < least || version > top) {
      const had = `at least ${least} was committed, and ${top} is`;
      return this.fault(watch, `the room is shown at version ${version}, where ${had}`);
    }
    // Nothing is removed in a run, so that every version can still be told to who may know it.
    if (before > 0n && watch.role !== 'user') {
      this.fault(watch, `the room is shown anew at ${version} to who goes on behind ${before}`);
    }
    const room = this.roomAt(watch, version);
    const within = { fromMs: askedAtMs, untilMs: atMs };
    if (watch.role === 'user' && !guardVerdicts(room, watch.userId, within).has(null)) {
      this.fault(watch, `${watch.userId} is shown version ${version}, and may not be there`);
    }
    const { role, userId } = watch;
    const { giftRank: _, ...said } = view;
    const made = textOf(rightAnswer(room, { question: { kind: 'view' }, role, userId }));
    if (textOf(said) === made) return;
    this.fault(watch, `version ${version} is shown as ${textOf(said)}, and the log makes ${made}`);
  }

  private resumed(watch: AskedWatch, { position, floor }: Stream, version: bigint): void {
    const top = this.versionOf(watch);
    if (position !== null) this.fault(watch, `it goes on a second time, behind ${position}`);
    if (watch.afterVersion === 0n) this.fault(watch, 'it goes on where nothing was told before');
    if (version >= floor && version >= watch.afterVersion && version <= top) return;
    const had = `${floor} was committed when it was asked for, and ${top} is`;
    this.fault(watch, `it goes on behind ${watch.afterVersion} of ${version}, where ${had}`);
  }

  private stepTold(watch: AskedWatch, { position }: Stream, step: WatchStep): void {
    const { version } = step;
    if (position === null) return this.fault(watch, `version ${version} is told before the room`);
    if (version !== position + 1n) {
      return this.fault(watch, `version ${version} is told behind version ${position}`);
    }
    const rows = this.events.get(`${keyOf(watch)}\0${version}`) ?? [];
    const isLogged = this.reading.rooms.get(keyOf(watch))?.states.has(version) === true;
    if (!isLogged) return this.fault(watch, `version ${version} is told, and is not committed`);
    const before = this.roomAt(watch, version - 1n);
    if (watch.role === 'user' && !before.users.has(watch.userId)) {
      this.fault(watch, `${watch.userId} is told version ${version}, and was not there before it`);
    }
    const due = rows.filter(
      ({ eventType }) => mustGoTo(eventType, 'im') && eventType !== 'RoomUserUnbanned',
    );
    if (step.events.length !== due.length) {
      const types = step.events.map(({ eventType }) => eventType).join();
      const stored = due.map(({ eventType }) => eventType).join();
      return this.fault(watch, `version ${version} is told as [${types}], and is [${stored}]`);
    }
    for (const [at, told] of step.events.entries()) {
      const wrong = toldWrongly(told, due[at] as EventRow);
      if (wrong !== null) this.fault(watch, `an event of version ${version}: ${wrong}`);
    }
  }

  private ended(
    watch: AskedWatch,
    { position }: Stream,
    end: Extract<Told['message'], { kind: 'end' }>['end'],
  ): void {
    const at = position ?? watch.afterVersion;
    if (end.resumeAfterVersion !== at) {
      this.fault(watch, `it is to go on behind ${end.resumeAfterVersion}, and was told ${at}`);
    }
    const { status } = this.roomAt(watch, at);
    if ((end.reason === 'ROOM_CLOSED') === (status === 'deleted')) return;
    if (end.reason !== 'ROOM_CLOSED' && ofNobody.has(end.reason)) return;
    this.fault(watch, `it ends with ${end.reason} at version ${at}, where the room is ${status}`);
  }

  private stopped({ watch, stop, atMs }: Stopped): void {
    const stream = this.streams.get(watch.watchId);
    this.streams.delete(watch.watchId);
    if (stream === undefined || stop.kind !== 'failed' || ofNobody.has(stop.reason)) return;
    if (stop.reason === 'USER_PLATFORM_BANNED' && this.isEvicted(watch, stream.position)) return;
    // Right at one of the versions that the room had meanwhile.
    const within = { fromMs: stream.askedAtMs, untilMs: atMs };
    const from = stream.position ?? stream.floor;
    const last = this.versionOf(watch);
    for (let version = from; version <= last; version += 1n) {
      const room = this.roomAt(watch, version);
      if (stop.reason === 'ROOM_NOT_FOUND' && room.status === 'absent') return;
      const isUser = watch.role === 'user';
      if (isUser && guardVerdicts(room, watch.userId, within).has(stop.reason)) return;
    }
    this.fault(watch, `it fails with ${stop.reason}, at no version from ${from} to ${last}`);
  }

  /** Whether the version that was told last took the user out of its rooms. */
  private isEvicted(watch: AskedWatch, position: bigint | null): boolean {
    if (position === null) return false;
    const rows = this.events.get(`${keyOf(watch)}\0${position}`) ?? [];
    const isThere = (version: bigint): boolean =>
      this.roomAt(watch, version).users.has(watch.userId);
    const isAbout = rows.some(({ eventType }) => eventType === 'RoomUserEvicted');
    return isAbout && isThere(position - 1n) && !isThere(position);
  }

  private lookAtEvents(): void {
    this.reading.catchUp();
    for (const { before, after } of this.fresh.fresh()) {
      if (before !== undefined || after === undefined) continue;
      const key = `${after.appCode}\0${after.roomId}\0${after.roomVersion}`;
      const rows = this.events.get(key) ?? [];
      this.events.set(key, rows);
      rows.push(after);
    }
  }

  /** What MySQL has of the room now. */
  private versionOf(watch: AskedWatch): bigint {
    return this.database.rooms.get(keyOf(watch) as never)?.version ?? 0n;
  }

  private roomAt(watch: AskedWatch, version: bigint): RoomModel {
    const known = this.reading.rooms.get(keyOf(watch))?.states.get(version);
    return known ?? absentRoom(watch.appCode, watch.roomId);
  }

  private fault(watch: AskedWatch, text: string): void {
    const who = `stream ${watch.watchId} of ${watch.client} (${watch.role}, by ${watch.gateway})`;
    this.report({ invariant: 'INV-44', text: `${who}: ${text}`, room: roomOfKey(keyOf(watch)) });
  }
}

function keyOf({ appCode, roomId }: AskedWatch): string {
  return `${appCode}\0${roomId}`;
}
