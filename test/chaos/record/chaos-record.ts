/**
 * What is known of a run on real processes when it is over: every row of the tables, the records of
 * the topics, what clients sent and were told, what arrived outside, and who owned which partition as
 * an onlooker saw it. Plain data; `judge` makes of it what the checkers of the simulation look at.
 */
import type { SettlementRecord } from '../../../src/drivers/memory/gift-rows.ts';
import type {
  ListRow,
  OutboxRow,
  OwnerRecord,
  UserRoomRow,
} from '../../../src/drivers/memory/memory-rows.ts';
import type {
  DeadLetterRow,
  EventRow,
  GiftStatRow,
  LogRow,
  RoomMetaRow,
  RoomDayRow,
  RoomWeekRow,
  UserWeekRow,
} from '../../../src/ports/commit-lane.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import type { Observation } from '../../simulation/observations.ts';

/** The rows of the end, in no order. */
export interface TableRows {
  readonly log: readonly LogRow[];
  readonly events: readonly EventRow[];
  readonly outbox: readonly OutboxRow[];
  readonly rooms: readonly RoomMetaRow[];
  readonly listEntries: readonly ListRow[];
  readonly snapshots: readonly SnapshotRow[];
  readonly owners: readonly OwnerRecord[];
  readonly settledOffsets: readonly { readonly partition: number; readonly offset: bigint }[];
  readonly deadLetters: readonly DeadLetterRow[];
  readonly settlements: readonly SettlementRecord[];
  readonly giftStats: readonly GiftStatRow[];
  readonly roomDays: readonly RoomDayRow[];
  readonly roomWeeks: readonly RoomWeekRow[];
  readonly userWeeks: readonly UserWeekRow[];
  readonly userRooms: readonly UserRoomRow[];
}

/** Owner rows that had changed, as read; they were so at some time up to `atMs`. */
export interface OwnerSample {
  readonly atMs: number;
  readonly rows: readonly OwnerRecord[];
}

/** A record of a topic, as the judges hear of it. */
export type AppendedRecord = Extract<Observation, { kind: 'appended' }>;

/** The books of the wallet, as it shows them. */
export interface WalletBooks {
  readonly entries: readonly {
    readonly kind: 'debit' | 'refund' | 'prize' | 'prizeBack';
    readonly appCode: string;
    readonly key: string;
    readonly userId: string;
    readonly coins: bigint;
  }[];
  readonly voidedKeys: readonly { readonly appCode: string; readonly key: string }[];
  readonly accounts: readonly {
    readonly appCode: string;
    readonly userId: string;
    readonly openingCoins: bigint;
    readonly adjustedCoins: bigint;
    readonly coins: bigint;
    readonly incomeCoins: bigint;
  }[];
}

/** See the file header. */
export interface ChaosRecord {
  readonly partitionCount: number;
  readonly commandsTopic: string;
  readonly tables: TableRows;
  /** Of the commands topic, by partition, the oldest first. */
  readonly commands: readonly (readonly AppendedRecord[])[];
  /** Of the reply topic and the topics of events, in any order. */
  readonly others: Iterable<AppendedRecord>;
  /** Calls, faults and lives of processes in the order in which they happened. */
  readonly history: readonly Observation[];
  readonly samples: readonly OwnerSample[];
  /** In the order of their coming, per destination. */
  readonly arrivals: readonly Extract<Observation, { kind: 'arrived' }>[];
  readonly wallet: WalletBooks;
}
