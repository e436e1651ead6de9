/**
 * Callbacks of Tencent RTC as they come: who signed them, and what they tell (RTC-4). Fields may be
 * added by Tencent at any time; what is not known here is ignored, never refused.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RtcEventKind } from '../../domain/mic/mic-commands.ts';
import type { RtcUserEvent } from '../../ports/rtc-events.ts';
import { jsonObject, textField } from '../json-fields.ts';
import type { JsonObject } from '../json-fields.ts';

/**
 * Event types that change a seat. Leaving the room is told by `room_exited` alone, without a stop of
 * the audio before it; entering and video tell nothing that the room does not know or need.
 */
const kinds: ReadonlyMap<number, RtcEventKind> = new Map([
  [203, 'audio_started'],
  [204, 'audio_stopped'],
  [104, 'room_exited'],
]);

/** What a body tells; `unread`: it is no callback at all. */
export type ReadCallback =
  | { readonly kind: 'event'; readonly event: Omit<RtcUserEvent, 'appCode' | 'sdkAppId'> }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'unread'; readonly fault: string };

/**
 * Whether `sign` is base64 of HMAC-SHA256 over the body's bytes as they came. Compared in constant
 * time, so that nobody can find a signature byte by byte.
 */
export function isSignedBy(key: string, body: Uint8Array, sign: string): boolean {
  const expected = createHmac('sha256', key).update(body).digest();
  const given = Buffer.from(sign, 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Reads a body whose signature holds. */
export function readCallback(body: Uint8Array): ReadCallback {
  const callback = jsonObject(Buffer.from(body).toString('utf8'));
  if (callback === null) return { kind: 'unread', fault: 'not a JSON object' };
  const eventType = callback['EventType'];
  if (typeof eventType !== 'number') return { kind: 'unread', fault: 'EventType is missing' };
  const kind = kinds.get(eventType);
  if (kind === undefined) return { kind: 'ignored' };
  const info = callback['EventInfo'];
  if (typeof info !== 'object' || info === null) {
    return { kind: 'unread', fault: 'EventInfo is missing' };
  }
  return { kind: 'event', event: eventOf(kind, info as JsonObject) };
}

function eventOf(kind: RtcEventKind, info: JsonObject): Omit<RtcUserEvent, 'appCode' | 'sdkAppId'> {
  const roomId = info['RoomId'];
  return {
    kind,
    // A number or a text, as the client entered the room.
    roomId: typeof roomId === 'number' ? String(roomId) : textField(info, 'RoomId'),
    userId: textField(info, 'UserId'),
    eventTimeMs: timeOf(info['EventMsTs']),
  };
}

/** 0 for what is no time in milliseconds: the room drops events without one (decision 20). */
function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
