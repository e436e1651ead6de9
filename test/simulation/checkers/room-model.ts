/**
 * The checkers' own small model of a room: the fields of a snapshot, with users and gift senders by
 * id, and the events that change them as they are decoded from the log.
 */
import { writeRecord } from './avro-reading.ts';

/** What others see of a user. */
export interface UserModel {
  readonly userId: string;
  readonly profile: object;
  readonly isRobot: boolean;
  readonly joinedAtMs: bigint;
  readonly joinedAtVersion: bigint;
}

/** Who sits on a seat. */
export interface OccupancyModel {
  readonly userId: string;
  readonly micSessionId: string;
  readonly state: 'pending_publish' | 'publishing';
  readonly sessionRoomVersion: bigint;
  readonly sessionStartedAtMs: bigint;
  readonly publishDeadlineMs: bigint;
  readonly lastPublishEventTimeMs: bigint;
}

/** One numbered place. */
export interface SeatModel {
  readonly seatNo: number;
  readonly locked: boolean;
  readonly muted: boolean;
  readonly occupancy: OccupancyModel | null;
}

/** What a user has given in a room. */
export interface SenderModel {
  readonly userId: string;
  readonly coins: bigint;
  readonly reachedAtVersion: bigint;
}

/** What was said of the end of a room. */
export interface CloseModel {
  readonly closedByUserId: string;
  readonly closedByKind: string;
  readonly reason: string;
  readonly note: string;
  readonly closedAtMs: bigint;
  readonly finalOnlineCount: number;
  readonly finalHeat: bigint;
}

/** A room at one version. */
export interface RoomModel {
  readonly appCode: string;
  readonly roomId: string;
  readonly status: string;
  readonly version: bigint;
  readonly ownerUserId: string | null;
  readonly profile: { readonly title: string; readonly coverUrl: string } & {
    readonly [field: string]: unknown;
    readonly tags: readonly string[];
  };
  readonly mode: string;
  readonly visibleRegionId: bigint;
  readonly passwordHash: string;
  readonly passwordVersion: bigint;
  readonly seats: readonly SeatModel[];
  readonly users: ReadonlyMap<string, UserModel>;
  readonly createdAtMs: bigint;
  readonly lastEventAtMs: bigint;
  readonly closeInfo: CloseModel | null;
  readonly heat: bigint;
  readonly giftSenders: ReadonlyMap<string, SenderModel>;
}

/** A logged event as it is decoded, with its type beside its fields. */
export type LoggedEvent =
  | {
      readonly type: 'RoomCreated';
      readonly ownerUserId: string;
      readonly title: string;
      readonly coverUrl: string;
      readonly backgroundUrl: string;
      readonly seatCount: number;
      readonly mode: string;
      readonly visibleRegionId: bigint;
      readonly passwordHash: string;
      readonly tags: readonly string[];
      readonly ext: string;
    }
  | {
      readonly type: 'RoomUserJoined';
      readonly userId: string;
      readonly profile: object;
      readonly isRobot: boolean;
    }
  | { readonly type: 'RoomUserUpdated'; readonly userId: string; readonly profile: object }
  | { readonly type: 'RoomUserLeft'; readonly userId: string; readonly reason: string }
  | ({ readonly type: 'RoomMicUp'; readonly publishDeadlineMs: bigint } & MicFields)
  | ({ readonly type: 'RoomMicPublishing'; readonly publishEventTimeMs: bigint } & MicFields)
  | ({
      readonly type: 'RoomMicDown';
      readonly reason: string;
      readonly onMicMs: bigint;
    } & MicFields)
  | ({ readonly type: 'RoomClosed' } & Omit<CloseModel, 'closedAtMs'>)
  | {
      readonly type: 'RoomGiftSent';
      readonly senderUserId: string;
      readonly targetUserId: string;
      readonly giftId: string;
      readonly giftCount: number;
      readonly coins: bigint;
      readonly unitPrice: bigint;
      readonly billingReceiptId: string;
    };

/** What every event about a seat says. */
export interface MicFields {
  readonly userId: string;
  readonly seatNo: number;
  readonly micSessionId: string;
}

/** A room that was never created. */
export function absentRoom(appCode: string, roomId: string): RoomModel {
  const profile = {
    title: '',
    coverUrl: '',
    announcement: '',
    backgroundUrl: '',
    tags: [],
    ext: '',
  };
  return {
    appCode,
    roomId,
    status: 'absent',
    version: 0n,
    ownerUserId: null,
    profile,
    mode: 'free',
    visibleRegionId: 0n,
    passwordHash: '',
    passwordVersion: 0n,
    seats: [],
    users: new Map(),
    createdAtMs: 0n,
    lastEventAtMs: 0n,
    closeInfo: null,
    heat: 0n,
    giftSenders: new Map(),
  };
}

/** The room as a snapshot's bytes: what must be equal byte for byte (INV-8). */
export function snapshotBytesOf(room: RoomModel): Buffer {
  const users = sorted(room.users);
  const giftSenders = sorted(room.giftSenders);
  return writeRecord('RoomSnapshot', { state: { ...room, users, giftSenders } });
}

/** The model of a decoded snapshot. */
export function roomOfSnapshot(snapshot: {
  readonly state: Omit<RoomModel, 'users' | 'giftSenders'> & {
    readonly users: readonly UserModel[];
    readonly giftSenders: readonly SenderModel[];
  };
}): RoomModel {
  const { state } = snapshot;
  const users = new Map(state.users.map((user) => [user.userId, user]));
  const giftSenders = new Map(state.giftSenders.map((sender) => [sender.userId, sender]));
  return { ...state, users, giftSenders };
}

/** Senders by coins, ties by earlier reach, then by user id (decision 13). */
export function rankOf(room: RoomModel): readonly SenderModel[] {
  return [...room.giftSenders.values()].sort((left, right) => {
    if (left.coins !== right.coins) return left.coins > right.coins ? -1 : 1;
    const reach = left.reachedAtVersion - right.reachedAtVersion;
    if (reach !== 0n) return reach < 0n ? -1 : 1;
    return left.userId < right.userId ? -1 : 1;
  });
}

function sorted<T extends { readonly userId: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((left, right) => (left.userId < right.userId ? -1 : 1));
}
