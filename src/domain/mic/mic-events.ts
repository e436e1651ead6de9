/** What happened at the mic seats. */
import type { MicSessionId, UserId } from '../ids.ts';
import type { MicRequestKind } from '../room/state.ts';

/** Why a seat became free. */
export type MicDownReason =
  | 'mic_down'
  | 'taken_down'
  | 'left_room'
  | 'publish_timeout'
  | 'room_closed'
  | 'seat_locked'
  | 'seat_removed'
  | 'kicked'
  | 'evicted'
  | 'stale'
  | 'mic_stale'
  | 'audio_stopped'
  | 'rtc_exited';

/** How a request for the mic ended, other than by its user sitting down. */
export type MicRequestEnd = 'declined' | 'withdrawn' | 'expired';

/**
 * A seat was taken in the business sense; RTC publishing is not confirmed yet (MIC-16). Ends what the
 * user had asked for at the mic.
 */
export interface RoomMicUp {
  readonly type: 'RoomMicUp';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishDeadlineMs: number;
}

/** RTC publishing of the session is confirmed (MIC-6). */
export interface RoomMicPublishing {
  readonly type: 'RoomMicPublishing';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  /** 0 when a client confirmed; the RTC event's own time when a callback did (MIC-12). */
  readonly publishEventTimeMs: number;
}

/**
 * An RTC event of the session that changes nothing but the time by which older ones are known: audio
 * began again while it was publishing, or stopped while it was pending (MIC-12, MIC-27).
 */
export interface RoomMicRtcNoted {
  readonly type: 'RoomMicRtcNoted';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishEventTimeMs: number;
}

/** A seat became free and its session ended. */
export interface RoomMicDown {
  readonly type: 'RoomMicDown';
  readonly userId: UserId;
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly reason: MicDownReason;
  /** Time on the seat, from session start to release (MIC-29). */
  readonly onMicMs: number;
}

/** A session moved to another seat and waits for a new confirmation (MIC-25, decision 7). */
export interface RoomMicSeatChanged {
  readonly type: 'RoomMicSeatChanged';
  readonly userId: UserId;
  readonly fromSeatNo: number;
  readonly toSeatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishDeadlineMs: number;
}

/** A seat was locked; whoever sat there was taken down by the event before it (MIC-3). */
export interface RoomMicSeatLocked {
  readonly type: 'RoomMicSeatLocked';
  readonly seatNo: number;
}

/** A seat was unlocked (MIC-4). */
export interface RoomMicSeatUnlocked {
  readonly type: 'RoomMicSeatUnlocked';
  readonly seatNo: number;
}

/** A seat's voice was turned off for all, or on again. */
export interface RoomMicSeatMuted {
  readonly type: 'RoomMicSeatMuted';
  readonly seatNo: number;
  readonly muted: boolean;
}

/** A user applied for the mic, or was invited to it. */
export interface RoomMicRequested {
  readonly type: 'RoomMicRequested';
  readonly kind: MicRequestKind;
  readonly userId: UserId;
  /** The applicant, or the manager who invites. */
  readonly byUserId: UserId;
  /** 0: any. */
  readonly seatNo: number;
  readonly expiresAtMs: number;
}

/** A request for the mic ended without its user sitting down. */
export interface RoomMicRequestEnded {
  readonly type: 'RoomMicRequestEnded';
  readonly kind: MicRequestKind;
  readonly userId: UserId;
  readonly byUserId: UserId;
  readonly end: MicRequestEnd;
}
