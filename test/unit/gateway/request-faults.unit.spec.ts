/** Bounds of every request's own fields: at the largest it is taken, one further it is refused. */
import { describe, expect, test } from 'vitest';
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import { faultsOf, samples } from './request-samples.ts';

/** A request with some of its fields replaced. */
function changed(type: CommandRequest['type'], change: object): CommandRequest {
  return { ...samples[type], ...change };
}

const users = (count: number): string[] => Array.from({ length: count }, (_, n) => `u${n}`);
const tags = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${n}`.padEnd(32, 'x'));
/** Two bytes each: sizes are bytes, not letters. */
const wide = (bytes: number): string => 'é'.repeat(Math.ceil(bytes / 2));
const longestId = 'x'.repeat(32);

test.each(Object.values(samples))('a good $type is taken', (request) => {
  expect(faultsOf(request)).toEqual({});
});

describe('a request about the room', () => {
  test.each<[CommandRequest['type'], string, object]>([
    ['CloseRoom', 'reason', { reason: wide(65) }],
    ['CloseRoom', 'note', { note: wide(513) }],
    ['DeleteRoom', 'reason', { reason: wide(65) }],
    ['DeleteRoom', 'note', { note: wide(513) }],
    ['UpdateRoomProfile', 'title', { title: '' }],
    ['UpdateRoomProfile', 'title', { title: wide(129) }],
    ['UpdateRoomProfile', 'title', { title: 'a\u0007b' }],
    ['UpdateRoomProfile', 'cover_url', { coverUrl: 'x'.repeat(513) }],
    ['UpdateRoomProfile', 'announcement', { announcement: wide(1_025) }],
    ['UpdateRoomProfile', 'background_url', { backgroundUrl: 'x'.repeat(513) }],
    ['UpdateRoomProfile', 'tags', { tags: tags(11) }],
    ['UpdateRoomProfile', 'tags', { tags: ['a', 'a'] }],
    ['UpdateRoomProfile', 'tags[1]', { tags: ['a', ''] }],
    ['UpdateRoomProfile', 'ext', { ext: 'x'.repeat(2_049) }],
    ['SetSeatCount', 'seat_count', { seatCount: 0 }],
    ['SetSeatCount', 'seat_count', { seatCount: 21 }],
    ['SetSeatCount', 'seat_count', { seatCount: 1.5 }],
    ['SetRoomPassword', 'password', { password: 'x'.repeat(65) }],
    ['SetRoomMode', 'mode', { mode: '' }],
    ['SetRoomMode', 'mode', { mode: 'unknown:9' }],
    ['SetVisibleRegion', 'visible_region_id', { visibleRegionId: -1n }],
    ['SetVisibleRegion', 'visible_region_id', { visibleRegionId: 2n ** 63n }],
    ['SetAdmin', 'user_id', { userId: '' }],
    ['SetAdmin', 'user_id', { userId: 'a b' }],
    ['TransferOwner', 'user_id', { userId: '' }],
    ['TransferOwner', 'user_id', { userId: `${longestId}x` }],
  ])('%s refuses a bad %s: %o', (type, field, change) => {
    expect(Object.keys(faultsOf(changed(type, change)))).toEqual([field]);
  });

  test.each<[CommandRequest['type'], object]>([
    ['DeleteRoom', { reason: wide(64), note: wide(512) }],
    [
      'UpdateRoomProfile',
      {
        title: wide(128),
        coverUrl: 'x'.repeat(512),
        announcement: wide(1_024),
        backgroundUrl: 'x'.repeat(512),
        tags: tags(10),
        ext: 'x'.repeat(2_048),
      },
    ],
    ['UpdateRoomProfile', { title: null, backgroundUrl: null, announcement: null, tags: null }],
    ['SetSeatCount', { seatCount: 20 }],
    ['SetRoomPassword', { password: 'x'.repeat(64) }],
    ['SetRoomPassword', { password: '' }],
    ['SetRoomMode', { mode: 'free' }],
    ['SetVisibleRegion', { visibleRegionId: 2n ** 63n - 1n }],
    ['SetVisibleRegion', { visibleRegionId: 0n }],
    ['TransferOwner', { userId: longestId }],
  ])('%s takes every field at its bound: %o', (type, change) => {
    expect(faultsOf(changed(type, change))).toEqual({});
  });

  test('an announcement may have lines', () => {
    expect(faultsOf(changed('UpdateRoomProfile', { announcement: 'a\nb' }))).toEqual({});
  });
});

describe('a request about who is there', () => {
  test.each<[CommandRequest['type'], string, object]>([
    ['JoinRoom', 'password', { password: 'x'.repeat(65) }],
    ...(['JoinRoom', 'UpdateUser'] as const).flatMap(
      (type): [CommandRequest['type'], string, object][] => [
        [type, 'profile.nickname', { nickname: wide(65) }],
        [type, 'profile.avatar_url', { avatarUrl: 'x'.repeat(513) }],
        [type, 'profile.country_code', { countryCode: 'x'.repeat(9) }],
        [type, 'profile.ext', { ext: 'x'.repeat(1_025) }],
      ],
    ),
    ['KickUser', 'user_id', { userId: '' }],
    ['KickUser', 'user_id', { userId: 'a b' }],
    ['KickUser', 'reason', { reason: wide(65) }],
    ['KickUser', 'expires_at_ms', { expiresAtMs: -1n }],
    ['KickUser', 'expires_at_ms', { expiresAtMs: 2n ** 53n }],
    ['UnbanUser', 'user_id', { userId: '' }],
    ['EvictUser', 'user_id', { userId: 'a b' }],
    ['EvictUser', 'reason', { reason: wide(65) }],
  ])('%s refuses a bad %s: %o', (type, field, change) => {
    expect(Object.keys(faultsOf(changed(type, change)))).toEqual([field]);
  });

  test.each<[CommandRequest['type'], object]>([
    ['UpdateUser', { nickname: wide(64), countryCode: 'x'.repeat(8), ext: 'x'.repeat(1_024) }],
    ['KickUser', { userId: longestId, reason: wide(64), expiresAtMs: 2n ** 53n - 1n }],
    ['KickUser', { expiresAtMs: 0n, reason: '' }],
  ])('%s takes every field at its bound: %o', (type, change) => {
    expect(faultsOf(changed(type, change))).toEqual({});
  });
});

describe('a request about the mic', () => {
  test.each<[CommandRequest['type'], string, object]>([
    ['MicUp', 'seat_no', { seatNo: -1 }],
    ['MicUp', 'seat_no', { seatNo: 1_001 }],
    ['MicDown', 'user_id', { userId: 'a b' }],
    ['MicDown', 'mic_session_id', { micSessionId: 'a b' }],
    ['ChangeMicSeat', 'to_seat_no', { toSeatNo: 0 }],
    ['ChangeMicSeat', 'to_seat_no', { toSeatNo: 1_001 }],
    ['ConfirmMicPublishing', 'mic_session_id', { micSessionId: '' }],
    ['SetMicSeatLock', 'seat_no', { seatNo: 0 }],
    ['SetMicSeatLock', 'seat_no', { seatNo: 1_001 }],
    ['SetMicSeatMute', 'seat_no', { seatNo: 0 }],
    ['SetMicSeatMute', 'seat_no', { seatNo: 0.5 }],
    ['InviteToMic', 'user_id', { userId: '' }],
    ['InviteToMic', 'seat_no', { seatNo: -1 }],
    ['ApplyForMic', 'seat_no', { seatNo: -1 }],
    ['ApplyForMic', 'seat_no', { seatNo: 1_001 }],
    ['AnswerMicRequest', 'user_id', { userId: 'a b' }],
    ['AnswerMicRequest', 'answer', { answer: '' }],
    ['AnswerMicRequest', 'answer', { answer: 'unknown:9' }],
  ])('%s refuses a bad %s: %o', (type, field, change) => {
    expect(Object.keys(faultsOf(changed(type, change)))).toEqual([field]);
  });

  test.each<[CommandRequest['type'], object]>([
    ['MicUp', { seatNo: 1_000 }],
    ['ChangeMicSeat', { toSeatNo: 1_000 }],
    ['SetMicSeatLock', { seatNo: 1 }],
    ['SetMicSeatMute', { seatNo: 1_000 }],
    ['InviteToMic', { userId: longestId, seatNo: 1_000 }],
    ['ApplyForMic', { seatNo: 0 }],
    ['AnswerMicRequest', { userId: '', answer: 'declined' }],
  ])('%s takes every field at its bound: %o', (type, change) => {
    expect(faultsOf(changed(type, change))).toEqual({});
  });
});

describe('SendGift', () => {
  test.each<[string, object]>([
    ['gift_id', { giftId: '' }],
    ['gift_id', { giftId: 'a b' }],
    ['gift_id', { giftId: 'x'.repeat(65) }],
    ['gift_count', { giftCount: 0 }],
    ['gift_count', { giftCount: -1 }],
    ['gift_count', { giftCount: 10_000 }],
    ['gift_count', { giftCount: 1.5 }],
    ['target_user_ids', { targetUserIds: [] }],
    ['target_user_ids', { targetUserIds: users(51) }],
    ['target_user_ids', { targetUserIds: ['u2', 'u3', 'u2'] }],
    ['target_user_ids[1]', { targetUserIds: ['u2', 'a b'] }],
    ['target_user_ids[0]', { targetUserIds: [''] }],
    ['combo_id', { comboId: wide(65) }],
  ])('refuses a bad %s: %o', (field, change) => {
    expect(Object.keys(faultsOf(changed('SendGift', change)))).toEqual([field]);
  });

  test('takes every field at its largest', () => {
    const largest = {
      giftId: 'x'.repeat(64),
      giftCount: 9_999,
      targetUserIds: users(50),
      comboId: wide(64),
    };
    expect(faultsOf(changed('SendGift', largest))).toEqual({});
  });
});

test('every fault of a request is told at once', () => {
  const request = changed('InviteToMic', { userId: '', seatNo: -1 });
  expect(faultsOf(request, { roomId: '' })).toEqual({
    room_id: 'missing',
    user_id: 'missing',
    seat_no: 'not a whole number from 0 to 1000',
  });
});
