/** One good request of every kind, and what the gateway finds wrong with a changed one. */
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { parseCommand } from '../../../src/gateway/parse-command.ts';
import type { ParsedCommand } from '../../../src/gateway/parse-command.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { CommandRequest, RequestMeta } from '../../../src/ports/room-api.ts';
import { meta } from './gateway-fakes.ts';

/** The user that the meta of `gateway-fakes` speaks for. */
export const actor = { role: 'user' as const, actorUserId: 'u1' };

const profile = { nickname: 'Ann', avatarUrl: 'a', countryCode: 'DE', ext: 'e' };
const reasoned = { reason: 'late', note: 'kept inside' };

/** See the file header. */
export const samples = {
  CreateRoom: {
    type: 'CreateRoom',
    title: 'Evening',
    coverUrl: 'c',
    backgroundUrl: 'b',
    seatCount: 8,
    mode: 'apply',
    visibleRegionId: 86n,
    password: '',
    tags: ['music'],
    ext: 'e',
  },
  CloseRoom: { type: 'CloseRoom', ...reasoned },
  DeleteRoom: { type: 'DeleteRoom', ...reasoned },
  UpdateRoomProfile: {
    type: 'UpdateRoomProfile',
    title: 'Night',
    coverUrl: null,
    announcement: '',
    backgroundUrl: 'b2',
    tags: [],
    ext: null,
  },
  SetSeatCount: { type: 'SetSeatCount', seatCount: 12 },
  SetRoomPassword: { type: 'SetRoomPassword', password: 'good' },
  SetRoomMode: { type: 'SetRoomMode', mode: 'apply' },
  SetVisibleRegion: { type: 'SetVisibleRegion', visibleRegionId: 49n },
  SetAdmin: { type: 'SetAdmin', userId: 'u2', isAdmin: true },
  TransferOwner: { type: 'TransferOwner', userId: 'u2' },
  JoinRoom: { type: 'JoinRoom', password: '', ...profile, isRobot: false },
  UpdateUser: { type: 'UpdateUser', ...profile },
  LeaveRoom: { type: 'LeaveRoom' },
  KickUser: { type: 'KickUser', userId: 'u2', reason: 'noise', expiresAtMs: 1_700_000_000_123n },
  UnbanUser: { type: 'UnbanUser', userId: 'u2' },
  EvictUser: { type: 'EvictUser', userId: 'u2', reason: 'fraud' },
  MicUp: { type: 'MicUp', seatNo: 0 },
  MicDown: { type: 'MicDown', userId: '', micSessionId: '' },
  ChangeMicSeat: { type: 'ChangeMicSeat', toSeatNo: 3 },
  ConfirmMicPublishing: { type: 'ConfirmMicPublishing', micSessionId: 's1' },
  SetMicSeatLock: { type: 'SetMicSeatLock', seatNo: 2, locked: true },
  SetMicSeatMute: { type: 'SetMicSeatMute', seatNo: 2, muted: true },
  InviteToMic: { type: 'InviteToMic', userId: 'u2', seatNo: 0 },
  ApplyForMic: { type: 'ApplyForMic', seatNo: 4 },
  AnswerMicRequest: { type: 'AnswerMicRequest', userId: 'u2', answer: 'accepted' },
  SendGift: {
    type: 'SendGift',
    giftId: 'rose:v2',
    giftCount: 1,
    targetUserIds: ['u3', 'u2'],
    comboId: '',
  },
} as const satisfies { [Type in CommandRequest['type']]: Extract<CommandRequest, { type: Type }> };

/** The request as the gateway takes it; throws INVALID_FIELD. */
export function parse(request: CommandRequest, change: Partial<RequestMeta> = {}): ParsedCommand {
  return parseCommand(actor, meta(change), request, defaultGatewayLimits);
}

/** The named faults of a refused request, by field; none when it is taken. */
export function faultsOf(
  request: CommandRequest,
  change: Partial<RequestMeta> = {},
): Record<string, string | undefined> {
  try {
    parse(request, change);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.reason !== 'INVALID_FIELD') throw thrown;
    const { facts } = thrown;
    const names = Object.keys(facts).filter((name) => name.startsWith('field'));
    return Object.fromEntries(
      names.map((name) => [facts[name] ?? '', facts[name.replace('field', 'fault')]]),
    );
  }
  return {};
}
