/**
 * The gateway's face towards its transports: what gRPC (and later HTTP) servers call. Transports
 * translate; they hold no rule of the room.
 */
import type { ListEntry } from './room-queries.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { ResultRecord } from '../protocol/records.ts';

/** Who calls, as the bearer token says. */
export interface Caller {
  readonly appCode: string;
  /** Subject of the token. */
  readonly subject: string;
  readonly role: 'user' | 'service' | 'operator';
}

/** Fields of CommandMeta as they arrived, unchecked. */
export interface RequestMeta {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
  readonly actorUserId: string;
  readonly clientTimeMs: bigint;
  /** `view`, `none`, or '' for the default (`view`); anything else is refused. */
  readonly snapshotMode: string;
}

/** The call's frame: caller, monotonic time until which the caller waits, cancellation. */
export interface CallFrame {
  /** Null: no valid token. `authFault` says what was wrong with it. */
  readonly caller: Caller | null;
  readonly authFault: string;
  /** Milliseconds the caller is still willing to wait; null when it gave no deadline. */
  readonly remainingMs: number | null;
  readonly signal: AbortSignal;
  /** Wall time until which the token is good, for calls that may outlive it; none: for ever. */
  readonly authorizedUntilMs?: number;
}

/** Business fields as they arrived, by command; unchecked texts and numbers. */
export type CommandRequest = RoomRequest | PresenceRequest | MicRequest | GiftRequest;

/** About the room itself: its life, its managers, what its owner chooses. */
export type RoomRequest =
  | {
      readonly type: 'CreateRoom';
      readonly title: string;
      readonly coverUrl: string;
      readonly backgroundUrl: string;
      readonly seatCount: number;
      readonly mode: string;
      readonly visibleRegionId: bigint;
      readonly password: string;
      readonly tags: readonly string[];
      readonly ext: string;
    }
  | { readonly type: 'CloseRoom'; readonly reason: string; readonly note: string }
  | { readonly type: 'DeleteRoom'; readonly reason: string; readonly note: string }
  | {
      /** Null leaves a part as it is; an empty text or list clears it. */
      readonly type: 'UpdateRoomProfile';
      readonly title: string | null;
      readonly coverUrl: string | null;
      readonly announcement: string | null;
      readonly backgroundUrl: string | null;
      readonly tags: readonly string[] | null;
      readonly ext: string | null;
    }
  | { readonly type: 'SetSeatCount'; readonly seatCount: number }
  /** An empty password opens the room. */
  | { readonly type: 'SetRoomPassword'; readonly password: string }
  | { readonly type: 'SetRoomMode'; readonly mode: string }
  | { readonly type: 'SetVisibleRegion'; readonly visibleRegionId: bigint }
  | { readonly type: 'SetAdmin'; readonly userId: string; readonly isAdmin: boolean }
  | { readonly type: 'TransferOwner'; readonly userId: string };

/** A user's profile as it arrived. */
export interface ProfileRequest {
  readonly nickname: string;
  readonly avatarUrl: string;
  readonly countryCode: string;
  readonly ext: string;
}

/** About who is in the room. */
export type PresenceRequest =
  | ({
      readonly type: 'JoinRoom';
      readonly password: string;
      readonly isRobot: boolean;
    } & ProfileRequest)
  | ({ readonly type: 'UpdateUser' } & ProfileRequest)
  | { readonly type: 'LeaveRoom' }
  | {
      readonly type: 'KickUser';
      readonly userId: string;
      readonly reason: string;
      /** 0: until UnbanUser. */
      readonly expiresAtMs: bigint;
    }
  | { readonly type: 'UnbanUser'; readonly userId: string }
  /** By operators alone; RoomCommands has no RPC for it. */
  | { readonly type: 'EvictUser'; readonly userId: string; readonly reason: string };

/** About the mic seats. */
export type MicRequest =
  | { readonly type: 'MicUp'; readonly seatNo: number }
  | { readonly type: 'MicDown'; readonly userId: string; readonly micSessionId: string }
  | { readonly type: 'ChangeMicSeat'; readonly toSeatNo: number }
  | { readonly type: 'ConfirmMicPublishing'; readonly micSessionId: string }
  | { readonly type: 'SetMicSeatLock'; readonly seatNo: number; readonly locked: boolean }
  | { readonly type: 'SetMicSeatMute'; readonly seatNo: number; readonly muted: boolean }
  | { readonly type: 'InviteToMic'; readonly userId: string; readonly seatNo: number }
  | { readonly type: 'ApplyForMic'; readonly seatNo: number }
  /** `accepted` or `declined`; anything else is refused. */
  | { readonly type: 'AnswerMicRequest'; readonly userId: string; readonly answer: string };

/** Gifts. */
export interface GiftRequest {
  readonly type: 'SendGift';
  readonly giftId: string;
  readonly giftCount: number;
  readonly targetUserIds: readonly string[];
  readonly comboId: string;
}

/** A command that ended with a result record of kind applied or no_effect. */
export interface CommandSuccess {
  readonly roomId: string;
  readonly result: ResultRecord;
  readonly replayed: boolean;
  readonly view: RoomView | null;
}

/** What GetCommand can say. */
export type CommandLookup =
  | { readonly kind: 'found'; readonly commandType: string; readonly result: ResultRecord }
  | { readonly kind: 'notExecuted' }
  | { readonly kind: 'pendingPossible' };

/** Every method throws a Failure (reason of the catalogue) when it does not succeed. */
export interface RoomApi {
  execute(frame: CallFrame, meta: RequestMeta, request: CommandRequest): Promise<CommandSuccess>;
  heartbeat(frame: CallFrame, meta: RequestMeta): Promise<void>;
  /**
   * Keeps a mic session alive, and its user's presence with it. Resolves with the time at which the
   * room heard it; throws MIC_SESSION_STALE when the session no longer holds a seat of that user.
   * `publishing`: its audio is in the RTC room, which confirms the session where the deployment
   * wants that (decision 7).
   */
  micHeartbeat(
    frame: CallFrame,
    meta: RequestMeta,
    session: { readonly micSessionId: string; readonly publishing: boolean },
  ): Promise<{ readonly micHeartbeatAtMs: number }>;
  getCommand(
    frame: CallFrame,
    key: { appCode: string; roomId: string; commandId: string },
  ): Promise<CommandLookup>;
  getRoomSnapshot(frame: CallFrame, key: { appCode: string; roomId: string }): Promise<RoomView>;
  listRooms(
    frame: CallFrame,
    query: {
      appCode: string;
      visibleRegionId: bigint | null;
      mode: string;
      tag: string;
      pageSize: number;
      cursor: string;
    },
  ): Promise<{ readonly entries: readonly ListEntry[]; readonly nextCursor: string }>;
}
