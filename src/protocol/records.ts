/**
 * What travels on topics and lies in payload columns, as plain values. `protocol/codec` turns them
 * into Avro single-object bytes and back. Times are milliseconds as numbers (safe until the year
 * 287396); every other 64-bit value is a bigint.
 */
import type {
  AppCode,
  CommandId,
  EventId,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../domain/ids.ts';
import type { ActorRole, CommandBody } from '../domain/room/commands.ts';
import type { RoomDisplay } from '../domain/events/displays.ts';
import type { ResultFields } from '../domain/room/decision.ts';
import type { LeaveReason, UnbanReason } from '../domain/presence/presence-events.ts';
import type { MicDownReason, MicRequestEnd } from '../domain/mic/mic-events.ts';
import type { RoomEvent, RoomEventType } from '../domain/room/events.ts';
import type { CloserKind, MicRequestKind, RoomState } from '../domain/room/state.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { Destination } from './topics.ts';

/** Whether the reply carries the room's present view beside the result record. */
export type SnapshotMode = 'none' | 'view';

/** One command on the commands topic. */
export interface CommandRecord {
  readonly kind: 'command';
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  readonly actorRole: ActorRole;
  /** The caller's own clock, for the log only. Not part of the payload hash. */
  readonly clientTimeMs: number;
  /** Not part of the payload hash. */
  readonly snapshotMode: SnapshotMode;
  readonly body: CommandBody;
}

/** One heartbeat within a fold. */
export interface HeartbeatItem {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly userId: UserId;
  /** The session that is kept alive beside the presence; '' for a heartbeat of presence alone. */
  readonly micSessionId: MicSessionId | '';
}

/** Heartbeats of one partition that a gateway gathered; has no command id and never expires. */
export interface HeartbeatFold {
  readonly kind: 'heartbeats';
  readonly items: readonly HeartbeatItem[];
}

/** What a record on the commands topic can hold. */
export type CommandTopicRecord = CommandRecord | HeartbeatFold;

/** The end of a command as stored in its log row and repeated byte for byte (INV-4). */
export interface ResultRecord {
  readonly outcome: 'applied' | 'no_effect' | 'rejected';
  /** Applied: the version made. Otherwise: the version decided at. */
  readonly roomVersion: RoomVersion;
  /** Reason code when rejected, else ''. */
  readonly reason: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly fields: ResultFields;
}

/** Reply to a command that has a result record. */
export interface ResultReply {
  readonly kind: 'result';
  /** The stored bytes of the ResultRecord, untouched. */
  readonly resultBytes: Uint8Array;
  readonly replayed: boolean;
  /** The room's present view for the actor, when the command asked for it. */
  readonly view: RoomView | null;
}

/** Reply without a stored result: the id is free, or was never usable. */
export interface RefusalReply {
  readonly kind: 'refusal';
  readonly reason: string;
  readonly facts: Readonly<Record<string, string>>;
  /** 0: no hint. */
  readonly retryAfterMs: number;
}

/** Reply to a heartbeat fold; whoever stands in none of the lists was heard. */
export interface HeartbeatReply {
  readonly kind: 'heartbeats';
  /** Time of the fold's record: with it the heartbeats count. 0: an older release did not say. */
  readonly heardAtMs: number;
  /** Indexes of items whose user was not present. */
  readonly notPresent: readonly number[];
  /** Indexes of items whose room this cell does not know or which is not active. */
  readonly notActive: readonly number[];
  /** Indexes of items whose mic session holds no seat of their user (any more). */
  readonly micStale: readonly number[];
}

/** What a record on the reply topic can hold. */
export type ReplyRecord = ResultReply | RefusalReply | HeartbeatReply;

/** Symbols that only tell why: whoever lacks one can still pass the event on. */
type SoftReason =
  LeaveReason | MicDownReason | CloserKind | UnbanReason | MicRequestKind | MicRequestEnd;

/** `E` as a reader of another release sees it: a reason that it lacks reads `unknown`. */
type WithSoftReasons<E> = {
  readonly [Field in keyof E]: E[Field] extends SoftReason ? E[Field] | 'unknown' : E[Field];
};

/** A room event in an envelope. Every RoomEvent is one. */
export type EnvelopeEvent = {
  [T in RoomEventType]: WithSoftReasons<Extract<RoomEvent, { readonly type: T }>>;
}[RoomEventType];

/** One event with everything another system needs to know about it (OUT-24). */
export interface EventEnvelope {
  readonly eventId: EventId;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly eventType: string;
  readonly roomVersion: RoomVersion;
  /** Position within its command's events, from 0. */
  readonly eventIndex: number;
  readonly occurredAtMs: number;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  /**
   * Null only after decoding: a newer release wrote an event of this `eventType` that the reader
   * cannot read. It is passed on by its type and ids, never dropped.
   */
  readonly event: EnvelopeEvent | null;
}

/** One display with everything a client needs to know about it. Its id follows from what it shows. */
export interface DisplayEnvelope {
  readonly eventId: EventId;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly displayType: string;
  /** The version behind which it was made. */
  readonly roomVersion: RoomVersion;
  readonly occurredAtMs: number;
  readonly actorUserId: UserId;
  /** Null only after decoding: a display of a newer release. */
  readonly display: RoomDisplay | null;
}

/** A room's state at its version, as stored in `room_snapshots`. */
export interface SnapshotRecord {
  readonly state: RoomState;
}

/** The reading of bytes of ours. `fault` says what is wrong with them, for the dead-letter row. */
export type Decoded<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/** One event on its way to a destination, as the relay publishes and the adapter takes it. */
export interface OutboxDelivery {
  readonly rowId: bigint;
  readonly claimToken: string;
  readonly destination: Destination;
  readonly envelopeBytes: Uint8Array;
}
