/** Memory twin of retention. Every call is one atomic step. */
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomKey, RoomVersion } from '../../domain/ids.ts';
import type { LogRow } from '../../ports/commit-lane.ts';
import type {
  EventPlace,
  OldSteps,
  RetentionPage,
  RetentionStore,
} from '../../ports/retention-store.ts';
import type { RecordPlace } from '../../ports/replay-store.ts';
import { remove, type MemoryDatabase } from './memory-database.ts';
import { logKey } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

type Step = LogRow & { readonly appliedVersion: RoomVersion };

/** See the file header. */
export class MemoryRetentionStore implements RetentionStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  removeDelivered(
    finishedBeforeMs: number,
    afterId: bigint,
    limit: number,
  ): Promise<RetentionPage<bigint>> {
    return this.write('removing delivered rows', ({ outbox }) => {
      const page = [...outbox.values()]
        .filter(({ rowId }) => rowId > afterId)
        .sort((one, other) => (one.rowId < other.rowId ? -1 : 1))
        .slice(0, limit);
      const old = page.filter(({ createdAtMs }) => createdAtMs < finishedBeforeMs);
      const done = old
        .filter(({ status }) => status === 'delivered' || status === 'published')
        .filter(({ finishedAtMs }) => (finishedAtMs ?? 0) < finishedBeforeMs);
      const removed = this.commit(done.map(({ rowId }) => remove(outbox, rowId)));
      const isOver = old.length === 0 || page.length < limit;
      return { removed, next: isOver ? null : (page.at(-1)?.rowId ?? null) };
    });
  }

  removeSettlements(
    settledBeforeMs: number,
    afterKey: string,
    limit: number,
  ): Promise<RetentionPage<string>> {
    return this.write('removing settled debits', ({ settlements }) => {
      const page = [...settlements.values()]
        .filter(({ debitKey }) => debitKey > afterKey)
        .sort((one, other) => (one.debitKey < other.debitKey ? -1 : 1))
        .slice(0, limit);
      const old = page.filter(
        ({ status, settledAtMs }) => status === 'settled' && (settledAtMs ?? 0) < settledBeforeMs,
      );
      const removed = this.commit(old.map(({ debitKey }) => remove(settlements, debitKey)));
      return { removed, next: page.length < limit ? null : (page.at(-1)?.debitKey ?? null) };
    });
  }

  removeAudit(doneBeforeMs: number, limit: number): Promise<number> {
    return this.write('removing acts of operators', ({ operatorAudit, outboxReplays }) => {
      const old = [...operatorAudit]
        .filter(([, { doneAtMs }]) => doneAtMs < doneBeforeMs)
        .sort(([, one], [, other]) =>
          one.appCode === other.appCode
            ? one.doneAtMs - other.doneAtMs
            : one.appCode < other.appCode
              ? -1
              : 1,
        )
        .slice(0, limit);
      this.commit(old.map(([key]) => remove(outboxReplays, key)));
      return this.commit(old.map(([key]) => remove(operatorAudit, key)));
    });
  }

  nextLoggedRoom(after: RoomKey | null): Promise<RoomKey | null> {
    return this.read('reading the rooms of the log', ({ log }) => nextRoom(log.values(), after));
  }

  removeUnapplied(
    decidedBeforeMs: number,
    after: RecordPlace | null,
    limit: number,
  ): Promise<RetentionPage<RecordPlace>> {
    return this.write('removing commands that changed nothing', ({ log }) => {
      const from = after ?? this.firstPlace(-1);
      if (from === null) return { removed: 0, next: null };
      const { partition } = from;
      const page = log
        .rowsBy('partition', String(partition))
        .filter(({ kafkaOffset }) => (kafkaOffset ?? -1n) > from.offset)
        .sort((one, other) => ((one.kafkaOffset ?? 0n) < (other.kafkaOffset ?? 0n) ? -1 : 1))
        .slice(0, limit);
      const old = page.filter((row) => this.isOld(row, decidedBeforeMs));
      const leaving = old.filter(({ appliedVersion }) => appliedVersion === null);
      const removed = this.commit(
        leaving.map(({ appCode, roomId, commandId }) =>
          remove(log, logKey(roomKeyOf(appCode, roomId), commandId)),
        ),
      );
      const last = page.at(-1)?.kafkaOffset ?? null;
      const isOver = old.length === 0 || page.length < limit || last === null;
      return { removed, next: isOver ? this.firstPlace(partition) : { partition, offset: last } };
    });
  }

  oldSteps(roomKey: RoomKey, decidedBeforeMs: number, limit: number): Promise<OldSteps | null> {
    return this.read('reading old steps', () => {
      const old = this.oldest(this.stepsOf(roomKey).slice(0, limit), decidedBeforeMs);
      const upTo = old.at(-1)?.appliedVersion;
      return upTo === undefined ? null : { upTo, isMore: old.length === limit };
    });
  }

  removeSteps(
    roomKey: RoomKey,
    upTo: RoomVersion,
    decidedBeforeMs: number,
    limit: number,
  ): Promise<number> {
    return this.write('removing old steps', ({ log }) => {
      const page = this.stepsOf(roomKey)
        .filter(({ appliedVersion }) => appliedVersion <= upTo)
        .slice(0, limit);
      return this.commit(
        this.oldest(page, decidedBeforeMs).map(({ commandId }) =>
          remove(log, logKey(roomKey, commandId)),
        ),
      );
    });
  }

  nextRoomWithEvents(after: RoomKey | null): Promise<RoomKey | null> {
    return this.read('reading the rooms of events', ({ events }) =>
      nextRoom(events.values(), after),
    );
  }

  removeEvents(
    roomKey: RoomKey,
    after: EventPlace | null,
    limit: number,
  ): Promise<RetentionPage<EventPlace>> {
    return this.write('removing events', ({ events, outbox }) => {
      const below = this.stepsOf(roomKey)[0]?.appliedVersion ?? null;
      const page = [...events.values()]
        .filter(({ appCode, roomId }) => roomKeyOf(appCode, roomId) === roomKey)
        .filter(({ roomVersion }) => below === null || roomVersion < below)
        .filter((row) => after === null || byPlace(row, after) > 0)
        .sort(byPlace)
        .slice(0, limit);
      const waiting = new Set(
        [...outbox.values()]
          .filter(({ status }) => status !== 'delivered' && status !== 'published')
          .map(({ eventId }) => eventId),
      );
      const done = page.filter(({ eventId }) => !waiting.has(eventId));
      const removed = this.commit(done.map(({ eventId }) => remove(events, eventId)));
      const last = page.at(-1);
      if (page.length < limit || last === undefined) return { removed, next: null };
      const { roomVersion, eventIndex } = last;
      return { removed, next: { roomVersion, eventIndex } };
    });
  }

  private firstPlace(after: number): RecordPlace | null {
    const behind = [...this.database.owners.keys()].filter((partition) => partition > after);
    return behind.length === 0 ? null : { partition: Math.min(...behind), offset: -1n };
  }

  private stepsOf(roomKey: RoomKey): readonly Step[] {
    return this.database.log
      .rowsBy('room', roomKey)
      .filter((row): row is Step => row.appliedVersion !== null)
      .sort((one, other) => (one.appliedVersion < other.appliedVersion ? -1 : 1));
  }

  private isOld(row: LogRow, decidedBeforeMs: number): boolean {
    return row.decidedAtMs < decidedBeforeMs && this.isSettled(row);
  }

  /** A record above the applied offset is executed again by a takeover that finds no row of it. */
  private isSettled({ kafkaOffset, partition, epoch }: LogRow): boolean {
    const owner = this.database.owners.get(partition);
    if (kafkaOffset === null || owner === undefined) return true;
    return epoch < owner.offsetsSinceEpoch || kafkaOffset <= owner.appliedOffset;
  }

  private oldest(steps: readonly Step[], decidedBeforeMs: number): readonly Step[] {
    const staying = steps.findIndex((row) => !this.isOld(row, decidedBeforeMs));
    return staying < 0 ? steps : steps.slice(0, staying);
  }

  private commit(changes: readonly RowChange[]): number {
    this.database.commit(changes);
    return changes.length;
  }

  private read<T>(what: string, look: (database: MemoryDatabase) => T): Promise<T> {
    return this.database.server.call('retention', what, 'read', () => look(this.database));
  }

  private write<T>(what: string, work: (database: MemoryDatabase) => T): Promise<T> {
    return this.database.server.call('retention', what, 'write', () =>
      this.database.asOne(() => this.database.retiring(() => work(this.database))),
    );
  }
}

interface Named {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
}

function nextRoom(rows: Iterable<Named>, after: RoomKey | null): RoomKey | null {
  let next: RoomKey | null = null;
  for (const { appCode, roomId } of rows) {
    const key = roomKeyOf(appCode, roomId);
    if (after !== null && !isBehind(key, after)) continue;
    if (next === null || isBehind(next, key)) next = key;
  }
  return next;
}

/** As the tables order them: by app, then by room. */
function isBehind(one: RoomKey, other: RoomKey): boolean {
  const [left, right] = [splitRoomKey(one), splitRoomKey(other)];
  if (left.appCode !== right.appCode) return left.appCode > right.appCode;
  return left.roomId > right.roomId;
}

function byPlace(one: EventPlace, other: EventPlace): number {
  if (one.roomVersion !== other.roomVersion) return one.roomVersion < other.roomVersion ? -1 : 1;
  return one.eventIndex - other.eventIndex;
}
