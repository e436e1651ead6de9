/**
 * What a client sees of a room (SNAP-4): a projection of the state whose size depends on the seats
 * and the places of the gift rank shown, and never on the audience, so that it can stand beside every reply. The cell makes it after a
 * command or for a read of the owner; the gateway adds what only it knows (IM group, RTC room).
 *
 * Left out on purpose: the password hash (only `locked` is told), mic sessions of others (only one's
 * own is a key that its client must bring back), and the list of users (the audience is paged).
 */
import { giftRank } from '../gift/gift-rank.ts';
import type { RankItem } from '../gift/gift-rank.ts';
import type { AppCode, MicSessionId, RoomId, RoomVersion, UserId } from '../ids.ts';
import { findSeatByUser } from '../mic/seats.ts';
import { roleOf } from '../roles/role-of.ts';
import { rocketView, type RocketView } from '../rocket/rocket-view.ts';
import type {
  CloserKind,
  MicSeat,
  PresentUser,
  RoomMode,
  RoomRole,
  RoomState,
  RoomStatus,
} from './state.ts';

/** Enough of a seat's holder to draw the seat. */
export interface SeatHolderView {
  readonly userId: UserId;
  readonly nickname: string;
  readonly avatarUrl: string;
}

/** How far a seat's holder got; `idle` means nobody sits there (MIC-1). */
export type SeatViewState = 'idle' | 'pending_publish' | 'publishing';

/** One seat as clients draw it. */
export interface SeatView {
  readonly seatNo: number;
  readonly locked: boolean;
  readonly muted: boolean;
  readonly state: SeatViewState;
  /** Null exactly when `state` is `idle`. */
  readonly holder: SeatHolderView | null;
}

/** Sizes of sets, counted when the view is made (INV-29). */
export interface RoomViewCounts {
  /** Robots included. */
  readonly online: number;
  readonly onSeat: number;
  /** Robots among those online (ROBOT-5). */
  readonly robots: number;
}

/** The asking user's own place in the room. */
export interface RoomViewMe {
  /** By the room's word alone: an owner who is not present is still `owner`. */
  readonly role: RoomRole;
  readonly present: boolean;
  /** 0: on no seat. */
  readonly seatNo: number;
  /** '': on no seat. */
  readonly micSessionId: MicSessionId | '';
  /** Whether the held seat is muted; false on no seat. */
  readonly muted: boolean;
}

/** Why and when the room was closed. The closer's note stays inside. */
export interface RoomViewClose {
  readonly kind: CloserKind;
  readonly reason: string;
  readonly closedAtMs: number;
}

/** The bounded client projection of one room at one version. */
export interface RoomView {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly status: RoomStatus;
  /** The version this view shows. A client keeps the view with the highest one. */
  readonly version: RoomVersion;
  /** '' only while the room is absent. */
  readonly ownerUserId: UserId | '';
  readonly title: string;
  readonly coverUrl: string;
  readonly announcement: string;
  readonly backgroundUrl: string;
  readonly tags: readonly string[];
  readonly ext: string;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** A password is needed to join (PWD-3). */
  readonly locked: boolean;
  readonly createdAtMs: number;
  readonly seats: readonly SeatView[];
  readonly counts: RoomViewCounts;
  /** Coins of all committed gifts. */
  readonly roomHeat: bigint;
  /** The first places, at most `rank_limit`. */
  readonly giftRank: readonly RankItem[];
  /** Null while no gift has made fuel yet, and in a room that has ended. */
  readonly rocket: RocketView | null;
  /** When a closing room closes; 0: it is not closing. */
  readonly closesAtMs: number;
  /** Null while the room is not closed. */
  readonly close: RoomViewClose | null;
  /** Null when nobody in particular asks. */
  readonly me: RoomViewMe | null;
}

/**
 * Makes the view of `state` for `userId`, or for nobody, with the first `giftRankMax` places of the
 * gift rank. Total: an absent room has a view too.
 */
export function roomView(state: RoomState, userId: UserId | null, giftRankMax: number): RoomView {
  const seats = state.seats.map((seat) => seatView(seat, state));
  return {
    appCode: state.appCode,
    roomId: state.roomId,
    status: state.status,
    version: state.version,
    ownerUserId: state.ownerUserId ?? '',
    title: state.profile.title,
    coverUrl: state.profile.coverUrl,
    announcement: state.profile.announcement,
    backgroundUrl: state.profile.backgroundUrl,
    tags: state.profile.tags,
    ext: state.profile.ext,
    mode: state.mode,
    visibleRegionId: state.visibleRegionId,
    locked: state.passwordHash !== '',
    createdAtMs: state.createdAtMs,
    seats,
    counts: {
      online: state.users.size,
      onSeat: seats.filter((seat) => seat.holder !== null).length,
      robots: state.robotCount,
    },
    roomHeat: state.heat,
    giftRank: giftRank(state.topGiftSenders, giftRankMax),
    rocket: rocketView(state.rocket, giftRankMax),
    closesAtMs: state.closing?.closesAtMs ?? 0,
    close: closeView(state),
    me: userId === null ? null : meView(state, userId),
  };
}

function seatView(seat: MicSeat, state: RoomState): SeatView {
  const { seatNo, locked, muted, occupancy } = seat;
  if (occupancy === null) return { seatNo, locked, muted, state: 'idle', holder: null };
  const holder = holderView(occupancy.userId, state.users.get(occupancy.userId));
  return { seatNo, locked, muted, state: occupancy.state, holder };
}

function holderView(userId: UserId, user: PresentUser | undefined): SeatHolderView {
  return {
    userId,
    nickname: user?.profile.nickname ?? '',
    avatarUrl: user?.profile.avatarUrl ?? '',
  };
}

function closeView(state: RoomState): RoomViewClose | null {
  if (state.closeInfo === null) return null;
  const { closedByKind, reason, closedAtMs } = state.closeInfo;
  return { kind: closedByKind, reason, closedAtMs };
}

function meView(state: RoomState, userId: UserId): RoomViewMe {
  const held = findSeatByUser(state.seats, userId);
  return {
    role: roleOf(state, userId),
    present: state.users.has(userId),
    seatNo: held?.seat.seatNo ?? 0,
    micSessionId: held?.occupancy.micSessionId ?? '',
    muted: held?.seat.muted ?? false,
  };
}
