/**
 * What `decide` answers. The four ends of a command are values, so that the pipeline must say what
 * it does with each: applied, noEffect and rejected are logged under the command id, retry leaves
 * the id free.
 */
import type { BatchDisplay } from '../gift/batch-display.ts';
import type { Charge } from '../gift/charge.ts';
import type { LuckyDrawResult } from '../gift/lucky-draw.ts';
import type { RankItem } from '../gift/gift-rank.ts';
import type { MicSessionId, RoomVersion, UserId } from '../ids.ts';
import type { RejectReason, RetryReason } from '../reasons.ts';
import type { RoomEvent } from './events.ts';
import type { RocketRules } from '../rocket/rocket-rules.ts';
import type { NotePasswordAttempt } from './room-commands.ts';
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
  /** SendGift to several targets: what the sender's client shows of it (RES-16, BATCH-1). */
  readonly batchDisplay?: BatchDisplay;
  /** SendGift of a lucky gift: what it drew, one per target in their order (RES-14, RES-15). */
  readonly luckyDraws?: readonly LuckyDrawResult[];
}

/** Caps that keep one room, one command and one event bounded; values come from configuration. */
export interface RoomLimits {
  readonly usersPerRoomMax: number;
  readonly eventsPerCommandMax: number;
  /** `rank_limit`: places of the gift rank that answers and views show, at most 100. */
  readonly giftRankMax: number;
}

/** Durations and counts of the room's rules; values come from configuration. */
export interface RoomTimes {
  /** `mic_publish_timeout` (MIC-16). */
  readonly micPublishTimeoutMs: number;
  /** How long an application or an invitation waits for its answer. */
  readonly micRequestTimeoutMs: number;
  /** `close_grace`; 0: a room closes at once (decision 4). */
  readonly closeGraceMs: number;
  /** How far the RTC service's clock may be behind ours when audio starts (decision 20). */
  readonly rtcClockSkewMs: number;
  /** Wrong passwords of one user within the window, from which on no join is tried any more. */
  readonly passwordAttemptsPerWindow: number;
  readonly passwordAttemptWindowMs: number;
}

/**
 * The soft table of heartbeat times, as far as a sweep needs it. Not part of the state; the owner
 * node's own memory, and nothing but the two sweeps may look at it (PRES-22).
 */
export interface HeartbeatFacts {
  /** Whoever was seen before this time is stale; stalls of the intake are taken off already. */
  readonly staleBeforeMs: number;
  /** When a user was last seen; a user without an entry was seen when joining. */
  readonly lastSeenMs: ReadonlyMap<UserId, number>;
  readonly micStaleBeforeMs: number;
  /** When a session's last mic heartbeat came; a session without an entry never sent one. */
  readonly lastMicHeartbeatMs: ReadonlyMap<MicSessionId, number>;
}

/** Facts from outside that `decide` may use; it reaches for nothing itself. */
export interface DecideFacts {
  /** max(cell clock, the room's last event time): never runs backwards within a room. */
  readonly nowMs: number;
  /** The session id that a MicUp by this command would open; derived from the command id. */
  readonly micSessionId: MicSessionId;
  readonly times: RoomTimes;
  readonly limits: RoomLimits;
  readonly heartbeats: HeartbeatFacts;
  /**
   * How the payment of a SendGift ended, when `plan` asked for one. Null for every other command,
   * and for a SendGift that `plan` did not let through.
   */
  readonly charge: Charge | null;
  /**
   * The rules of the app's rocket for a gift that was charged; null: the app has none, or the
   * deployment is not yet on the level that knows its events.
   */
  readonly rocketRules: RocketRules | null;
  /**
   * Whether gifts of robots count like everybody's (ROBOT-5). True as well where a node of a former
   * release, which counts all, may replay them.
   */
  readonly robotGiftsCount: boolean;
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
  /** A snapshot is to be written before the answer, whatever `snapshot_every_n` says (RES-3). */
  readonly forceSnapshot: boolean;
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
  /**
   * What the room remembers about the refusal: decided right behind it as a command of its own, for
   * a refused command itself changes nothing (INV-3). Null for almost all.
   */
  readonly followUp: NotePasswordAttempt | null;
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
