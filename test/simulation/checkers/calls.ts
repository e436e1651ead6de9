/** What a client's call is about, and what its end says, in the checkers' own words. */
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type { ResultRecord } from '../../../src/protocol/records.ts';
import type { CallEnd, SentCall } from '../observations.ts';
import { readRecord } from './avro-reading.ts';
import type { Violation } from './checker.ts';
import { roomIdOf } from './derived.ts';

/** A command as a client names it. */
export interface NamedCommand {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
  /** App, room and command id in one text: the key of its log row. */
  readonly key: string;
  readonly roomKey: string;
}

/** How a command ended by what somebody was told; `text` is null where only the reason was said. */
export interface ToldEnd {
  readonly outcome: string;
  readonly reason: string;
  readonly version: bigint | null;
  readonly text: string | null;
}

/** Refusals that are stored with the command and repeated. All others leave its id free. */
export const storedReasons: ReadonlySet<string> = new Set([
  'ROOM_ALREADY_EXISTS',
  'ROOM_CLOSED',
  'ROOM_FULL',
  'USER_NOT_PRESENT',
  'WRONG_PASSWORD',
  'ROBOT_NOT_ALLOWED',
  'NOT_ROOM_MANAGER',
  'SEAT_NOT_FOUND',
  'SEAT_TAKEN',
  'SEAT_LOCKED',
  'NO_FREE_SEAT',
  'ALREADY_ON_SEAT',
  'MIC_BY_INVITATION',
  'NOT_ON_SEAT',
  'MIC_SESSION_STALE',
  'INVALID_GIFT',
  'GIFT_NOT_OFFERED',
  'LUCKY_GIFT_NOT_ENABLED',
  'INSUFFICIENT_BALANCE',
  'GIFT_NOT_CHARGED',
  'ROOM_NOT_CLOSED',
  'USER_BANNED',
  'USER_PLATFORM_BANNED',
  'BAN_LIST_FULL',
  'BAN_END_PAST',
  'TOO_MANY_PASSWORD_ATTEMPTS',
  'NOT_ROOM_OWNER',
  'TARGET_PROTECTED',
  'TOO_MANY_ADMINS',
  'MIC_IS_FREE',
  'MIC_REQUEST_PENDING',
  'MIC_REQUEST_NOT_FOUND',
  'NOT_YOUR_MIC_REQUEST',
  'MIC_QUEUE_FULL',
  'RESULT_TOO_LARGE',
]);

/** The room that an end shows to its client; null: none. */
export function viewIn(end: CallEnd): RoomView | null {
  if (end.kind === 'read') return end.answer.kind === 'view' ? end.answer.view : null;
  return end.kind === 'ok' || end.kind === 'snapshot' ? end.view : null;
}

/** The command that a call asks for or asks about; null for other calls. */
export function commandOf({ ask }: SentCall): NamedCommand | null {
  if (ask.kind === 'getCommand') return named(ask.appCode, ask.roomId, ask.commandId);
  if (ask.kind !== 'command') return null;
  const { appCode, roomId, commandId, actorUserId } = ask.meta;
  const isUnnamed = roomId === '' && ask.request.type === 'CreateRoom';
  return named(appCode, isUnnamed ? roomIdOf(appCode, actorUserId, commandId) : roomId, commandId);
}

const toldByEnd = new WeakMap<CallEnd, ToldEnd>();

/** What the end of a call says of a stored command; null when it says nothing of one. */
export function toldBy(end: CallEnd): ToldEnd | null {
  // Several checkers ask for each end.
  const told = toldByEnd.get(end) ?? readEnd(end);
  if (told !== null) toldByEnd.set(end, told);
  return told;
}

/** Whether an end refuses its command and says that it is stored nowhere; that of a callback may not know. */
export function leavesFree(end: CallEnd): boolean {
  if (end.kind !== 'refused' || toldBy(end) !== null) return false;
  return (end.facts as { readonly produced?: unknown }).produced !== 'unknown';
}

function readEnd(end: CallEnd): ToldEnd | null {
  switch (end.kind) {
    case 'ok':
      return toldByResult(end.result);
    case 'lookup':
      return end.lookup.kind === 'found' ? toldByResult(end.lookup.result) : null;
    case 'refused': {
      if (!storedReasons.has(end.reason)) return null;
      const facts = end.facts as Readonly<Record<string, unknown>>;
      const at = facts['room_version'];
      const version = typeof at === 'string' && /^\d+$/.test(at) ? BigInt(at) : null;
      return { outcome: 'rejected', reason: end.reason, version, text: null };
    }
    default:
      return null;
  }
}

/** What a stored result record says. Throws on bytes that are none. */
export function toldByBytes(bytes: Uint8Array): ToldEnd & { readonly text: string } {
  return toldByResult(readRecord('ResultRecord', bytes));
}

/** Whether both say the same, as far as both say something. */
export function isSameEnd(one: ToldEnd, other: ToldEnd): boolean {
  if (one.outcome !== other.outcome || one.reason !== other.reason) return false;
  if (one.version !== null && other.version !== null && one.version !== other.version) return false;
  return one.text === null || other.text === null || one.text === other.text;
}

/** A short form of an end for a violation's text. */
export function saying({ outcome, reason, version }: ToldEnd): string {
  const at = version === null ? '' : ` at version ${version}`;
  return `${outcome}${reason === '' ? '' : ` (${reason})`}${at}`;
}

/** The room of a violation, from a room key. */
export function roomOfKey(key: string): NonNullable<Violation['room']> {
  const [appCode = '', roomId = ''] = key.split('\0');
  return { appCode, roomId };
}

/** A value as a text that is equal exactly when the values are: numbers and bigints alike. */
export function textOf(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
    case 'number':
      return `"${value}"`;
    case 'object':
      break;
    default:
      return JSON.stringify(value ?? null);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name] ?? null;
    if (field !== null) text += `${text === '' ? '' : ','}"${name}":${textOf(field)}`;
  }
  return `{${text}}`;
}

function named(appCode: string, roomId: string, commandId: string): NamedCommand {
  const roomKey = `${appCode}\0${roomId}`;
  return { appCode, roomId, commandId, key: `${roomKey}\0${commandId}`, roomKey };
}

/** Facts come as an object from a client and as a sorted list from the stored bytes. */
function toldByResult(result: ResultRecord): ToldEnd & { readonly text: string } {
  const { outcome, roomVersion: version, reason, facts, fields } = result;
  const list = Array.isArray(facts)
    ? (facts as readonly { name: string; value: string }[]).map(({ name, value }) => [name, value])
    : Object.entries(facts);
  const told = { outcome, version, reason, facts: Object.fromEntries(list) as object, fields };
  return { outcome, reason, version, text: textOf(told) };
}
