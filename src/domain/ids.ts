/**
 * The identities of the room business and the rules their texts obey (architecture decision 17).
 * Everything that enters from outside passes one of these parsers once; behind them the brands hold.
 */
import type { Brand } from '../kernel/brand.ts';

/** Tenant. `[A-Za-z0-9_.:-]{1,64}`. Every key, row and event is scoped by it (ARC-19). */
export type AppCode = Brand<string, 'AppCode'>;
/** Room within an app. Same alphabet as AppCode. */
export type RoomId = Brand<string, 'RoomId'>;
/** User within an app. `[A-Za-z0-9_-]{1,32}`: what Tencent IM accepts. */
export type UserId = Brand<string, 'UserId'>;
/** Gift in an app's catalogue. Same alphabet as AppCode. */
export type GiftId = Brand<string, 'GiftId'>;
/**
 * Chosen by the caller, unique within (app, room). Ids of ours start with `sys:`, `rtc:` or `robot:`.
 */
export type CommandId = Brand<string, 'CommandId'>;
/** UUIDv5 text, derived from (app, room, command, index): the same on every try. */
export type EventId = Brand<string, 'EventId'>;
/** One single stay on a mic seat, from MicUp until the seat is free again (MIC-11). */
export type MicSessionId = Brand<string, 'MicSessionId'>;
/** Applied steps of one room, 1, 2, 3 … without a gap (PIPE-16). 0 means: no such room yet. */
export type RoomVersion = Brand<bigint, 'RoomVersion'>;
/** `app_code + "\0" + room_id`, the route key of the seeds (LEASE-9). */
export type RoomKey = Brand<string, 'RoomKey'>;

/** Why a text is not an id; `missing` and `malformed` get different sentences for the caller. */
export type IdFault = 'missing' | 'malformed' | 'reserved';

const wideId = /^[A-Za-z0-9_.:-]{1,64}$/;
const userIdPattern = /^[A-Za-z0-9_-]{1,32}$/;
const reservedCommandId = /^(sys|rtc|robot):/;

/** Returns the fault of an app code or room id, or null when it obeys the rule. */
export function wideIdFault(text: string): IdFault | null {
  if (text === '') return 'missing';
  return wideId.test(text) ? null : 'malformed';
}

/** Returns the fault of a user id, or null when it obeys the rule. */
export function userIdFault(text: string): IdFault | null {
  if (text === '') return 'missing';
  return userIdPattern.test(text) ? null : 'malformed';
}

/** Returns the fault of a gift id, or null when it obeys the rule. */
export function giftIdFault(text: string): IdFault | null {
  return wideIdFault(text);
}

/** Returns the fault of a caller's command id, or null; the prefixes of our own ids are refused. */
export function commandIdFault(text: string): IdFault | null {
  if (text === '') return 'missing';
  if (!wideId.test(text)) return 'malformed';
  return reservedCommandId.test(text) ? 'reserved' : null;
}

/** The route key of a room; the NUL cannot occur in either part, so keys never collide. */
export function roomKeyOf(appCode: AppCode, roomId: RoomId): RoomKey {
  return `${appCode}\0${roomId}` as RoomKey;
}

/** Splits a route key into its two parts. Only for keys made by `roomKeyOf`. */
export function splitRoomKey(roomKey: RoomKey): { appCode: AppCode; roomId: RoomId } {
  const at = roomKey.indexOf('\0');
  return { appCode: roomKey.slice(0, at) as AppCode, roomId: roomKey.slice(at + 1) as RoomId };
}

/** The next version of a room. */
export function nextRoomVersion(version: RoomVersion): RoomVersion {
  return (version + 1n) as RoomVersion;
}
