/** Retention in MySQL: pages by primary key, removed by primary key, each statement by itself. */
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomKey, RoomVersion } from '../../domain/ids.ts';
import type {
  EventPlace,
  OldSteps,
  RetentionPage,
  RetentionStore,
} from '../../ports/retention-store.ts';
import type { RecordPlace } from '../../ports/replay-store.ts';
import { toFailure } from './mysql-errors.ts';
import { text } from './outbox-rows.ts';
import type { MysqlPool } from './pool.ts';
import { readRecords, readSteps, removeRows, type AgedRow } from './retention-rows.ts';
import type { MysqlSession, Row } from './session.ts';

/** See the port. */
export class MysqlRetentionStore implements RetentionStore {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  /** `topic`: of the commands. */
  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  /** The walk ends at a page in which nothing is old: ids rise about as time does. */
  removeDelivered(
    finishedBeforeMs: number,
    afterId: bigint,
    limit: number,
  ): Promise<RetentionPage<bigint>> {
    return this.sorted('removing delivered rows', async (session) => {
      const page = await session.rows(
        'SELECT id, status, created_at_ms, finished_at_ms FROM room_outbox FORCE INDEX (PRIMARY) ' +
          'WHERE id > ? ORDER BY id LIMIT ?',
        [afterId, limit],
      );
      const isDone = ({ status }: Row): boolean => status === 'delivered' || status === 'published';
      const old = page.filter((row) => Number(row['created_at_ms']) < finishedBeforeMs);
      const ids = old
        .filter((row) => isDone(row) && Number(row['finished_at_ms'] ?? 0) < finishedBeforeMs)
        .map((row) => BigInt(text(row['id'])));
      const removed = await removeByKey(session, 'room_outbox', 'id', ids);
      const last = page.at(-1);
      const isOver = old.length === 0 || page.length < limit || last === undefined;
      return { removed, next: isOver ? null : BigInt(text(last['id'])) };
    });
  }

  removeSettlements(
    settledBeforeMs: number,
    afterKey: string,
    limit: number,
  ): Promise<RetentionPage<string>> {
    return this.sorted('removing settled debits', async (session) => {
      const page = await session.rows(
        'SELECT debit_key, status, settled_at_ms FROM wallet_settlement FORCE INDEX (PRIMARY) ' +
          'WHERE debit_key > ? ORDER BY debit_key LIMIT ?',
        [afterKey, limit],
      );
      const keys = page
        .filter(({ status }) => status === 'settled')
        .filter((row) => Number(row['settled_at_ms']) < settledBeforeMs)
        .map((row) => text(row['debit_key']));
      const removed = await removeByKey(session, 'wallet_settlement', 'debit_key', keys);
      const last = page.at(-1);
      const isOver = page.length < limit || last === undefined;
      return { removed, next: isOver ? null : text(last['debit_key']) };
    });
  }

  /** What an act sent again leaves before the act: the other way round it would be told by nobody. */
  removeAudit(doneBeforeMs: number, limit: number): Promise<number> {
    return this.sorted('removing acts of operators', async (session) => {
      let removed = 0;
      for (let app = await nextApp(session, ''); app !== null; app = await nextApp(session, app)) {
        const acts = await session.rows(
          'SELECT command_id FROM operator_audit FORCE INDEX (by_time) ' +
            'WHERE app_code = ? AND done_at_ms < ? ORDER BY done_at_ms LIMIT ?',
          [app, doneBeforeMs, limit - removed],
        );
        const ids = acts.map((row) => text(row['command_id']));
        if (ids.length === 0) continue;
        const theirs = 'WHERE app_code = ? AND command_id IN (?)';
        await session.run(`DELETE FROM outbox_replays ${theirs}`, [app, ids]);
        const { affected } = await session.run(`DELETE FROM operator_audit ${theirs}`, [app, ids]);
        removed += affected;
        if (removed >= limit) break;
      }
      return removed;
    });
  }

  nextLoggedRoom(after: RoomKey | null): Promise<RoomKey | null> {
    return this.sorted('reading the rooms of the log', (session) =>
      nextRoom(session, 'room_command_log', after),
    );
  }

  removeUnapplied(
    decidedBeforeMs: number,
    after: RecordPlace | null,
    limit: number,
  ): Promise<RetentionPage<RecordPlace>> {
    return this.sorted('removing commands that changed nothing', async (session) => {
      const from = after ?? (await firstPlace(session, this.topic, -1));
      if (from === null) return { removed: 0, next: null };
      const page = await readRecords(session, this.topic, from, limit);
      const old = page.filter((row) => isOld(row, decidedBeforeMs));
      const leaving = old.filter(({ version }) => version === null);
      let removed = 0;
      for (const roomKey of new Set(leaving.map((row) => row.roomKey))) {
        const ofRoom = leaving.filter((row) => row.roomKey === roomKey);
        removed += await removeRows(session, roomKey, ofRoom);
      }
      const last = page.at(-1);
      const isOver = old.length === 0 || page.length < limit || last === undefined;
      const next = isOver
        ? await firstPlace(session, this.topic, from.partition)
        : { partition: from.partition, offset: last.offset };
      return { removed, next };
    });
  }

  oldSteps(roomKey: RoomKey, decidedBeforeMs: number, limit: number): Promise<OldSteps | null> {
    return this.sorted('reading old steps', async (session) => {
      // Nearly every room that is looked at has nothing old: one row tells.
      const first = oldestOf(await readSteps(session, roomKey, null, 1), decidedBeforeMs);
      if (first.length === 0) return null;
      const old = oldestOf(await readSteps(session, roomKey, null, limit), decidedBeforeMs);
      const upTo = old.at(-1)?.version ?? null;
      return upTo === null ? null : { upTo, isMore: old.length === limit };
    });
  }

  removeSteps(
    roomKey: RoomKey,
    upTo: RoomVersion,
    decidedBeforeMs: number,
    limit: number,
  ): Promise<number> {
    return this.sorted('removing old steps', async (session) => {
      const page = await readSteps(session, roomKey, upTo, limit);
      return removeRows(session, roomKey, oldestOf(page, decidedBeforeMs));
    });
  }

  nextRoomWithEvents(after: RoomKey | null): Promise<RoomKey | null> {
    return this.sorted('reading the rooms of events', (session) =>
      nextRoom(session, 'room_events', after),
    );
  }

  /**
   * Checked, then removed: rows of the outbox come with their event, and none that is done is ever
   * anything else again, so nothing can begin in between.
   */
  removeEvents(
    roomKey: RoomKey,
    after: EventPlace | null,
    limit: number,
  ): Promise<RetentionPage<EventPlace>> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const place = [appCode, roomId] as const;
    return this.sorted('removing events', async (session) => {
      const [oldestStep] = await session.rows(
        'SELECT applied_version FROM room_command_log FORCE INDEX (one_writer_per_version) ' +
          'WHERE app_code = ? AND room_id = ? AND applied_version > 0 ' +
          'ORDER BY applied_version LIMIT 1',
        place,
      );
      const below = oldestStep === undefined ? highestVersion : text(oldestStep['applied_version']);
      const from = after?.roomVersion ?? 0n;
      const page = await session.rows(
        'SELECT room_version, event_index, event_id FROM room_events FORCE INDEX (PRIMARY) ' +
          'WHERE app_code = ? AND room_id = ? AND room_version >= ? AND room_version < ? ' +
          'AND (room_version > ? OR event_index > ?) ORDER BY room_version, event_index LIMIT ?',
        [...place, from, BigInt(below), from, after?.eventIndex ?? -1, limit],
      );
      const kept = await awaited(session, page);
      const ids = page.map((row) => text(row['event_id'])).filter((id) => !kept.has(id));
      const removed = await removeByKey(session, 'room_events', 'event_id', ids);
      const last = page.at(-1);
      if (page.length < limit || last === undefined) return { removed, next: null };
      const roomVersion = BigInt(text(last['room_version'])) as RoomVersion;
      return { removed, next: { roomVersion, eventIndex: Number(last['event_index']) } };
    });
  }

  private async sorted<T>(what: string, work: (session: MysqlSession) => Promise<T>): Promise<T> {
    try {
      return await this.pool.withSession(work);
    } catch (thrown) {
      throw toFailure(thrown, what);
    }
  }
}

const highestVersion = '9223372036854775807';

function isOld({ decidedAtMs, isSettled }: AgedRow, decidedBeforeMs: number): boolean {
  return isSettled && decidedAtMs < decidedBeforeMs;
}

/** From the oldest on, up to the first that stays: the log of a room is never cut in its middle. */
function oldestOf(steps: readonly AgedRow[], decidedBeforeMs: number): readonly AgedRow[] {
  const staying = steps.findIndex((row) => !isOld(row, decidedBeforeMs));
  return staying < 0 ? steps : steps.slice(0, staying);
}

/** Events of which a row of the outbox is not done. */
async function awaited(session: MysqlSession, events: readonly Row[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const rows = await session.rows(
    'SELECT DISTINCT event_id FROM room_outbox FORCE INDEX (one_row_per_destination) ' +
      "WHERE event_id IN (?) AND status NOT IN ('delivered', 'published')",
    [events.map((row) => text(row['event_id']))],
  );
  return new Set(rows.map((row) => text(row['event_id'])));
}

async function removeByKey(
  session: MysqlSession,
  table: 'room_outbox' | 'room_events' | 'wallet_settlement',
  key: string,
  values: readonly unknown[],
): Promise<number> {
  if (values.length === 0) return 0;
  return (await session.run(`DELETE FROM ${table} WHERE ${key} IN (?)`, [values])).affected;
}

/** Two looks, each at one place of the key: a comparison of pairs would walk the whole index. */
async function nextRoom(
  session: MysqlSession,
  table: 'room_command_log' | 'room_events',
  after: RoomKey | null,
): Promise<RoomKey | null> {
  const { appCode, roomId } = after === null ? { appCode: '', roomId: '' } : splitRoomKey(after);
  const first = (where: string): string =>
    `SELECT app_code, room_id FROM ${table} FORCE INDEX (PRIMARY) WHERE ${where} ` +
    'ORDER BY app_code, room_id LIMIT 1';
  const [inApp] = await session.rows(first('app_code = ? AND room_id > ?'), [appCode, roomId]);
  const [found] =
    inApp === undefined ? await session.rows(first('app_code > ?'), [appCode]) : [inApp];
  if (found === undefined) return null;
  return roomKeyOf(text(found['app_code']) as AppCode, text(found['room_id']) as RoomId);
}

async function nextApp(session: MysqlSession, after: string): Promise<string | null> {
  const [row] = await session.rows(
    'SELECT app_code FROM operator_audit FORCE INDEX (PRIMARY) WHERE app_code > ? ' +
      'ORDER BY app_code LIMIT 1',
    [after],
  );
  return row === undefined ? null : text(row['app_code']);
}

/** Before the first record of the partition behind `partition`; null: there is none. */
async function firstPlace(
  session: MysqlSession,
  topic: string,
  partition: number,
): Promise<RecordPlace | null> {
  const [row] = await session.rows(
    'SELECT partition_id FROM partition_owner WHERE topic = ? AND partition_id > ? ' +
      'ORDER BY partition_id LIMIT 1',
    [topic, partition],
  );
  return row === undefined ? null : { partition: Number(row['partition_id']), offset: -1n };
}
