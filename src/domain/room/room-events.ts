/** What happened to the room itself. */
import type { UserId } from '../ids.ts';
import type { CloserKind, RoomMode, RoomProfile } from './state.ts';

/** EVT-1. The IM group and the list entry follow from it. */
export interface RoomCreated {
  readonly type: 'RoomCreated';
  readonly ownerUserId: UserId;
  readonly title: string;
  readonly coverUrl: string;
  readonly backgroundUrl: string;
  readonly seatCount: number;
  readonly mode: RoomMode;
  readonly visibleRegionId: bigint;
  /** Stripped from the envelope that leaves the service; kept in the log for recovery. */
  readonly passwordHash: string;
  readonly tags: readonly string[];
  readonly ext: string;
}

/** The room will close (ROOM-4): until `closesAtMs` it takes no business commands (ROOM-10). */
export interface RoomClosing {
  readonly type: 'RoomClosing';
  readonly closedByUserId: UserId;
  readonly closedByKind: CloserKind;
  readonly reason: string;
  readonly note: string;
  readonly closesAtMs: number;
}

/** EVT-2. Implies the leave of everybody who was present; seats were freed by events before it. */
export interface RoomClosed {
  readonly type: 'RoomClosed';
  readonly closedByUserId: UserId;
  readonly closedByKind: CloserKind;
  readonly reason: string;
  readonly note: string;
  readonly finalOnlineCount: number;
  /** `RoomState.heat` at the end. 0 in logs written before gifts existed. */
  readonly finalHeat: bigint;
}

/** The room's data are gone; its name stays taken for ever (ROOM-18). */
export interface RoomDeleted {
  readonly type: 'RoomDeleted';
  readonly byUserId: UserId;
  readonly byKind: CloserKind;
  readonly reason: string;
  readonly note: string;
}

/** The profile as it now is, whole (META-4). */
export interface RoomProfileUpdated {
  readonly type: 'RoomProfileUpdated';
  readonly byUserId: UserId;
  readonly profile: RoomProfile;
}

/** The room has seats 1 to `seatCount`; who sat beyond was taken down before it (META-3). */
export interface RoomSeatCountChanged {
  readonly type: 'RoomSeatCountChanged';
  readonly byUserId: UserId;
  readonly seatCount: number;
}

/** A password was set, changed or cleared; present users stay (PWD-3). */
export interface RoomPasswordChanged {
  readonly type: 'RoomPasswordChanged';
  readonly byUserId: UserId;
  /** Stripped from the envelope that leaves the service. '': the room is open. */
  readonly passwordHash: string;
  /** Whether the room needs a password now. */
  readonly locked: boolean;
  readonly passwordVersion: bigint;
}

/** A join brought a wrong password. Told to nobody outside: a count and no fact of the room. */
export interface RoomPasswordAttemptFailed {
  readonly type: 'RoomPasswordAttemptFailed';
  readonly userId: UserId;
  /** Wrong passwords of the user since `windowStartedAtMs`, this one included. */
  readonly attempts: number;
  readonly windowStartedAtMs: number;
}

/** Who may sit down by itself (META-1). In mode `free` there are no applications: it ends them. */
export interface RoomModeChanged {
  readonly type: 'RoomModeChanged';
  readonly byUserId: UserId;
  readonly mode: RoomMode;
}

/** The region that lists the room (META-2). */
export interface RoomVisibleRegionChanged {
  readonly type: 'RoomVisibleRegionChanged';
  readonly byUserId: UserId;
  readonly visibleRegionId: bigint;
}

/** A user got or lost an admin's rights. */
export interface RoomAdminChanged {
  readonly type: 'RoomAdminChanged';
  readonly byUserId: UserId;
  readonly userId: UserId;
  readonly isAdmin: boolean;
}

/** The room has another owner, who is no admin beside it; the former owner is a member. */
export interface RoomOwnerTransferred {
  readonly type: 'RoomOwnerTransferred';
  readonly byUserId: UserId;
  readonly fromUserId: UserId;
  readonly toUserId: UserId;
}
