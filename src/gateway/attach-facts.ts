/**
 * The facts that only a gateway can find out, put beside the request: a password's hash, or the
 * verdict on one, and whether the platform has banned a user. The text of a password ends here and
 * never reaches the topic. The gateway does not judge: what a fact means is decided by the cell,
 * after it has looked for an earlier answer.
 *
 * Race: the password changes between the check here and the decision. The verdict names the version
 * it is about; the cell answers FACT_STALE for another one, and the call attaches anew and sends the
 * same id again. Test: "a stale verdict is taken anew and sent under the same id, at most twice".
 *
 * Race: the platform bans a user between the look here and the decision.
 *   1. The gateway finds no ban and produces the join.
 *   2. The ban is written, and the user is evicted from every room that `user_rooms` names.
 *   3. The join is decided; the user is in.
 * Nothing here can close it. Whoever bans looks for the user's rooms again afterwards (decision 30).
 */
import type { JoinRoom } from '../domain/presence/presence-commands.ts';
import type { CommandBody } from '../domain/room/commands.ts';
import type { PasswordVerdict } from '../domain/password/password-verdict.ts';
import type { Clock } from '../ports/clock.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import { commandBody, roomMode, userProfile } from './command-body.ts';
import type { RequestWithFacts } from './command-body.ts';
import type { ParsedCommand } from './parse-command.ts';

/** What the facts are made from. */
export interface FactSources {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly roomQueries: Pick<RoomQueries, 'passwordOf' | 'isPlatformBanned'>;
  readonly passwords: Passwords;
}

type RequestOf<Type extends RequestWithFacts['type']> = Extract<RequestWithFacts, { type: Type }>;

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
    case 'SetRoomPassword': {
      const passwordHash = await hashOf(sources, command, request.password);
      return { type: request.type, passwordHash };
    }
    case 'JoinRoom':
      return joinRoomBody(sources, command, request, isRefresh);
    default:
      return commandBody(request);
  }
}

/** '' for no password. The salt comes from the command's id: every try carries the same bytes. */
async function hashOf(
  { passwords }: FactSources,
  command: ParsedCommand,
  password: string,
): Promise<string> {
  return password === '' ? '' : passwords.hash(password, command);
}

async function createRoomBody(
  sources: FactSources,
  command: ParsedCommand,
  request: RequestOf<'CreateRoom'>,
): Promise<CommandBody> {
  const { password, mode, ...rest } = request;
  const passwordHash = await hashOf(sources, command, password);
  return { ...rest, mode: roomMode(mode), passwordHash };
}

/** Both looks at once: a join waits for the slower one and not for their sum. */
async function joinRoomBody(
  sources: FactSources,
  command: ParsedCommand,
  request: RequestOf<'JoinRoom'>,
  isRefresh: boolean,
): Promise<JoinRoom> {
  const { clock, roomQueries } = sources;
  const { appCode, actorUserId } = command;
  const [password, isPlatformBanned] = await Promise.all([
    passwordVerdict(sources, command, request, isRefresh),
    roomQueries.isPlatformBanned(appCode, actorUserId, clock.wallMs()),
  ]);
  const { type, isRobot } = request;
  return { type, profile: userProfile(request), isRobot, password, isPlatformBanned };
}

/**
 * Most joins bring no password, into open rooms or as a reconnect, and their verdict counts nowhere.
 * They are sent without a look at the password, about version 0; a locked room answers FACT_STALE,
 * and only then its version is read.
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
