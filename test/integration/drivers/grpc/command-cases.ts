/**
 * Every command as a client sends it and as the gateway must get it. The type asks for a row per RPC:
 * a command that nobody tries on the wire does not compile.
 */
import { RoomMode } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { MicAnswer } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import type { CommandRequest } from '../../../../src/ports/room-api.ts';
import type { startRoomServer } from './room-server-rig.ts';

type Calls = Awaited<ReturnType<typeof startRoomServer>>['commands'];

/** RPCs that are no commands with a result. */
type Heartbeat = 'roomHeartbeat' | 'micHeartbeat';

type Sent<Rpc extends keyof Calls> = Omit<Parameters<Calls[Rpc]>[0], 'meta' | '$typeName'>;

/** By RPC: what is sent beside the meta, and the request that arrives. */
export type CommandCases = {
  readonly [Rpc in Exclude<keyof Calls, Heartbeat>]: {
    readonly sent: Sent<Rpc>;
    readonly arrives: CommandRequest;
  };
};

const profile = { nickname: 'Änn', avatarUrl: 'a', countryCode: 'DE', ext: 'e' };
const gift = { giftId: 'rose', giftCount: 9, targetUserIds: ['u3', 'u2'], comboId: 'x' };
/** 2^62 + 1: no double holds it. */
const wide = 2n ** 62n + 1n;

const room = {
  title: 'Évening',
  coverUrl: 'c',
  seatCount: 8,
  visibleRegionId: wide,
  password: 'p',
  tags: ['a', 'b'],
  backgroundUrl: 'b',
  ext: 'e',
};

/** See the file header. */
export const commandCases: CommandCases = {
  createRoom: {
    sent: { ...room, mode: RoomMode.APPLY },
    arrives: { type: 'CreateRoom', ...room, mode: 'apply' },
  },
  joinRoom: {
    sent: { password: 'p', profile, isRobot: true },
    arrives: { type: 'JoinRoom', password: 'p', ...profile, isRobot: true },
  },
  updateUser: { sent: { profile }, arrives: { type: 'UpdateUser', ...profile } },
  leaveRoom: { sent: {}, arrives: { type: 'LeaveRoom' } },
  kickUser: {
    sent: { userId: 'u2', reason: 'r', expiresAtMs: wide },
    arrives: { type: 'KickUser', userId: 'u2', reason: 'r', expiresAtMs: wide },
  },
  unbanUser: { sent: { userId: 'u2' }, arrives: { type: 'UnbanUser', userId: 'u2' } },
  micUp: { sent: { seatNo: 3 }, arrives: { type: 'MicUp', seatNo: 3 } },
  micDown: {
    sent: { userId: 'u2', micSessionId: 's' },
    arrives: { type: 'MicDown', userId: 'u2', micSessionId: 's' },
  },
  changeMicSeat: { sent: { toSeatNo: 5 }, arrives: { type: 'ChangeMicSeat', toSeatNo: 5 } },
  confirmMicPublishing: {
    sent: { micSessionId: 's' },
    arrives: { type: 'ConfirmMicPublishing', micSessionId: 's' },
  },
  setMicSeatLock: {
    sent: { seatNo: 2, locked: true },
    arrives: { type: 'SetMicSeatLock', seatNo: 2, locked: true },
  },
  setMicSeatMute: {
    sent: { seatNo: 2, muted: true },
    arrives: { type: 'SetMicSeatMute', seatNo: 2, muted: true },
  },
  inviteToMic: {
    sent: { userId: 'u2', seatNo: 4 },
    arrives: { type: 'InviteToMic', userId: 'u2', seatNo: 4 },
  },
  applyForMic: { sent: { seatNo: 4 }, arrives: { type: 'ApplyForMic', seatNo: 4 } },
  answerMicRequest: {
    sent: { userId: 'u2', answer: MicAnswer.ACCEPTED },
    arrives: { type: 'AnswerMicRequest', userId: 'u2', answer: 'accepted' },
  },
  updateRoomProfile: {
    sent: { title: 't', announcement: '', tags: { tags: ['a'] } },
    arrives: {
      type: 'UpdateRoomProfile',
      title: 't',
      coverUrl: null,
      announcement: '',
      backgroundUrl: null,
      tags: ['a'],
      ext: null,
    },
  },
  setSeatCount: { sent: { seatCount: 12 }, arrives: { type: 'SetSeatCount', seatCount: 12 } },
  setRoomPassword: {
    sent: { password: 'p' },
    arrives: { type: 'SetRoomPassword', password: 'p' },
  },
  setRoomMode: { sent: { mode: RoomMode.FREE }, arrives: { type: 'SetRoomMode', mode: 'free' } },
  setVisibleRegion: {
    sent: { visibleRegionId: wide },
    arrives: { type: 'SetVisibleRegion', visibleRegionId: wide },
  },
  setAdmin: {
    sent: { userId: 'u2', isAdmin: true },
    arrives: { type: 'SetAdmin', userId: 'u2', isAdmin: true },
  },
  transferOwner: { sent: { userId: 'u2' }, arrives: { type: 'TransferOwner', userId: 'u2' } },
  closeRoom: {
    sent: { reason: 'r', note: 'n' },
    arrives: { type: 'CloseRoom', reason: 'r', note: 'n' },
  },
  deleteRoom: {
    sent: { reason: 'r', note: 'n' },
    arrives: { type: 'DeleteRoom', reason: 'r', note: 'n' },
  },
  sendGift: { sent: gift, arrives: { type: 'SendGift', ...gift } },
};
