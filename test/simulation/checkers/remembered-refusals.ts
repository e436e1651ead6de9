/**
 * INV-40: a refusal that the room must remember is remembered once. For each wrong password that a
 * join was refused for, one attempt is counted, by the next version of the room and in the same
 * transaction; for nothing else one is. A repeat of the join counts nothing. Cells that have not heard yet
 * of the level that brought the count may leave it out, and do no more than that.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { readRecord } from './avro-reading.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { LevelHeard } from './levels.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { RowChange, WorldReading } from './world-reading.ts';

/** The part of a result that names a wrong password. */
interface Refusal {
  readonly reason: string;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

/** Makes it; see the file header. */
export const rememberedRefusals: CheckerFactory = (world, report) =>
  new RememberedRefusals(world, report);

class RememberedRefusals implements Checker {
  readonly invariants = ['INV-40'];
  private readonly report: (violation: Violation) => void;
  private readonly heard: LevelHeard;
  private readonly reading: WorldReading;
  private readonly rows: Cursor<RowChange<string, LogRow>>;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.report = report;
    this.heard = new LevelHeard(world);
    this.reading = readingOf(world);
    this.rows = new Cursor(this.reading.log);
  }

  /** One transaction at a time: what belongs together was committed together. */
  observe({ kind, atMs }: Observation): void {
    if (kind !== 'committed') return;
    this.look(!this.heard.isEverywhere(atMs));
  }

  atEnd(): void {
    this.look(false);
  }

  private look(mayLeaveOut: boolean): void {
    this.reading.catchUp();
    const rows = this.rows.fresh().flatMap(({ after }) => (after === undefined ? [] : [after]));
    const counts = new Map<string, { refused: number; noted: number }>();
    for (const row of rows) {
      const refused = isWrongPassword(row) ? [row.actorUserId as string] : [];
      const noted = this.notedBy(row);
      for (const userId of [...refused, ...noted]) {
        const key = `${row.appCode}\0${row.roomId}\0${userId}`;
        const count = counts.get(key) ?? { refused: 0, noted: 0 };
        counts.set(key, count);
        count.refused += refused.length;
        count.noted += noted.length;
      }
    }
    for (const [key, { refused, noted }] of counts) {
      if (refused === noted || (mayLeaveOut && noted === 0)) continue;
      const [appCode = '', roomId = '', userId = ''] = key.split('\0');
      const text = `one transaction refuses ${refused} wrong passwords of ${userId} and counts ${noted}`;
      this.report({ invariant: 'INV-40', text, room: roomOfKey(`${appCode}\0${roomId}`) });
    }
  }

  private notedBy(row: LogRow): readonly string[] {
    if (row.commandType !== 'NotePasswordAttempt' || row.appliedVersion === null) return [];
    const room = this.reading.rooms.get(`${row.appCode}\0${row.roomId}`);
    const before = room?.states.get(row.appliedVersion - 1n)?.passwordAttempts;
    const after =
      room?.states.get(row.appliedVersion)?.passwordAttempts ?? new Map<string, never>();
    return [...after].flatMap(([userId, entry]) => {
      const earlier = before?.get(userId);
      const isCounted =
        earlier?.attempts !== entry.attempts ||
        earlier.windowStartedAtMs !== entry.windowStartedAtMs;
      return isCounted ? [userId] : [];
    });
  }
}

function isWrongPassword(row: LogRow): boolean {
  if (row.commandType !== 'JoinRoom' || row.outcome !== 'rejected') return false;
  const { reason, facts } = readRecord<Refusal>('ResultRecord', row.result);
  const verdict = facts.find(({ name }) => name === 'verdict')?.value;
  return reason === 'WRONG_PASSWORD' && verdict === 'mismatch';
}
