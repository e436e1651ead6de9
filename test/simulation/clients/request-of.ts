/** The business fields of a command, from what a plan asks for. */
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import type { PlannedClient } from '../plan/planned-call.ts';
import type { MicAsk, PlannedAsk, PresenceAsk, RoomAsk } from '../plan/planned-ask.ts';

/** What a request needs beside its plan. */
export interface RequestFacts {
  readonly clients: readonly PlannedClient[];
  /** The session that the choice means for this client. */
  readonly sessionId: string;
  /** The client's own time, for what is to end. */
  readonly nowMs: number;
}

const noProfile = { avatarUrl: '', countryCode: '', ext: '' };

/** The request; null for asks that are no command. */
export function requestOf(ask: PlannedAsk, facts: RequestFacts): CommandRequest | null {
  switch (ask.type) {
    case 'RoomHeartbeat':
    case 'MicHeartbeat':
    case 'RtcEvent':
    case 'GetRoomSnapshot':
    case 'GetCommand':
    case 'ReadOwner':
      return null;
    case 'SendGift': {
      const { type, giftId, giftCount } = ask;
      const targetUserIds = [...new Set(ask.targets.map((target) => userIdOf(target, facts)))];
      return { type, giftId, giftCount, targetUserIds, comboId: '' };
    }
    case 'JoinRoom':
    case 'UpdateUser':
    case 'LeaveRoom':
    case 'KickUser':
    case 'UnbanUser':
    case 'EvictUser':
      return presenceRequest(ask, facts);
    case 'MicUp':
    case 'MicDown':
    case 'ChangeMicSeat':
    case 'ConfirmMicPublishing':
    case 'SetMicSeatLock':
    case 'SetMicSeatMute':
    case 'InviteToMic':
    case 'ApplyForMic':
    case 'AnswerMicRequest':
      return micRequest(ask, facts);
    default:
      return roomRequest(ask, facts);
  }
}

function roomRequest(ask: RoomAsk, facts: RequestFacts): CommandRequest {
  switch (ask.type) {
    case 'CreateRoom': {
      const { type, seatCount, password, mode = 'free' } = ask;
      const texts = { title: 'a room', coverUrl: '', backgroundUrl: '', tags: ['sim'], ext: '' };
      return { type, ...texts, seatCount, mode, visibleRegionId: 1n, password };
    }
    case 'CloseRoom':
    case 'DeleteRoom':
      return { type: ask.type, reason: ask.reason, note: '' };
    case 'UpdateRoomProfile': {
      const { type, title, announcement, tags } = ask;
      return { type, title, announcement, tags, coverUrl: null, backgroundUrl: null, ext: null };
    }
    case 'SetSeatCount':
      return { type: ask.type, seatCount: ask.seatCount };
    case 'SetRoomPassword':
      return { type: ask.type, password: ask.password };
    case 'SetRoomMode':
      return { type: ask.type, mode: ask.mode };
    case 'SetVisibleRegion':
      return { type: ask.type, visibleRegionId: BigInt(ask.region) };
    case 'SetAdmin':
      return { type: ask.type, userId: userIdOf(ask.target, facts), isAdmin: ask.isAdmin };
    case 'TransferOwner':
      return { type: ask.type, userId: userIdOf(ask.target, facts) };
  }
}

function presenceRequest(ask: PresenceAsk, facts: RequestFacts): CommandRequest {
  switch (ask.type) {
    case 'JoinRoom': {
      const { type, password, isRobot } = ask;
      return { type, password, isRobot, nickname: 'n', ...noProfile };
    }
    case 'UpdateUser':
      return { type: ask.type, nickname: ask.nickname, ...noProfile };
    case 'LeaveRoom':
      return { type: ask.type };
    case 'KickUser': {
      const userId = userIdOf(ask.target, facts);
      const expiresAtMs = ask.forMs === 0 ? 0n : BigInt(Math.round(facts.nowMs) + ask.forMs);
      return { type: ask.type, userId, reason: 'rude', expiresAtMs };
    }
    case 'UnbanUser':
      return { type: ask.type, userId: userIdOf(ask.target, facts) };
    case 'EvictUser':
      return { type: ask.type, userId: userIdOf(ask.target, facts), reason: 'platform' };
  }
}

function micRequest(ask: MicAsk, facts: RequestFacts): CommandRequest {
  switch (ask.type) {
    case 'MicUp':
    case 'ApplyForMic':
      return { type: ask.type, seatNo: ask.seatNo };
    case 'ChangeMicSeat':
      return { type: ask.type, toSeatNo: ask.seatNo };
    case 'MicDown':
      return {
        type: ask.type,
        userId: userIdOf(ask.target, facts),
        micSessionId: facts.sessionId,
      };
    case 'ConfirmMicPublishing':
      return { type: ask.type, micSessionId: facts.sessionId };
    case 'SetMicSeatLock':
      return { type: ask.type, seatNo: ask.seatNo, locked: ask.locked };
    case 'SetMicSeatMute':
      return { type: ask.type, seatNo: ask.seatNo, muted: ask.muted };
    case 'InviteToMic':
      return { type: ask.type, userId: userIdOf(ask.target, facts), seatNo: ask.seatNo };
    case 'AnswerMicRequest':
      return { type: ask.type, userId: userIdOf(ask.target, facts), answer: ask.answer };
  }
}

/** Null is the client itself, whom a request names by ''. */
function userIdOf(client: number | null, { clients }: RequestFacts): string {
  return client === null ? '' : (clients[client]?.userId ?? 'nobody');
}
