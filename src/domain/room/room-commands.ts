/** What can be asked about the room itself: its life, what its owner chooses, and who manages it. */
import type { UserId } from '../ids.ts';
import type { RoomMode } from './state.ts';

/** CreateRoom: the actor becomes the owner. */
export interface CreateRoom {
  readonly type: 'CreateRoom';
  readonly title: string;
  readonly coverUrl: string;
  readonly backgroundUrl: string;
  readonly seatCount: number;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** Encoded scrypt hash made by the gateway, or '' for an open room. */
  readonly passwordHash: string;
  readonly tags: readonly string[];
  readonly ext: string;
}

/** CloseRoom is final (ROOM-6), at once or after the configured grace; a manager of the room. */
export interface CloseRoom {
  readonly type: 'CloseRoom';
  readonly reason: string;
  readonly note: string;
}

/** DeleteRoom: of a closed room nothing is kept but its name, which is never used again (ROOM-18). */
export interface DeleteRoom {
  readonly type: 'DeleteRoom';
  readonly reason: string;
  readonly note: string;
}

/** UpdateRoomProfile: null leaves a part as it is (META-4). */
export interface UpdateRoomProfile {
  readonly type: 'UpdateRoomProfile';
  readonly title: string | null;
  readonly coverUrl: string | null;
  readonly announcement: string | null;
  readonly backgroundUrl: string | null;
  readonly tags: readonly string[] | null;
  readonly ext: string | null;
}

/** SetSeatCount: grows with idle seats, shrinks by taking down who sits beyond (META-3). */
export interface SetSeatCount {
  readonly type: 'SetSeatCount';
  readonly seatCount: number;
}

/** SetRoomPassword: an encoded scrypt hash made by the gateway, or '' to open the room (PWD-1). */
export interface SetRoomPassword {
  readonly type: 'SetRoomPassword';
  readonly passwordHash: string;
}

/** SetRoomMode: who may sit down by itself (META-1). */
export interface SetRoomMode {
  readonly type: 'SetRoomMode';
  readonly mode: RoomMode;
}

/** SetVisibleRegion: the discovery region that lists the room (META-2). */
export interface SetVisibleRegion {
  readonly type: 'SetVisibleRegion';
  readonly visibleRegionId: bigint;
}

/** SetAdmin: gives or takes an admin's rights; the owner's alone. */
export interface SetAdmin {
  readonly type: 'SetAdmin';
  readonly userId: UserId;
  readonly isAdmin: boolean;
}

/** TransferOwner: the room gets another owner, who is present; the former one becomes a member. */
export interface TransferOwner {
  readonly type: 'TransferOwner';
  readonly userId: UserId;
}

/** System: the grace of a closing room is over (ROOM-5). */
export interface FinishClosing {
  readonly type: 'FinishClosing';
}

/** System: a join brought a wrong password; the room remembers it, so that a limit survives (PWD-2). */
export interface NotePasswordAttempt {
  readonly type: 'NotePasswordAttempt';
  readonly userId: UserId;
}
