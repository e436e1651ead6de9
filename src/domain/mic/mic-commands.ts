/** What can be asked about the mic seats. */
import type { MicSessionId, UserId } from '../ids.ts';

/** MicUp: seat 0 means the first free one. */
export interface MicUp {
  readonly type: 'MicUp';
  readonly seatNo: number;
}

/** MicDown: of oneself, or of another by a manager of the room. */
export interface MicDown {
  readonly type: 'MicDown';
  /** '' means the actor. */
  readonly userId: UserId | '';
  /** '' means whatever session holds the seat now. */
  readonly micSessionId: MicSessionId | '';
}

/** ChangeMicSeat: to another seat, with the same session (MIC-9, MIC-10). */
export interface ChangeMicSeat {
  readonly type: 'ChangeMicSeat';
  readonly toSeatNo: number;
}

/** ConfirmMicPublishing: the client says that RTC publishing of this session has begun. */
export interface ConfirmMicPublishing {
  readonly type: 'ConfirmMicPublishing';
  readonly micSessionId: MicSessionId;
}

/** SetMicSeatLock: nobody sits down on a locked seat; who sits there is taken down (decision 18). */
export interface SetMicSeatLock {
  readonly type: 'SetMicSeatLock';
  readonly seatNo: number;
  readonly locked: boolean;
}

/** SetMicSeatMute: the seat's voice is off for all, whoever sits there. */
export interface SetMicSeatMute {
  readonly type: 'SetMicSeatMute';
  readonly seatNo: number;
  readonly muted: boolean;
}

/** InviteToMic: a manager asks a present user to come up. */
export interface InviteToMic {
  readonly type: 'InviteToMic';
  readonly userId: UserId;
  /** 0: the first seat that is free when the invitation is accepted. */
  readonly seatNo: number;
}

/** ApplyForMic: a present user asks to come up, in mode `apply`. */
export interface ApplyForMic {
  readonly type: 'ApplyForMic';
  /** 0: the first seat that is free when the application is accepted. */
  readonly seatNo: number;
}

/**
 * AnswerMicRequest: a manager answers an application, the invited user an invitation. Whoever made a
 * request takes it back with `declined`.
 */
export interface AnswerMicRequest {
  readonly type: 'AnswerMicRequest';
  /** Whose request, applicant or invited; '' means the actor's own. */
  readonly userId: UserId | '';
  readonly answer: 'accepted' | 'declined';
}

/** What Tencent RTC tells about a user's audio (CMD-15). */
export type RtcEventKind = 'audio_started' | 'audio_stopped' | 'room_exited';

/** ApplyRtcEvent: an RTC callback about the actor. It knows no session: its time decides (RTC-5). */
export interface ApplyRtcEvent {
  readonly type: 'ApplyRtcEvent';
  readonly kind: RtcEventKind;
  /** Of the RTC service's clock; 0: the callback named none. */
  readonly eventTimeMs: number;
}

/** System: the window for RTC confirmation of one session has passed (MIC-13, MIC-28). */
export interface ExpireMicPublish {
  readonly type: 'ExpireMicPublish';
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
  readonly publishDeadlineMs: number;
}

/** System: a session that used to send mic heartbeats sends none any more (decision 27). */
export interface ExpireMicHeartbeat {
  readonly type: 'ExpireMicHeartbeat';
  readonly seatNo: number;
  readonly micSessionId: MicSessionId;
}

/** System: applications and invitations that nobody answered in time. */
export interface ExpireMicRequests {
  readonly type: 'ExpireMicRequests';
}
