/** Names of the domain and their numbers on the wire, for both directions. */
import type { PrizeState as PrizeName } from '../../domain/gift/lucky-draw.ts';
import type { RocketView } from '../../domain/rocket/rocket-view.ts';
import type { RoomView, SeatView } from '../../domain/room/room-view.ts';
import {
  CloserKind,
  PrizeState,
  RocketStatus,
  RoomMode,
  RoomRole,
  RoomStatus,
  SeatState,
} from './generated/roomcell/v1/room_types_pb.ts';

/** An absent room is on the wire only between nodes. */
export const roomStatuses: Readonly<Record<RoomView['status'], RoomStatus>> = {
  absent: RoomStatus.UNSPECIFIED,
  active: RoomStatus.ACTIVE,
  closing: RoomStatus.CLOSING,
  closed: RoomStatus.CLOSED,
  deleted: RoomStatus.DELETED,
};

/** How far a seat's holder got. */
export const seatStates: Readonly<Record<SeatView['state'], SeatState>> = {
  idle: SeatState.IDLE,
  pending_publish: SeatState.PENDING_PUBLISH,
  publishing: SeatState.PUBLISHING,
};

/** Whether gifts charge a room's rocket, or its countdown runs. */
export const rocketStatuses: Readonly<Record<RocketView['status'], RocketStatus>> = {
  charging: RocketStatus.CHARGING,
  ignited: RocketStatus.IGNITED,
};

/** Who closed a room. */
export const closerKinds: Readonly<Record<NonNullable<RoomView['close']>['kind'], CloserKind>> = {
  owner: CloserKind.OWNER,
  admin: CloserKind.ADMIN,
  operator: CloserKind.OPERATOR,
  system: CloserKind.SYSTEM,
};

/** How far the prize of a draw has come. */
export const prizeStates: Readonly<Record<PrizeName, PrizeState>> = {
  none: PrizeState.NONE,
  paid: PrizeState.PAID,
  pending: PrizeState.PENDING,
};

/** What a user is in a room. */
export const roomRoles: Readonly<Record<NonNullable<RoomView['me']>['role'], RoomRole>> = {
  owner: RoomRole.OWNER,
  admin: RoomRole.ADMIN,
  member: RoomRole.MEMBER,
};

/** How people get to the mic. */
export const roomModes: Readonly<Record<RoomView['mode'], RoomMode>> = {
  free: RoomMode.FREE,
  apply: RoomMode.APPLY,
};

/** The number of a mode as a table stores it; a name of another release has none. */
export function modeOf(text: string): RoomMode {
  return Object.hasOwn(roomModes, text)
    ? roomModes[text as RoomView['mode']]
    : RoomMode.UNSPECIFIED;
}

/** The name under which a table has the number, or `other`. */
export function nameOf<Name extends string>(
  table: Readonly<Record<Name, number>>,
  number: number,
  other: Name,
): Name {
  for (const [name, known] of Object.entries(table)) if (known === number) return name as Name;
  return other;
}
