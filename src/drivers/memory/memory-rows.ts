/** Rows of the memory database that no port names: what lies in the tables beneath the ports. */
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomKey,
  RoomVersion,
  UserId,
} from '../../domain/ids.ts';
import type { Robot } from '../../domain/robots/robot-rules.ts';
import type { EventRow, LogRow, RoomMetaRow } from '../../ports/commit-lane.ts';
import type { OwnerRow, TriedRecord } from '../../ports/partition-store.ts';
import type { OutboxStatus } from '../../ports/replay-store.ts';
import type { Destination } from '../../protocol/topics.ts';

/** What an owner row holds beside what is read of it. */
interface OwnerHistory {
  /** `appliedOffset` as the last takeover found it. */
  takenAtOffset: bigint | null;
  stalledTakeovers: number;
  tried: TriedRecord | null;
  /** From this epoch on, offsets in log rows are those of the present log. */
  offsetsSinceEpoch: bigint;
  appliedRecordMs: number | null;
  acceptedHint: bigint;
  replayUntil: bigint;
}

/** An owner row that a test may change in place. */
export type OwnerRecord = { -readonly [K in keyof OwnerRow]: OwnerRow[K] } & OwnerHistory;

/** States of a stored row; `published` is historical and never written. */
export type StoredOutboxStatus = OutboxStatus | 'published';

/** One event for one destination. */
export interface OutboxRow {
  readonly rowId: bigint;
  readonly eventId: EventId;
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly roomVersion: RoomVersion;
  readonly eventIndex: number;
  readonly eventType: string;
  readonly destination: Destination;
  readonly shard: number;
  readonly status: StoredOutboxStatus;
  readonly workerId: string;
  readonly claimToken: string;
  readonly lockUntilMs: number;
  readonly nextRetryAtMs: number;
  readonly retryCount: number;
  readonly startedCount: number;
  readonly lastError: string;
  readonly usefulUntilMs: number | null;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

/** What a row of the outbox had come to when it was sent again. */
export interface OutboxReplayRow {
  readonly rowId: bigint;
  readonly eventId: EventId;
  readonly destination: Destination;
  readonly retryCount: number;
  readonly startedCount: number;
  readonly lastError: string;
  readonly failedAtMs: number | null;
  readonly replayedAtMs: number;
}

/** An entry of the room list. `pinned` belongs to operators; a commit leaves it alone. */
export interface ListRow extends Pick<
  RoomMetaRow,
  | 'appCode'
  | 'roomId'
  | 'status'
  | 'title'
  | 'coverUrl'
  | 'ownerUserId'
  | 'mode'
  | 'visibleRegionId'
  | 'locked'
  | 'tags'
  | 'seatCount'
  | 'onlineCount'
  | 'createdAtMs'
> {
  readonly pinned: boolean;
  readonly heat: bigint;
  readonly heatBucket: number;
}

/** A leased partition of the reply topic; `incarnation` is empty when nobody holds it. */
export interface SlotRow {
  readonly nodeId: string;
  readonly incarnation: string;
  readonly leaseUntilMs: number;
}

/** A user who is present in a room. */
export interface UserRoomRow {
  readonly appCode: AppCode;
  readonly userId: UserId;
  readonly roomId: RoomId;
  readonly joinedAtMs: number;
}

/** Key of a user's presence: app, user and room together. */
export function userRoomKey(row: Pick<UserRoomRow, 'appCode' | 'userId' | 'roomId'>): string {
  return `${row.appCode}\0${row.userId}\0${row.roomId}`;
}

/** A cell node that has its name. */
export interface NodeRow {
  readonly nodeId: string;
  readonly incarnation: string;
  readonly renewedAtMs: number;
  readonly leaseUntilMs: number;
  /** '': nobody wants it drained. */
  readonly drainAskedBy: string;
  readonly queues: ReadonlyMap<number, number>;
}

/** A ban from all rooms of an app. */
export interface UserBanRow {
  readonly appCode: AppCode;
  readonly userId: UserId;
  readonly reason: string;
  readonly bannedBy: UserId;
  readonly bannedAtMs: number;
  /** 0: until it is lifted. */
  readonly expiresAtMs: number;
}

/** A robot account of an app. */
export interface RobotAccountRow {
  readonly appCode: AppCode;
  readonly robot: Robot;
}

/** How many robots of one country may be in rooms of people. */
export interface RobotQuotaRow {
  readonly appCode: AppCode;
  readonly countryCode: string;
  readonly robotsMax: number;
}

/** Key of a ban by the platform. */
export function userBanKey(appCode: AppCode, userId: UserId): string {
  return `${appCode}\0${userId}`;
}

/** Key of an act of an operator: its id is unique within the app. */
export function actKey(appCode: AppCode, commandId: CommandId): string {
  return `${appCode}\0${commandId}`;
}

/** Key of a log row: app, room and command id together (PIPE-17). */
export function logKey(roomKey: RoomKey, commandId: string): string {
  return `${roomKey}\0${commandId}`;
}

/** The second fence of a room: one applied row per version. Null for rows that applied nothing. */
export function versionKey(
  row: Pick<LogRow, 'appCode' | 'roomId' | 'appliedVersion'>,
): string | null {
  if (row.appliedVersion === null) return null;
  return `${row.appCode}\0${row.roomId}\0${row.appliedVersion}`;
}

/** Primary key of an event: its place in the room's history. */
export function placeKey(
  row: Pick<EventRow, 'appCode' | 'roomId' | 'roomVersion' | 'eventIndex'>,
): string {
  return `${row.appCode}\0${row.roomId}\0${row.roomVersion}\0${row.eventIndex}`;
}

/** A line of rows that must arrive in order: one room's rows for one destination. */
export function streamKey(row: Pick<OutboxRow, 'appCode' | 'roomId' | 'destination'>): string {
  return `${row.appCode}\0${row.roomId}\0${row.destination}`;
}

/** A row that is not at its end and keeps the later rows of its stream waiting. */
export function isUnfinished({ status }: Pick<OutboxRow, 'status'>): boolean {
  return status === 'pending' || status === 'retryable' || status === 'delivering';
}
