/**
 * The state of a room that was never created: where `evolve` starts when a room's log is replayed
 * from its first row, and what `decide` judges CreateRoom by.
 */
import { emptyPersistentMap } from '../../kernel/persistent-map.ts';
import type { AppCode, RoomId, RoomVersion } from '../ids.ts';
import type { GiftSender, PasswordAttempts, PresentUser, RoomBan, RoomState } from './state.ts';

/** An absent room at version 0, empty in every field. */
export function initialRoomState(appCode: AppCode, roomId: RoomId): RoomState {
  return {
    appCode,
    roomId,
    status: 'absent',
    version: 0n as RoomVersion,
    ownerUserId: null,
    profile: { title: '', coverUrl: '', announcement: '', backgroundUrl: '', tags: [], ext: '' },
    mode: 'free',
    visibleRegionId: 0n,
    passwordHash: '',
    passwordVersion: 0n,
    seats: [],
    micRequests: [],
    admins: [],
    bans: emptyPersistentMap<RoomBan>(),
    temporaryBans: [],
    passwordAttempts: emptyPersistentMap<PasswordAttempts>(),
    users: emptyPersistentMap<PresentUser>(),
    robotCount: 0,
    heat: 0n,
    giftSenders: emptyPersistentMap<GiftSender>(),
    topGiftSenders: [],
    rocket: null,
    createdAtMs: 0,
    lastEventAtMs: 0,
    closing: null,
    closeInfo: null,
  };
}

/** What is left of a deleted room (ROOM-18); version and time of its end are the caller's to set. */
export function tombstoneState(
  room: Pick<RoomState, 'appCode' | 'roomId' | 'ownerUserId' | 'createdAtMs'>,
): RoomState {
  const { appCode, roomId, ownerUserId, createdAtMs } = room;
  return { ...initialRoomState(appCode, roomId), status: 'deleted', ownerUserId, createdAtMs };
}
