/**
 * Ids that follow from a command: event ids, ids of displays, mic session ids, the id of a room whose creator named
 * none, ids of system commands, of RTC callbacks and of further evictions. A second try of the same
 * command, on another node or in another release, makes the same ids; that is what lets everybody
 * downstream drop the repeat.
 *
 * All but those of commands are UUIDs of version 5 (SHA-1 over a namespace and a name). The namespace and the
 * way names are put together are wire formats and never change.
 */
import { createHash } from 'node:crypto';
import { assert } from '../kernel/assert.ts';
import { wideIdFault } from '../domain/ids.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../domain/ids.ts';

/** Namespace of every UUID made here. */
export const idNamespace = 'b2f0c6d4-7a53-4e19-9c08-51d3e86fa27b';

const namespaceBytes = Buffer.from(idNamespace.replaceAll('-', ''), 'hex');

/** The id of a command's event at `index` (from 0). */
export function eventIdOf(
  app: AppCode,
  room: RoomId,
  commandId: CommandId,
  index: number,
): EventId {
  return uuidOf('event', app, room, commandId, String(index)) as EventId;
}

/**
 * The id of a display that copies no fact. `identity` is what makes two displays of one type the same
 * one to a client, such as the version behind which it was made.
 */
export function displayIdOf(
  app: AppCode,
  room: RoomId,
  displayType: string,
  identity: readonly string[],
): EventId {
  return uuidOf('display', app, room, displayType, ...identity) as EventId;
}

/** The id of the mic session that this command would open. */
export function micSessionIdOf(app: AppCode, room: RoomId, commandId: CommandId): MicSessionId {
  return uuidOf('mic-session', app, room, commandId) as MicSessionId;
}

/**
 * The id of a room whose CreateRoom named none: `r` and 32 hex digits. The actor is part of it, so
 * that two users who chose the same command id make two rooms.
 */
export function derivedRoomId(app: AppCode, actor: UserId, commandId: CommandId): RoomId {
  return `r${uuidOf('room', app, actor, commandId).replaceAll('-', '')}` as RoomId;
}

/**
 * The id of a command that the room's owner gives itself, such as `sys:mic_publish_timeout:42`. It
 * is named after the version it makes: a repeat is either the same step or too late to be one.
 */
export function systemCommandId(kind: string, version: RoomVersion): CommandId {
  const id = `sys:${kind}:${version}`;
  assert(wideIdFault(id) === null, 'a system command id obeys the rule of ids', { id });
  return id as CommandId;
}

/**
 * The id of the command that an RTC callback becomes: `rtc:` and a UUID. `facts` are what makes two
 * callbacks about a user of a room the same one; a repeat gets the same id and is decided once.
 */
export function rtcCommandId(
  app: AppCode,
  room: RoomId,
  user: UserId,
  facts: readonly string[],
): CommandId {
  return `rtc:${uuidOf('rtc', app, room, user, ...facts)}` as CommandId;
}

/**
 * The id of a further try of an operator's eviction in one room, where the user came back behind an
 * earlier one: `sys:evict:` and a UUID. `tries` counts those that have ended; a repeat of the call
 * makes the same ids in the same order.
 */
export function evictionCommandId(
  app: AppCode,
  room: RoomId,
  commandId: CommandId,
  tries: number,
): CommandId {
  return `sys:evict:${uuidOf('evict', app, room, commandId, String(tries))}` as CommandId;
}

/** Parts are joined by NUL, which no id may contain: different parts never give the same name. */
function uuidOf(...parts: readonly string[]): string {
  const name = Buffer.from(parts.join('\0'), 'utf8');
  const bytes = createHash('sha1').update(namespaceBytes).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return [...groups, hex.slice(20)].join('-');
}
