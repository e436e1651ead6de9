/**
 * What a room's owner must answer, by the checkers' own model of the room at the version that an answer
 * names: to whom, and what. Ends of bans are judged with room for clocks that differ.
 */
import type { CallAsk } from '../observations.ts';
import type { RocketModel, RoomModel, SeatModel } from './room-model.ts';
import { rankOf } from './room-model.ts';

/** A question with who asks. */
export type AskedOwner = Pick<
  Extract<CallAsk, { kind: 'readOwner' }>,
  'question' | 'role' | 'userId'
>;

/** True time between the sending of a question and the arrival of its answer. */
export interface AskedWithin {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** More than any two clocks of a run differ. */
const clocksDifferMs = 5_000;

/** Refusals that the room itself gives; null among them: it answers. */
export function rightRefusals(
  room: RoomModel,
  { question, role, userId }: AskedOwner,
  within: AskedWithin,
): ReadonlySet<string | null> {
  if (question.kind === 'guard') return new Set([null]);
  if (room.status === 'absent') return new Set(['ROOM_NOT_FOUND']);
  if (role !== 'user') return new Set([null]);
  switch (question.kind) {
    case 'audience':
      return guardVerdicts(room, userId, within);
    case 'bans':
    case 'micRequests':
      return new Set([roleIn(room, userId) === 'member' ? 'NOT_ROOM_MANAGER' : null]);
    default:
      return new Set([null]);
  }
}

/** What the guard may say of the user; null: yes. */
export function guardVerdicts(
  room: RoomModel,
  userId: string,
  { fromMs, untilMs }: AskedWithin,
): ReadonlySet<string | null> {
  if (room.status === 'absent') return new Set(['ROOM_NOT_FOUND']);
  if (room.status !== 'active') return new Set(['ROOM_CLOSED']);
  const unbanned = room.users.has(userId) ? null : 'USER_NOT_PRESENT';
  const endsAtMs = Number(room.bans.get(userId)?.expiresAtMs ?? -1n);
  const isBanned = endsAtMs === 0 || endsAtMs > untilMs + clocksDifferMs;
  if (isBanned) return new Set(['USER_BANNED']);
  const isOver = endsAtMs < fromMs - clocksDifferMs;
  return isOver ? new Set([unbanned]) : new Set(['USER_BANNED', unbanned]);
}

/** The answer to any other question, without a view's gift rank, which is INV-23's. */
export function rightAnswer(room: RoomModel, { question, role, userId }: AskedOwner): unknown {
  switch (question.kind) {
    case 'view':
      return viewOf(room, role === 'user' ? userId : null);
    case 'audience': {
      const users = byUserId(room.users.values()).map((user) => ({
        user,
        role: roleIn(room, user.userId),
        seatNo: seatOf(room, user.userId)?.seatNo ?? 0,
      }));
      return {
        users: users.slice(0, question.pageSize),
        hasMore: users.length > question.pageSize,
      };
    }
    case 'bans': {
      const bans = byUserId(room.bans.values());
      return { bans: bans.slice(0, question.pageSize), hasMore: bans.length > question.pageSize };
    }
    case 'micRequests':
      return { requests: room.micRequests };
    case 'giftRank': {
      const places = rankOf(room).map(({ userId: sender, coins }, at) => {
        return { userId: sender, coins, rank: at + 1 };
      });
      return { places: places.slice(0, question.places), roomHeat: room.heat };
    }
    case 'guard':
      throw new Error('what the guard may say depends on the time');
  }
}

function viewOf(room: RoomModel, viewer: string | null): object {
  const { appCode, roomId, status, version, ownerUserId, profile, mode, closeInfo } = room;
  const seats = room.seats.map((seat) => seatAsShown(room, seat));
  const own = viewer === null ? undefined : seatOf(room, viewer);
  return {
    ...{ appCode, roomId, status, version, ownerUserId: ownerUserId ?? '', ...profile, mode },
    visibleRegionId: room.visibleRegionId,
    locked: room.passwordHash !== '',
    createdAtMs: room.createdAtMs,
    seats,
    counts: {
      online: room.users.size,
      onSeat: seats.filter(({ holder }) => holder !== null).length,
      robots: [...room.users.values()].filter(({ isRobot }) => isRobot).length,
    },
    roomHeat: room.heat,
    rocket: room.rocket === null ? null : rocketAsShown(room.rocket),
    closesAtMs: room.closing?.closesAtMs ?? 0n,
    close:
      closeInfo === null
        ? null
        : {
            kind: closeInfo.closedByKind,
            reason: closeInfo.reason,
            closedAtMs: closeInfo.closedAtMs,
          },
    me:
      viewer === null
        ? null
        : {
            role: roleIn(room, viewer),
            present: room.users.has(viewer),
            seatNo: own?.seatNo ?? 0,
            micSessionId: own?.occupancy?.micSessionId ?? '',
            muted: own?.muted ?? false,
          },
  };
}

/** With the contributors that a run may have: fewer than a view has places. */
function rocketAsShown({ ignition, contributors, ...round }: RocketModel): object {
  const { roundNo, level, fuel, fuelTarget, startedAtMs } = round;
  return {
    ...{ roundNo, level, fuel, fuelTarget, startedAtMs },
    status: ignition === null ? 'charging' : 'ignited',
    igniterUserId: ignition?.igniterUserId ?? '',
    launchAtMs: ignition?.launchAtMs ?? 0n,
    contributors: contributors.slice(0, 20).map(({ userId, coins }, at) => {
      return { userId, coins, rank: at + 1 };
    }),
  };
}

function seatAsShown(room: RoomModel, { seatNo, locked, muted, occupancy }: SeatModel) {
  if (occupancy === null) return { seatNo, locked, muted, state: 'idle', holder: null };
  const { userId, state } = occupancy;
  const profile = (room.users.get(userId)?.profile ?? {}) as Readonly<Record<string, unknown>>;
  const { nickname = '', avatarUrl = '' } = profile;
  return { seatNo, locked, muted, state, holder: { userId, nickname, avatarUrl } };
}

function seatOf(room: RoomModel, userId: string): SeatModel | undefined {
  return room.seats.find(({ occupancy }) => occupancy?.userId === userId);
}

function roleIn({ ownerUserId, admins }: RoomModel, userId: string): 'owner' | 'admin' | 'member' {
  if (ownerUserId === userId) return 'owner';
  return admins.includes(userId) ? 'admin' : 'member';
}

function byUserId<T extends { readonly userId: string }>(items: Iterable<T>): readonly T[] {
  return [...items].sort((one, other) => (one.userId < other.userId ? -1 : 1));
}
