/**
 * INV-8: the state rebuilt from the log alone, from the newest snapshot and the later log, and from
 * each older snapshot and the later log is the same, byte for byte; so are the rooms that cells hold
 * in memory, where the world shows them, and the `rooms` and list rows say it too.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import type { Observation } from '../observations.ts';
import { readRecord } from './avro-reading.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { evolved } from './evolved.ts';
import { absentRoom, roomOfSnapshot, snapshotBytesOf } from './room-model.ts';
import type { RoomModel } from './room-model.ts';
import { eventsOf, readingOf } from './world-reading.ts';
import type { WorldReading } from './world-reading.ts';

/** Makes it; see the file header. */
export const rebuiltState: CheckerFactory = (world, report) => new RebuiltState(world, report);

class RebuiltState implements Checker {
  readonly invariants = ['INV-8'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly seen = new Map<string, readonly SnapshotRow[]>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const [key, snapshots] of this.world.database.snapshots) {
      if (this.seen.get(key) === snapshots) continue;
      const before = this.seen.get(key) ?? [];
      this.seen.set(key, snapshots);
      for (const { version, bytes } of snapshots.filter((row) => !before.includes(row))) {
        this.compare(key, `the snapshot of version ${version}`, version, bytes);
      }
    }
  }

  atEnd(): void {
    this.look();
    for (const key of this.reading.rooms.keys()) this.checkRoom(key);
    for (const live of this.world.liveRooms?.() ?? []) {
      const key = `${live.appCode}\0${live.roomId}`;
      this.compare(key, `the room in the memory of ${live.pod}`, live.version, live.snapshotBytes);
    }
  }

  /** Against the history followed so far. */
  private compare(key: string, what: string, version: bigint, bytes: Uint8Array): void {
    const state = this.reading.rooms.get(key)?.states.get(version);
    if (state === undefined) {
      this.fault(key, `${what} is at version ${version}, which the log does not have`);
    } else if (!snapshotBytesOf(state).equals(bytes)) {
      this.fault(
        key,
        `${what} is not what the log makes at version ${version}: ${difference(state, bytes)}`,
      );
    }
  }

  private checkRoom(key: string): void {
    const { appCode, roomId } = roomOfKey(key);
    const rows = this.world.database.log
      .rowsBy('room', key)
      .filter(({ appliedVersion }) => appliedVersion !== null)
      .sort((left, right) => Number(versionOf(left) - versionOf(right)));
    const byLog = replayed(absentRoom(appCode, roomId), rows);
    if (byLog.version === 0n) return;
    const expected = snapshotBytesOf(byLog);
    for (const { version, bytes } of this.world.database.snapshots.get(key as never) ?? []) {
      const start = readSnapshot(bytes);
      if (start === null) {
        this.fault(key, `the snapshot of version ${version} cannot be read`);
        continue;
      }
      const later = rows.filter((row) => versionOf(row) > start.version);
      const rebuilt = snapshotBytesOf(replayed(start, later));
      if (rebuilt.equals(expected)) continue;
      this.fault(
        key,
        `from the snapshot of version ${version} and ${later.length} later rows comes another room than from the log alone: ${difference(byLog, rebuilt)}`,
      );
    }
    this.checkTables(key, byLog);
  }

  private checkTables(key: string, room: RoomModel): void {
    const meta = this.world.database.rooms.get(key as never);
    const entry = this.world.database.listEntries.get(key as never);
    const listed = listedFacts(room);
    this.checkRow(key, 'the rooms row', meta, { ...listed, ...metaFacts(room) });
    this.checkDeadlines(key, meta ?? { nextDeadlineMs: null, nextSweepMs: null }, room);
    if (room.status === 'deleted') {
      if (entry !== undefined) this.fault(key, 'the list still shows a deleted room');
      return;
    }
    this.checkRow(key, 'the list entry', entry, listed);
  }

  /** The one is what the state makes; of the other only whether anybody can fall silent is known. */
  private checkDeadlines(
    key: string,
    stored: { readonly nextDeadlineMs: number | null; readonly nextSweepMs: number | null },
    room: RoomModel,
  ): void {
    const earliestMs = earliestDeadlineMs(room);
    if (stored.nextDeadlineMs !== earliestMs) {
      const what = `nextDeadlineMs = ${stored.nextDeadlineMs} where the log makes ${earliestMs}`;
      this.fault(key, `the rooms row says ${what}`);
    }
    const people = [...room.users.values()].filter(({ isRobot }) => !isRobot).length;
    if ((stored.nextSweepMs !== null) === people > 0) return;
    const what = `nextSweepMs = ${stored.nextSweepMs} where the log leaves ${people} people`;
    this.fault(key, `the rooms row says ${what} in the room`);
  }

  private checkRow(key: string, what: string, row: object | undefined, expected: object): void {
    for (const [name, value] of Object.entries(expected)) {
      const held = (row as Readonly<Record<string, unknown>> | undefined)?.[name];
      const shown = name === 'closeInfoJson' && typeof held === 'string' ? JSON.parse(held) : held;
      if (textOf([shown ?? null]) === textOf([value ?? null])) continue;
      this.fault(
        key,
        `${what} says ${name} = ${textOf([shown])} where the log makes ${textOf([value])}`,
      );
    }
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-8', text, room: roomOfKey(key) });
  }
}

function versionOf(row: LogRow): bigint {
  return row.appliedVersion ?? 0n;
}

function replayed(start: RoomModel, rows: readonly LogRow[]): RoomModel {
  let room = start;
  for (const row of rows) {
    for (const event of eventsOf(row).events) {
      room = evolved(room, event, versionOf(row), BigInt(row.decidedAtMs));
    }
  }
  return room;
}

function readSnapshot(bytes: Uint8Array): RoomModel | null {
  try {
    return roomOfSnapshot(readRecord('RoomSnapshot', bytes));
  } catch {
    // What is wrong with the bytes is told by the caller, with the snapshot's version.
    return null;
  }
}

/** The fields in which a snapshot differs from a room. */
function difference(room: RoomModel, bytes: Uint8Array): string {
  const other = readSnapshot(bytes);
  if (other === null) return 'its bytes cannot be read';
  const shown = (value: unknown): string => textOf(value instanceof Map ? [...value] : value);
  const fields = Object.keys(room) as (keyof RoomModel)[];
  const different = fields.filter((field) => shown(room[field]) !== shown(other[field]));
  return different
    .map((field) => `${field} ${shown(other[field])} instead of ${shown(room[field])}`)
    .join('; ');
}

function listedFacts(room: RoomModel): object {
  return {
    status: room.status,
    title: room.profile.title,
    coverUrl: room.profile.coverUrl,
    ownerUserId: room.ownerUserId,
    mode: room.mode,
    visibleRegionId: room.visibleRegionId,
    locked: room.passwordHash !== '',
    tags: room.profile.tags,
    seatCount: room.seats.length,
    onlineCount: room.users.size,
    heat: room.heat,
    createdAtMs: room.createdAtMs,
  };
}

function metaFacts(room: RoomModel): object {
  return {
    version: room.version,
    passwordHash: room.passwordHash,
    passwordVersion: room.passwordVersion,
    updatedAtMs: room.lastEventAtMs,
    closeInfoJson: room.closeInfo,
  };
}

/** The earliest deadline that the state holds, or null. */
function earliestDeadlineMs(room: RoomModel): number | null {
  const waiting = [
    ...room.seats.flatMap(({ occupancy }) =>
      occupancy?.state === 'pending_publish' ? [occupancy.publishDeadlineMs] : [],
    ),
    ...room.micRequests.map(({ expiresAtMs }) => expiresAtMs),
    ...[...room.bans.values()].map(({ expiresAtMs }) => expiresAtMs).filter((atMs) => atMs > 0n),
    ...(room.rocket?.ignition ? [room.rocket.ignition.launchAtMs] : []),
    ...(room.closing === null ? [] : [room.closing.closesAtMs]),
  ];
  return waiting.length === 0 ? null : Math.min(...waiting.map(Number));
}
