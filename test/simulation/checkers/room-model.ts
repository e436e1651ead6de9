/**
 * The checkers' own small model of a room: the fields of a snapshot, with its tables by user id. The
 * events that change it stand in `logged-event.ts`.
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

/** Who closes a room that is closing, and when. */
export interface ClosingModel {
  readonly closedByUserId: string;
  readonly closedByKind: string;
  readonly reason: string;
  readonly note: string;
  readonly closesAtMs: bigint;
}

/** A wish for the mic. */
export interface RequestModel {
  readonly kind: string;
  readonly userId: string;
  readonly byUserId: string;
  readonly seatNo: number;
  readonly requestedAtMs: bigint;
  readonly expiresAtMs: bigint;
}

/** Who may not come in; 0: without an end. */
export interface BanModel {
  readonly userId: string;
  readonly byUserId: string;
  readonly reason: string;
  readonly bannedAtMs: bigint;
  readonly expiresAtMs: bigint;
}

/** Wrong passwords of a user. */
export interface AttemptsModel {
  readonly userId: string;
  readonly attempts: number;
  readonly windowStartedAtMs: bigint;
}

/** An ignited rocket. */
export interface IgnitionModel {
  readonly igniterUserId: string;
  readonly ignitedAtMs: bigint;
  readonly launchAtMs: bigint;
  readonly carriedFuel: bigint;
  readonly minimumContribution: bigint;
  readonly rewards: readonly object[];
  readonly nextLevel: number;
  readonly nextFuelTarget: bigint;
}

/** The round of a rocket. */
export interface RocketModel {
  readonly roundNo: bigint;
  readonly level: number;
  readonly fuel: bigint;
  readonly fuelTarget: bigint;
  readonly rulesVersion: bigint;
  readonly startedAtMs: bigint;
  readonly ignition: IgnitionModel | null;
  /** In rank order. */
  readonly contributors: readonly SenderModel[];
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
  readonly closing: ClosingModel | null;
  readonly micRequests: readonly RequestModel[];
  /** Sorted. */
  readonly admins: readonly string[];
  readonly bans: ReadonlyMap<string, BanModel>;
  readonly passwordAttempts: ReadonlyMap<string, AttemptsModel>;
  readonly heat: bigint;
  readonly giftSenders: ReadonlyMap<string, SenderModel>;
  readonly rocket: RocketModel | null;
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
    closing: null,
    micRequests: [],
    admins: [],
    bans: new Map(),
    passwordAttempts: new Map(),
    heat: 0n,
    giftSenders: new Map(),
    rocket: null,
  };
}

/** The room as a snapshot's bytes: what must be equal byte for byte (INV-8). */
export function snapshotBytesOf(room: RoomModel): Buffer {
  const users = sorted(room.users);
  const giftSenders = sorted(room.giftSenders);
  const bans = sorted(room.bans);
  const passwordAttempts = sorted(room.passwordAttempts);
  const state = { ...room, users, giftSenders, bans, passwordAttempts };
  return writeRecord('RoomSnapshot', { state });
}

/** Tables of a room by user id, which a snapshot holds as lists. */
type Tables = Pick<RoomModel, 'users' | 'giftSenders' | 'bans' | 'passwordAttempts'>;

type Lists = {
  readonly [Table in keyof Tables]: Tables[Table] extends ReadonlyMap<string, infer Item>
    ? readonly Item[]
    : never;
};

/** The model of a decoded snapshot. */
export function roomOfSnapshot({
  state,
}: {
  readonly state: Omit<RoomModel, keyof Tables> & Lists;
}): RoomModel {
  return {
    ...state,
    users: byUser(state.users),
    giftSenders: byUser(state.giftSenders),
    bans: byUser(state.bans),
    passwordAttempts: byUser(state.passwordAttempts),
  };
}

function byUser<T extends { readonly userId: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.userId, item]));
}

/** Senders by coins, ties by earlier reach, then by user id (decision 13). */
export function rankOf(room: RoomModel): readonly SenderModel[] {
  return ranked([...room.giftSenders.values()]);
}

/** The same of any senders. */
export function ranked(senders: readonly SenderModel[]): readonly SenderModel[] {
  return senders.toSorted((left, right) => {
    if (left.coins !== right.coins) return left.coins > right.coins ? -1 : 1;
    const reach = left.reachedAtVersion - right.reachedAtVersion;
    if (reach !== 0n) return reach < 0n ? -1 : 1;
    return left.userId < right.userId ? -1 : 1;
  });
}

function sorted<T extends { readonly userId: string }>(items: ReadonlyMap<string, T>): T[] {
  return [...items.values()].sort((left, right) => (left.userId < right.userId ? -1 : 1));
}
