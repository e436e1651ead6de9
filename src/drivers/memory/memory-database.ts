/**
 * The tables of roomcell in memory: what the memory twins of the MySQL ports share, as several
 * nodes share one database. Nothing survives the process. A transaction's writes are applied without
 * an await between the first and the last; before that nobody sees them.
 */
import {
  roomKeyOf,
  type AppCode,
  type EventId,
  type RoomKey,
  type UserId,
} from '../../domain/ids.ts';
import type { RobotRulesInForce } from '../../domain/robots/robot-rules.ts';
import type { RocketRules } from '../../domain/rocket/rocket-rules.ts';
import { assert } from '../../kernel/assert.ts';
import type {
  DeadLetterRow,
  EventRow,
  GiftStatRow,
  LogRow,
  RoomDayRow,
  RoomMetaRow,
  RoomWeekRow,
  UserWeekRow,
} from '../../ports/commit-lane.ts';
import type { OperatorAct } from '../../ports/operator-store.ts';
import type { TopicLayout } from '../../ports/partition-store.ts';
import type { StoppedPartition } from '../../ports/partition-stops.ts';
import type { SnapshotRow } from '../../ports/snapshot-store.ts';
import { giftKey, type CatalogueRow, type SettlementRecord } from './gift-rows.ts';
import { IndexedTable } from './indexed-table.ts';
import {
  isUnfinished,
  placeKey,
  streamKey,
  versionKey,
  type ListRow,
  type OutboxReplayRow,
  type NodeRow,
  type OutboxRow,
  type RobotAccountRow,
  type RobotQuotaRow,
  type OwnerRecord,
  type SlotRow,
  type UserBanRow,
  type UserRoomRow,
} from './memory-rows.ts';
import { MemoryServer, type ServerSurroundings } from './memory-server.ts';
import type { RowChange } from './memory-session.ts';

/** Commits that can be taken back; older ones are safe whatever the server loses. */
export const commitsKept = 256;

/** How much a database holds. */
export interface MemoryDatabaseLimits {
  /** Rows of the command log; at so many the database is full. Default: no limit. */
  readonly logRowsMax?: number;
}

/** See the file header. */
export class MemoryDatabase {
  readonly server: MemoryServer;
  /** Told after each commit, in the same turn; a simulation looks at the tables there. */
  afterCommit: () => void = () => undefined;
  /** Rows that leave just now leave by retention; a simulation keeps those for its judges. */
  isRetiring = false;
  private readonly logRowsMax: number;
  readonly layouts = new Map<string, TopicLayout>();
  readonly owners = new Map<number, OwnerRecord>();
  /** Settled offsets above the applied one, by partition. */
  readonly settled = new Map<number, ReadonlySet<bigint>>();
  /** Cell nodes by name. */
  readonly nodes = new Map<string, NodeRow>();
  /** Partitions that stand still. */
  readonly stops = new Map<number, StoppedPartition>();
  readonly log = new IndexedTable<string, LogRow, 'room' | 'partition' | 'version'>({
    room: (row) => `${row.appCode}\0${row.roomId}`,
    partition: (row) => (row.kafkaOffset === null ? null : String(row.partition)),
    version: versionKey,
  });
  readonly rooms = new Map<RoomKey, RoomMetaRow>();
  readonly listEntries = new IndexedTable<RoomKey, ListRow, 'app'>({ app: (row) => row.appCode });
  readonly events = new IndexedTable<EventId, EventRow, 'place'>({ place: placeKey });
  readonly outbox = new IndexedTable<
    bigint,
    OutboxRow,
    'event' | 'stream' | 'claim' | 'open' | 'failed'
  >({
    event: (row) => `${row.eventId}\0${row.destination}`,
    stream: (row) => (isUnfinished(row) ? streamKey(row) : null),
    claim: (row) => (row.claimToken === '' ? null : row.claimToken),
    open: (row) => (isUnfinished(row) ? String(row.shard) : null),
    failed: (row) => (row.status === 'failed' ? streamKey(row) : null),
  });
  readonly deadLetters: DeadLetterRow[] = [];
  /** Who last sent a record again that was set aside, by `partition/offset`. */
  readonly letterReplays = new Map<string, { readonly atMs: number; readonly by: UserId }>();
  /** Rows of the outbox that acts of operators sent again, by app and command id. */
  readonly outboxReplays = new Map<string, readonly OutboxReplayRow[]>();
  readonly snapshots = new Map<RoomKey, readonly SnapshotRow[]>();
  readonly schemas = new Map<string, string>();
  /** One row at most: the level of the deployment. */
  readonly schemaLevel = new Map<string, number>();
  readonly slots = new Map<number, SlotRow>();
  readonly settlements = new IndexedTable<string, SettlementRecord, never>({});
  /** Sums by app, room and user. */
  readonly giftStats = new Map<string, GiftStatRow>();
  /** What was given, by app, room and day. */
  readonly roomDays = new Map<string, RoomDayRow>();
  /** What was given, by app, room and week, and the senders' parts in it. */
  readonly roomWeeks = new Map<string, RoomWeekRow>();
  readonly userWeeks = new Map<string, UserWeekRow>();
  /** By app, gift and version. */
  readonly catalogue = new IndexedTable<string, CatalogueRow, 'app' | 'gift'>({
    app: (row) => row.appCode,
    gift: (row) => giftKey(row.appCode, row.giftId),
  });
  /** Versions of each app's rocket rules, the oldest first. */
  readonly rocketRules = new Map<AppCode, readonly RocketRules[]>();
  /** Which version of a gift or of rules an act of an operator made, by `actKey`. */
  readonly setByActs = new Map<string, bigint>();
  /** The rules of each app's robots, without quotas. */
  readonly robotRules = new Map<AppCode, Omit<RobotRulesInForce, 'quotas'>>();
  /** By app and country. */
  readonly robotQuotas = new Map<string, RobotQuotaRow>();
  /** By app and user. */
  readonly robotAccounts = new Map<string, RobotAccountRow>();
  /** Who is present where. */
  readonly userRooms = new IndexedTable<string, UserRoomRow, 'user' | 'room'>({
    user: (row) => `${row.appCode}\0${row.userId}`,
    room: (row) => roomKeyOf(row.appCode, row.roomId),
  });
  /** Bans by the platform, by app and user. */
  readonly userBans = new Map<string, UserBanRow>();
  /** What operators did, by app and command id. */
  readonly operatorAudit = new Map<string, OperatorAct & { readonly doneAtMs: number }>();
  private lastOutboxId = 0n;
  /** What `asOne` gathers; null outside of it. */
  private together: (() => void)[] | null = null;
  /** How to take the last commits back, oldest first. */
  private readonly undo: (() => void)[][] = [];

  constructor(surroundings: ServerSurroundings, limits: MemoryDatabaseLimits = {}) {
    this.server = new MemoryServer(this, surroundings);
    this.logRowsMax = limits.logRowsMax ?? Infinity;
  }

  /** As on a server whose disk is full: commit lanes are refused, everything else goes on. */
  get isFull(): boolean {
    return this.log.size >= this.logRowsMax;
  }

  /** The next id of the outbox. Handed out before the commit: a rollback leaves a gap. */
  nextOutboxId(): bigint {
    this.lastOutboxId += 1n;
    return this.lastOutboxId;
  }

  /** Applies the changes of one transaction. */
  commit(changes: readonly RowChange[]): void {
    if (changes.length === 0) return;
    const undo = changes.map((change) => change());
    if (this.together !== null) {
      this.together.push(...undo);
      return;
    }
    this.undo.push(undo);
    if (this.undo.length > commitsKept) this.undo.shift();
    this.afterCommit();
  }

  /** All commits inside `work` are one: `work` sees each of them, and they are lost together. */
  asOne<T>(work: () => T): T {
    assert(this.together === null, 'one transaction in another');
    this.together = [];
    try {
      return work();
    } finally {
      const undo = this.together;
      this.together = null;
      this.commit(undo.length === 0 ? [] : [() => () => undo.reverse().forEach((back) => back())]);
    }
  }

  /** Marks what `work` removes as removed by retention. */
  retiring<T>(work: () => T): T {
    this.isRetiring = true;
    try {
      return work();
    } finally {
      this.isRetiring = false;
    }
  }

  /** Takes the last `count` commits back, as far as they are kept. */
  takeBackCommits(count: number): void {
    const lost = count === 0 ? [] : this.undo.splice(-count);
    for (const commit of lost.reverse()) for (const takeBack of commit.reverse()) takeBack();
    if (lost.length > 0) this.afterCommit();
  }
}

/** Stores a row, or replaces the one under its key. */
export function put<Key, Row>(table: Map<Key, Row>, key: Key, row: Row): RowChange {
  return () => {
    const before = table.get(key);
    table.set(key, row);
    return () => {
      if (before === undefined) table.delete(key);
      else table.set(key, before);
    };
  };
}

/** Takes a row away, if there is one. */
export function remove<Key, Row>(table: Map<Key, Row>, key: Key): RowChange {
  return () => {
    const before = table.get(key);
    if (before === undefined) return () => undefined;
    table.delete(key);
    return () => void table.set(key, before);
  };
}

/** Changes a row that is there when the transaction commits; a row that is not there stays away. */
export function change<Key, Row>(
  table: Map<Key, Row>,
  key: Key,
  changed: (row: Row) => Row,
): RowChange {
  return () => {
    const before = table.get(key);
    if (before === undefined) return () => undefined;
    return put(table, key, changed(before))();
  };
}
