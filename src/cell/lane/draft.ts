/**
 * The draft of one room within one batch, and how each of its items ends on it. A draft is made
 * anew for every try of a transaction and thrown away when the try fails (PIPE-4, PIPE-13).
 */
import type { CommandId, EventId, RoomVersion } from '../../domain/ids.ts';
import type { OutboxDestination } from '../../domain/events/destinations.ts';
import type { ImLane } from '../../domain/events/im-lanes.ts';
import type { RoomEvent } from '../../domain/room/events.ts';
import type { RocketState } from '../../domain/rocket/rocket-state.ts';
import type { RoomState } from '../../domain/room/state.ts';
import type { StoredResult } from '../../ports/room-reader.ts';
import type { ResultRecord } from '../../protocol/records.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { CommandItem, LooseItem, RoomItem } from '../work.ts';
import type { Partition } from '../partition/partition.ts';

/** One event with the bytes that leave the service. */
export interface DraftEvent {
  readonly event: RoomEvent;
  readonly eventId: EventId;
  readonly envelope: Uint8Array;
  /** Those that get an outbox row. */
  readonly destinations: readonly OutboxDestination[];
  /** How the room's clients hear of it. */
  readonly imLane: ImLane;
  /** By the display lane, one of a type at most in each window (ROBOT-6). */
  readonly isSampled: boolean;
}

/** An applied step: what the log row and the event rows are made of. */
export interface DraftStep {
  readonly version: RoomVersion;
  /** Users in the room behind this step. */
  readonly onlineCount: number;
  /** The room's rocket behind this step. */
  readonly rocket: RocketState | null;
  readonly events: readonly DraftEvent[];
  /** Encoded LoggedEvents. */
  readonly eventBytes: Uint8Array;
  readonly chainHash: Uint8Array;
  /** The command is answered after a snapshot of what it made (RES-3). */
  readonly forcesSnapshot: boolean;
}

/** Finally decided: gets a log row. */
export interface LoggedEnd {
  readonly kind: 'logged';
  readonly item: RoomItem;
  readonly commandId: CommandId;
  readonly decidedAtMs: number;
  readonly result: ResultRecord;
  readonly resultBytes: Uint8Array;
  /** Null unless applied. */
  readonly step: DraftStep | null;
}

/** A repeat: answers what is stored, changes nothing. */
export interface ReplayedEnd {
  readonly kind: 'replayed';
  readonly item: CommandItem;
  readonly outcome: StoredResult['outcome'];
  readonly resultBytes: Uint8Array;
}

/** Ends without a log row: refused with its id left free, or set aside. */
export interface RefusedEnd {
  readonly kind: 'refused';
  readonly item: CommandItem;
  readonly loose: LooseItem;
}

/** A system command that found nothing to do. */
export interface NothingEnd {
  readonly kind: 'nothing';
  readonly item: RoomItem;
}

/** Every way in which an item can end on a draft. */
export type ItemEnd = LoggedEnd | ReplayedEnd | RefusedEnd | NothingEnd;

/** One room's share of a batch, decided. */
export interface RoomDraft {
  readonly room: RoomCell;
  readonly state: RoomState;
  readonly chainHash: Uint8Array;
  readonly ends: readonly ItemEnd[];
}

/** One room's share of a batch, undecided. */
export interface RoomWork {
  readonly room: RoomCell;
  readonly items: readonly RoomItem[];
}

/** One partition's share of a batch. Without rooms and loose items it only flushes the offset. */
export interface PartitionWork {
  readonly partition: Partition;
  readonly rooms: readonly RoomWork[];
  readonly loose: readonly LooseItem[];
}
