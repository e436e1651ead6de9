/**
 * INV-47: nothing leaves by retention that somebody may still need: a step only when two snapshots at
 * or above it say what the log made of their versions, or the room is deleted; a command's row only
 * when its record is settled; a row of the outbox only when it is done; an event behind its step and
 * behind every row of it. What is old enough and needed by nobody is gone at the end; the row of a
 * room never is.
 */
import { isUnfinished } from '../../../src/drivers/memory/memory-rows.ts';
import type { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import type { OutboxRow } from '../../../src/drivers/memory/memory-rows.ts';
import type { EventRow, LogRow } from '../../../src/ports/commit-lane.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { snapshotBytesOf } from './room-model.ts';
import { readingOf } from './world-reading.ts';
import type { WorldReading } from './world-reading.ts';

/** Clocks differ by at most so much. */
const clockSlackMs = 2_500;

/** Makes it; see the file header. */
export const retiredRows: CheckerFactory = (world, report) => new RetiredRows(world, report);

class RetiredRows implements Checker {
  readonly invariants = ['INV-47'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly tables: MemoryDatabase | null;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.tables = world.retention?.tables ?? null;
    const { tables } = this;
    if (tables === null) return;
    const leaving = <Row>(judge: (row: Row) => void) => {
      return (_: unknown, before: Row | undefined, after: Row | undefined): void => {
        const hasLeft = before !== undefined && after === undefined && tables.isRetiring;
        if (hasLeft) judge(before);
      };
    };
    tables.log.watch(leaving((row) => this.judgeLogRow(tables, row)));
    tables.outbox.watch(leaving((row) => this.judgeOutboxRow(row)));
    tables.events.watch(leaving((row) => this.judgeEvent(tables, row)));
  }

  atEnd(): void {
    const { tables } = this;
    if (tables === null) return;
    this.reading.catchUp();
    for (const { key, current } of this.reading.rooms.values()) {
      if (current.version > 0n && !tables.rooms.has(key as never)) {
        this.fault(key, 'its row is gone');
      }
      this.judgeTail(tables, key);
    }
    for (const row of tables.outbox.values()) {
      const isOld = this.isOld(row.finishedAtMs ?? Infinity, -2 * clockSlackMs);
      if (row.status !== 'delivered' || !isOld || !this.isOld(row.createdAtMs, 0)) continue;
      this.fault(keyOf(row), `outbox row ${row.rowId} is done, old, and still there`);
    }
  }

  private judgeLogRow(tables: MemoryDatabase, row: LogRow): void {
    const what = `the row of ${row.commandId} (version ${row.appliedVersion ?? 'none'})`;
    if (!this.isOld(row.decidedAtMs, clockSlackMs)) {
      this.fault(keyOf(row), `${what} left before its time`);
    }
    const owner = tables.owners.get(row.partition);
    const mayComeAgain =
      row.kafkaOffset !== null &&
      owner !== undefined &&
      row.epoch >= owner.offsetsSinceEpoch &&
      row.kafkaOffset > owner.appliedOffset;
    if (mayComeAgain) this.fault(keyOf(row), `${what} left, and its record may be read again`);
    if (row.appliedVersion !== null) this.judgeStep(tables, row, row.appliedVersion, what);
  }

  private judgeStep(tables: MemoryDatabase, row: LogRow, version: bigint, what: string): void {
    const key = keyOf(row);
    if (tables.rooms.get(key as never)?.status === 'deleted') return;
    this.reading.catchUp();
    const states = this.reading.rooms.get(key)?.states;
    const sound = (tables.snapshots.get(key as never) ?? []).filter((snapshot) => {
      const state = states?.get(snapshot.version);
      return (
        snapshot.version >= version &&
        state !== undefined &&
        snapshotBytesOf(state).equals(snapshot.bytes)
      );
    });
    if (sound.length >= 2) return;
    const has = sound.map((snapshot) => snapshot.version).join();
    this.fault(key, `${what} left with sound snapshots at or above it: ${has || 'none'}`);
  }

  private judgeOutboxRow(row: OutboxRow): void {
    const what = `outbox row ${row.rowId}`;
    if (row.status !== 'delivered') this.fault(keyOf(row), `${what} left as ${row.status}`);
    if (!this.isOld(row.finishedAtMs ?? Infinity, clockSlackMs)) {
      this.fault(keyOf(row), `${what} left before its time`);
    }
  }

  private judgeEvent(tables: MemoryDatabase, row: EventRow): void {
    const what = `event ${row.eventIndex} of version ${row.roomVersion}`;
    const version = `${keyOf(row)}\0${row.roomVersion}`;
    if (tables.log.rowsBy('version', version).length > 0) {
      this.fault(keyOf(row), `${what} left before its step`);
    }
    const waiting = row.destinations.flatMap((destination) =>
      tables.outbox
        .rowsBy('event', `${row.eventId}\0${destination}`)
        .filter((out) => isUnfinished(out) || out.status === 'failed'),
    );
    for (const { rowId, status } of waiting) {
      this.fault(keyOf(row), `${what} left while outbox row ${rowId} is ${status}`);
    }
  }

  /** The steps of a room that are old: at most the newest, and those from the older snapshot on. */
  private judgeTail(tables: MemoryDatabase, key: string): void {
    const head = tables.rooms.get(key as never);
    const steps = tables.log
      .rowsBy('room', key)
      .filter(({ appliedVersion }) => appliedVersion !== null)
      .sort((one, other) => Number((one.appliedVersion ?? 0n) - (other.appliedVersion ?? 0n)));
    const [oldest] = steps;
    if (head === undefined || oldest === undefined) return;
    const isOld = this.isOld(oldest.decidedAtMs, -2 * clockSlackMs);
    const version = oldest.appliedVersion ?? 0n;
    if (isOld && (version < head.version || head.status === 'deleted')) {
      this.fault(key, `step ${version} of ${head.version} is old, and still there`);
    }
    const lowest = tables.snapshots.get(key as never)?.at(-1)?.version ?? 0n;
    if (head.status !== 'deleted' && version > lowest + 1n) {
      this.fault(key, `its log begins at ${version}, its oldest snapshot is ${lowest}`);
    }
  }

  private isOld(atMs: number, slackMs: number): boolean {
    const { retention } = this.world;
    if (retention === undefined) return false;
    return retention.nowMs() - atMs >= retention.keepMs - slackMs;
  }

  private fault(key: string, text: string): void {
    const [appCode = '', roomId = ''] = key.split('\0');
    this.report({
      invariant: 'INV-47',
      text: `${key.replace('\0', '/')}: ${text}`,
      room: { appCode, roomId },
    });
  }
}

function keyOf({ appCode, roomId }: { readonly appCode: string; readonly roomId: string }): string {
  return `${appCode}\0${roomId}`;
}
