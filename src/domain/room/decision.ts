/**
 * What `decide` answers. The four ends of a command are values, so that the pipeline must say what
 * it does with each: applied, noEffect and rejected are logged under the command id, retry leaves
 * the id free.
 */
import type { Charge } from '../gift/charge.ts';
import type { RankItem } from '../gift/gift-rank.ts';
import type { MicSessionId, RoomVersion } from '../ids.ts';
import type { RejectReason, RetryReason } from '../reasons.ts';
import type { RoomEvent } from './events.ts';
import type { PresentUser } from './state.ts';

/**
 * What the command answers beside the room's view; stored with the log row and repeated byte for
 * byte (INV-4). Absent fields do not apply to the command.
 */
export interface ResultFields {
  /** JoinRoom: the user as now present (RES-4). */
  readonly user?: PresentUser;
  readonly seatNo?: number;
  readonly micSessionId?: MicSessionId;
  readonly publishDeadlineMs?: number;
  /** SendGift: the wallet's receipt (RES-9). */
  readonly billingReceiptId?: string;
  /** SendGift: the sender's coins after it (RES-10), where the wallet said. */
  readonly coinBalanceAfter?: bigint;
  /** SendGift to a single target: the receiver's coins after its share (RES-11, GIFT-7). */
  readonly giftIncomeBalanceAfter?: bigint;
  /** SendGift: the room's heat after it (RES-12). */
  readonly roomHeat?: bigint;
  /** SendGift: the first places of the gift rank after it (RES-13). */
  readonly giftRank?: readonly RankItem[];
}

/** Caps that keep one room, one command and one event bounded; values come from configuration. */
export interface RoomLimits {
  readonly usersPerRoomMax: number;
  readonly eventsPerCommandMax: number;
  /** `rank_limit`: places of the gift rank that answers and views show, at most 100. */
  readonly giftRankMax: number;
}

/** Facts from outside that `decide` may use; it reaches for nothing itself. */
export interface DecideFacts {
  /** max(cell clock, the room's last event time): never runs backwards within a room. */
  readonly nowMs: number;
  /** The session id that a MicUp by this command would open; derived from the command id. */
  readonly micSessionId: MicSessionId;
  /** `mic_publish_timeout` of the configuration. */
  readonly micPublishTimeoutMs: number;
  readonly limits: RoomLimits;
  /**
   * How the payment of a SendGift ended, when `plan` asked for one. Null for every other command,
   * and for a SendGift that `plan` did not let through.
   */
  readonly charge: Charge | null;
}

/** Where an event stands: what `evolve` needs beside the event itself. */
export interface EventPosition {
  /** The version the command makes; all events of one command share it. */
  readonly version: RoomVersion;
  readonly occurredAtMs: number;
}

/** The command changed the room: at least one event, one version step. */
export interface Applied {
  readonly kind: 'applied';
  readonly events: readonly RoomEvent[];
  readonly result: ResultFields;
}

/** Success that changes nothing (closing a closed room, leaving while absent). No version step. */
export interface NoEffect {
  readonly kind: 'noEffect';
  readonly result: ResultFields;
}

/** A final no. `facts` name what stood in the way (the room's state, the seat's holder …). */
export interface Rejected {
  readonly kind: 'rejected';
  readonly reason: RejectReason;
  readonly facts: Readonly<Record<string, string>>;
}

/** Not now: nothing is stored, the same id may be sent again. */
export interface RetryLater {
  readonly kind: 'retry';
  readonly reason: RetryReason;
  readonly facts: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
}

/** Every end a decision can have. */
export type Decision = Applied | NoEffect | Rejected | RetryLater;
