/** What a callback of Tencent RTC says, and who signed it (RTC-4). */
import { describe, expect, it } from 'vitest';
import { isSignedBy, readCallback } from '../../../../src/drivers/http/rtc-callback.ts';

/** As Tencent lays its bodies out: with tabs and newlines, which are part of what is signed. */
function laidOut(fields: readonly string[], info: readonly string[]): Buffer {
  const inner = info.map((field) => `\t\t${field}`).join(',\n');
  const outer = [...fields.map((field) => `\t${field}`), `\t"EventInfo":\t{\n${inner}\n\t}`];
  return Buffer.from(`{\n${outer.join(',\n')}\n}`);
}

const published = laidOut(
  ['"EventGroupId":\t2', '"EventType":\t204', '"CallbackTs":\t1664209748188'],
  [
    ...['"RoomId":\t8489', '"EventTs":\t1664209748', '"EventMsTs":\t1664209748180'],
    ...['"UserId":\t"user_85034614"', '"Reason":\t0'],
  ],
);
const publishedSign = 'kkoFeO3Oh2ZHnjtg8tEAQhtXK16/KI05W3BQff8IvGA=';

function body(callback: object): Buffer {
  return Buffer.from(JSON.stringify(callback));
}

describe('the signature of a callback', () => {
  it('is the one that Tencent publishes for its example', () => {
    expect(isSignedBy('123654', published, publishedSign)).toBe(true);
  });

  it('is over the bytes as they came: the same JSON laid out anew has another one', () => {
    const anew = body(JSON.parse(published.toString()) as object);
    expect(isSignedBy('123654', anew, publishedSign)).toBe(false);
  });

  it.each([
    ['another key', 'another key', publishedSign],
    ['no signature', '123654', ''],
    ['a signature that is cut', '123654', publishedSign.slice(0, 20)],
    ['a signature with a letter changed', '123654', publishedSign.replace('k', 'l')],
    ['no base64 at all', '123654', '%%%'],
  ])('does not hold with %s', (_, key, sign) => {
    expect(isSignedBy(key, published, sign)).toBe(false);
  });
});

describe('the event of a callback', () => {
  it.each([
    [203, 'audio_started'],
    [204, 'audio_stopped'],
    [104, 'room_exited'],
  ])('of type %i is %s (RTC-4, CMD-15)', (eventType, kind) => {
    const EventInfo = { RoomId: 'room-1', EventMsTs: 1_700_000_000_123, UserId: 'u1', Role: 20 };
    expect(readCallback(body({ EventGroupId: 2, EventType: eventType, EventInfo }))).toEqual({
      kind: 'event',
      event: { kind, roomId: 'room-1', userId: 'u1', eventTimeMs: 1_700_000_000_123 },
    });
  });

  it('names a room by number or by text', () => {
    expect(readCallback(published)).toMatchObject({ event: { roomId: '8489' } });
  });

  it.each([101, 102, 103, 105, 201, 202, 205, 206, 301, 999])('of type %i is ignored', (type) => {
    expect(readCallback(body({ EventType: type, EventInfo: {} }))).toEqual({ kind: 'ignored' });
  });

  it.each([
    ['missing', undefined],
    ['a text', '1700000000123'],
    ['with a fraction', 1.5],
    ['below zero', -1],
    ['beyond what a number holds', 2 ** 60],
  ])('has no time when EventMsTs is %s, and the room will drop it', (_, EventMsTs) => {
    const EventInfo = { RoomId: 'r1', UserId: 'u1', EventMsTs };
    expect(readCallback(body({ EventType: 203, EventInfo }))).toMatchObject({
      event: { eventTimeMs: 0 },
    });
  });

  it.each([
    ['no JSON', Buffer.from('{'), 'not a JSON object'],
    ['a list', Buffer.from('[]'), 'not a JSON object'],
    ['no event type', body({ EventInfo: {} }), 'EventType is missing'],
    ['no event info', body({ EventType: 203 }), 'EventInfo is missing'],
  ])('cannot be read from %s', (_, bytes, fault) => {
    expect(readCallback(bytes)).toEqual({ kind: 'unread', fault });
  });
});
