/**
 * The facts that only a gateway can find out, put beside the request: a password's hash, or the
 * verdict on one. The text of a password ends here and never reaches the topic. The gateway does not
 * judge: what the verdict means is decided by the cell, after it has looked for an earlier answer.
 *
 * Race: the password changes between the check here and the decision. The verdict names the version
 * it is about; the cell answers FACT_STALE for another one, and the call attaches anew and sends the
 * same id again. Test: "a stale verdict is taken anew and sent under the same id, at most twice".
 */
import type { GiftId, MicSessionId, UserId } from '../domain/ids.ts';
import type { CommandBody } from '../domain/room/commands.ts';
import type { JoinRoom } from '../domain/presence/presence-commands.ts';
import type { PasswordVerdict } from '../domain/password/password-verdict.ts';
import { assertNever } from '../kernel/assert.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { CommandRequest } from '../ports/room-api.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import type { ParsedCommand } from './parse-command.ts';

/** What the facts are made from. */
export interface FactSources {
  readonly roomQueries: Pick<RoomQueries, 'passwordOf'>;
  readonly passwords: Passwords;
}

type RequestOf<Type extends CommandRequest['type']> = Extract<CommandRequest, { type: Type }>;

/**
 * The body to produce. `isRefresh` says that an earlier body was refused as stale. Throws a Retry
 * failure when a source is out of reach or too busy.
 */
export async function attachFacts(
  sources: FactSources,
  command: ParsedCommand,
  isRefresh: boolean,
): Promise<CommandBody> {
  const { request } = command;
  switch (request.type) {
    case 'CreateRoom':
      return createRoomBody(sources, command, request);
    case 'JoinRoom':
      return joinRoomBody(request, await passwordVerdict(sources, command, request, isRefresh));
    case 'LeaveRoom':
    case 'MicUp':
    case 'CloseRoom':
      return request;
    case 'MicDown':
      return {
        type: 'MicDown',
        userId: request.userId as UserId | '',
        micSessionId: request.micSessionId as MicSessionId | '',
      };
    case 'ConfirmMicPublishing':
      return { type: request.type, micSessionId: request.micSessionId as MicSessionId };
    case 'SendGift':
      return {
        ...request,
        giftId: request.giftId as GiftId,
        targetUserIds: request.targetUserIds as readonly UserId[],
      };
    default:
      return assertNever(request, 'a request without a body');
  }
}

async function createRoomBody(
  { passwords }: FactSources,
  command: ParsedCommand,
  request: RequestOf<'CreateRoom'>,
): Promise<CommandBody> {
  const { password, mode, ...rest } = request;
  const passwordHash = password === '' ? '' : await passwords.hash(password, command);
  return { ...rest, mode: mode === 'apply' ? 'apply' : 'free', passwordHash };
}

function joinRoomBody(request: RequestOf<'JoinRoom'>, password: PasswordVerdict): JoinRoom {
  const { nickname, avatarUrl, countryCode, ext } = request;
  return {
    type: 'JoinRoom',
    profile: { nickname, avatarUrl, countryCode, ext },
    isRobot: request.isRobot,
    password,
    isPlatformBanned: false,
  };
}

/**
 * Most joins bring no password, into open rooms or as a reconnect, and their verdict counts
 * nowhere. They are sent without a read, about version 0; a locked room answers FACT_STALE, and only
 * then the version is read.
 */
async function passwordVerdict(
  { roomQueries, passwords }: FactSources,
  command: ParsedCommand,
  request: RequestOf<'JoinRoom'>,
  isRefresh: boolean,
): Promise<PasswordVerdict> {
  if (request.password === '' && !isRefresh) return { passwordVersion: 0n, verdict: 'none_given' };
  const stored = await roomQueries.passwordOf(command.appCode, command.roomId);
  const passwordVersion = stored?.passwordVersion ?? 0n;
  if (request.password === '' || stored === null || stored.passwordHash === '') {
    return { passwordVersion, verdict: 'none_given' };
  }
  const isMatch = await passwords.verify(request.password, stored.passwordHash);
  return { passwordVersion, verdict: isMatch ? 'match' : 'mismatch' };
}
