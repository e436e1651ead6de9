/**
 * The interface of the judges. A checker shares no code with the product: it may read the tables of
 * the memory database and the product's types, and computes everything else by itself.
 */
import type { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import type { WalletLedger } from '../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import type { Observation } from '../observations.ts';
import type { ShownLanes } from './required-destinations.ts';

/** One broken promise. */
export interface Violation {
  /** `INV-n`. */
  readonly invariant: string;
  readonly text: string;
  /** The room that shows it, if one does. */
  readonly room: { readonly appCode: string; readonly roomId: string } | null;
}

/** What checkers see beside the observations. Read only. */
export interface CheckedWorld {
  /**
   * Each commit to it is one `committed` observation, before anything else commits. What left by
   * retention is still there.
   */
  readonly database: MemoryDatabase;
  readonly wallet: {
    readonly ledger: Pick<WalletLedger, 'find' | 'entries' | 'allAccounts' | 'keys'>;
  };
  readonly partitionCount: number;
  readonly commandsTopic: string;
  /** Records of a partition of the commands topic from an offset on (default: all), oldest first. */
  commandRecords(
    partition: number,
    from?: bigint,
  ): readonly {
    readonly offset: bigint;
    readonly value: Uint8Array | null;
  }[];
  /** Failures after which an outbox row must be `failed`. Without it the counter has no bound. */
  readonly maxRetryCount?: number;
  /** How long a user is silent who is taken out for it. Without it nobody is judged. */
  readonly presenceStaleAfterMs?: number;
  /** How long a relay locks the rows that it claims, by its own clock. */
  readonly claimLockMs?: number;
  /** Destinations where nothing of a room may go behind a row that has failed. Without it: none. */
  readonly blocking?: readonly string[];
  /**
   * Whether an operator has had the event's row for the destination sent again, or has given it up.
   * Without it nobody has.
   */
  operatorHad?(eventId: string, destination: string): boolean;
  /** How what is shown goes to IM. Without it every message goes by the outbox. */
  readonly lanes?: ShownLanes;
  /** Where cells put what they show. */
  readonly displaysTopic?: string;
  /** How old the guard's word may be on which a user is put out of RTC. Without it nobody is judged. */
  readonly guardWordMs?: number;
  /** How old rows leave, and the tables as they then are. Without it none does. */
  readonly retention?: {
    readonly keepMs: number;
    readonly tables: MemoryDatabase;
    nowMs(): number;
  };
  /** Who is in the audio of which room now. */
  rtcRooms?(): readonly {
    readonly appCode: string;
    readonly roomId: string;
    readonly users: readonly string[];
  }[];
  /**
   * Until when the room's IM group keeps whom out, by user; null: there is no group. Without this nobody is
   * judged.
   */
  groupBans?(appCode: string, roomId: string): ReadonlyMap<string, number> | null;
  /** The copy of an app's room list; null: there is none. */
  listCopy?(appCode: string): {
    readonly life: string;
    readonly rooms: ReadonlyMap<string, { readonly entry: object | null }>;
  } | null;
  /** What a board shows, by room; null: there is none. The period as `2026-11-30`, `2026-W49`, `all`. */
  board?(appCode: string, periodName: string): ReadonlyMap<string, bigint> | null;
  /** Whether gifts of robots count like any. Without it nobody's are judged. */
  readonly robotGiftsCount?: boolean;
  /** The account that pays for gifts of robots which cells play. Without it, or with '': each its own. */
  readonly robotWalletAccount?: string;
  /** The rooms that cells hold in memory now, each encoded as a snapshot by the product. */
  liveRooms?(): readonly LiveRoom[];
}

/** A room in the memory of a cell that owns it. */
export interface LiveRoom {
  readonly pod: string;
  readonly appCode: string;
  readonly roomId: string;
  readonly version: bigint;
  /** What a snapshot of it would hold (single-object encoding). */
  readonly snapshotBytes: Uint8Array;
}

/** See the file header. Made anew for each run. */
export interface Checker {
  /** Ids of the invariants that it judges. */
  readonly invariants: readonly string[];
  /** After each observation. */
  observe?(observation: Observation): void;
  /** After the settle phase. */
  atEnd?(): void;
}

/** Makes a checker for one run; `report` may be called any number of times. */
export type CheckerFactory = (
  world: CheckedWorld,
  report: (violation: Violation) => void,
) => Checker;
