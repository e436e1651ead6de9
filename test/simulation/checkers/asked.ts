/**
 * What a client asked for and what lies on the commands topic, in the same words, so that both can be
 * compared: who asks, and the business fields without what a gateway attached.
 */
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import type { RtcUserEvent } from '../../../src/ports/rtc-events.ts';
import { textOf } from './calls.ts';
import type { SentCommand } from './command-records.ts';
import { rtcIdOf } from './derived.ts';

/** The part of a body that a client chose: without facts of the gateway. */
export function withoutFacts({ type, body }: SentCommand): object {
  if (type !== 'JoinRoom') return body;
  const { password: _, isPlatformBanned: _fact, ...rest } = body;
  return rest;
}

/** A record's body in the words of a request; of a password only whether there is one. */
export function bodyFields(command: SentCommand): object {
  const { type, body } = command;
  if (type === 'CreateRoom' || type === 'SetRoomPassword') {
    const { passwordHash, ...rest } = body;
    return { type, ...rest, isLocked: passwordHash !== '' };
  }
  if (type === 'UpdateUser') return { type, ...(body['profile'] as object) };
  if (type !== 'JoinRoom') return { type, ...body };
  return { type, isRobot: body['isRobot'], ...(body['profile'] as object) };
}

/** A request without the text of its password. */
export function requestFields(request: CommandRequest): object {
  if (request.type === 'CreateRoom' || request.type === 'SetRoomPassword') {
    const { password, ...rest } = request;
    return { ...rest, isLocked: password !== '' };
  }
  if (request.type !== 'JoinRoom') return request;
  const { password: _, ...rest } = request;
  return rest;
}

/** The command that an RTC callback becomes: the key of its row, and what it asks for. */
export function askedByRtc(event: RtcUserEvent): { readonly key: string; readonly asked: string } {
  const { appCode, roomId, userId, sdkAppId, kind, eventTimeMs } = event;
  const facts = [String(sdkAppId), kind, String(eventTimeMs)];
  const commandId = rtcIdOf(appCode, roomId, userId, facts);
  const fields = { type: 'ApplyRtcEvent', kind, eventTimeMs: BigInt(eventTimeMs) };
  return { key: `${appCode}\0${roomId}\0${commandId}`, asked: askedText(userId, fields) };
}

/** An empty actor is the bearer of the call's token, whose name is not shown. */
export function askedText(actor: string, fields: object): string {
  return `${actor}: ${textOf(fields)}`;
}

/** Whether a call asked for what is stored; an empty actor fits everybody. */
export function isSameAsk(asked: string, stored: string): boolean {
  return asked.startsWith(': ') ? stored.endsWith(asked) : asked === stored;
}
