/** What a request must be before anything of it is produced. */
import { describe, expect, test } from 'vitest';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { parseCommand, parseHeartbeat } from '../../../src/gateway/parse-command.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { CommandRequest, RequestMeta } from '../../../src/ports/room-api.ts';
import { meta } from './gateway-fakes.ts';

const actor = { role: 'user' as const, actorUserId: 'u1' };

const createRoom = {
  type: 'CreateRoom',
  title: 'Evening',
  coverUrl: '',
  backgroundUrl: '',
  seatCount: 8,
  mode: 'free',
  visibleRegionId: 0n,
  password: '',
  tags: [],
  ext: '',
} as const satisfies CommandRequest;

const joinRoom = {
  type: 'JoinRoom',
  password: '',
  nickname: 'Ann',
  avatarUrl: '',
  countryCode: 'DE',
  ext: '',
  isRobot: false,
} as const satisfies CommandRequest;

const sendGift = {
  type: 'SendGift',
  giftId: 'rose:v2',
  giftCount: 1,
  targetUserIds: ['u2'],
  comboId: '',
} as const satisfies CommandRequest;

function parse(request: CommandRequest, change: Partial<RequestMeta> = {}) {
  return parseCommand(actor, meta(change), request, defaultGatewayLimits);
}

/** The named faults of a refused request, by field. */
function faultsOf(
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

describe('the meta', () => {
  test('a command without an id is refused, for the server never makes one up', () => {
    expect(faultsOf({ type: 'LeaveRoom' }, { commandId: '' })).toEqual({ command_id: 'missing' });
  });

  test('ids of our own cannot be used by callers', () => {
    expect(faultsOf({ type: 'LeaveRoom' }, { commandId: 'sys:x:1' })).toEqual({
      command_id: 'reserved',
    });
  });

  test('every fault is told at once', () => {
    const change = { commandId: '', roomId: 'a b', clientTimeMs: -1n, snapshotMode: 'unknown:9' };
    const faults = faultsOf({ type: 'MicUp', seatNo: -1 }, change);
    const fields = ['client_time_ms', 'command_id', 'room_id', 'seat_no', 'snapshot_mode'];
    expect(Object.keys(faults).sort()).toEqual(fields);
  });

  test('an empty snapshot mode asks for the view', () => {
    expect(parse({ type: 'LeaveRoom' }).snapshotMode).toBe('view');
  });

  test('a time that no number holds exactly is refused', () => {
    const change = { clientTimeMs: 2n ** 53n };
    expect(Object.keys(faultsOf({ type: 'LeaveRoom' }, change))).toEqual(['client_time_ms']);
  });
});

describe('CreateRoom', () => {
  test('without a room id gets the same derived one in every try', () => {
    const first = parse(createRoom, { roomId: '' });
    const again = parse(createRoom, { roomId: '' });
    expect(first.roomId).toMatch(/^r[0-9a-f]{32}$/);
    expect(again.roomId).toBe(first.roomId);
    expect(parse(createRoom, { roomId: '', commandId: 'c2' }).roomId).not.toBe(first.roomId);
  });

  test('no other command may leave the room id empty', () => {
    expect(faultsOf({ type: 'LeaveRoom' }, { roomId: '' })).toEqual({ room_id: 'missing' });
  });

  test.each([
    ['title', { title: '' }],
    ['title', { title: 'é'.repeat(65) }],
    ['title', { title: 'a\u0007b' }],
    ['cover_url', { coverUrl: 'x'.repeat(513) }],
    ['background_url', { backgroundUrl: 'x'.repeat(513) }],
    ['seat_count', { seatCount: 0 }],
    ['seat_count', { seatCount: 21 }],
    ['seat_count', { seatCount: 1.5 }],
    ['mode', { mode: 'unknown:7' }],
    ['visible_region_id', { visibleRegionId: -1n }],
    ['password', { password: 'x'.repeat(65) }],
    ['tags', { tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }],
    ['tags', { tags: ['a', 'a'] }],
    ['tags[1]', { tags: ['a', 'x'.repeat(33)] }],
    ['tags[0]', { tags: ['a\nb'] }],
    ['ext', { ext: 'x'.repeat(2_049) }],
  ])('refuses a bad %s: %o', (field, change) => {
    expect(Object.keys(faultsOf({ ...createRoom, ...change }))).toEqual([field]);
  });

  test('takes every field at its largest', () => {
    const largest = {
      ...createRoom,
      title: 'é'.repeat(64),
      coverUrl: 'x'.repeat(512),
      seatCount: 20,
      mode: 'apply',
      visibleRegionId: 2n ** 63n - 1n,
      password: 'x'.repeat(64),
      tags: Array.from({ length: 10 }, (_, index) => `${index}`.padEnd(32, 'x')),
      ext: 'x'.repeat(2_048),
    };
    expect(faultsOf(largest)).toEqual({});
  });
});

describe('SendGift', () => {
  const users = (count: number): string[] => Array.from({ length: count }, (_, n) => `u${n}`);

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
    ['combo_id', { comboId: 'é'.repeat(33) }],
  ])('refuses a bad %s: %o', (field, change) => {
    expect(Object.keys(faultsOf({ ...sendGift, ...change }))).toEqual([field]);
  });

  test('takes every field at its largest', () => {
    const largest = {
      ...sendGift,
      giftId: 'x'.repeat(64),
      giftCount: 9_999,
      targetUserIds: users(50),
      comboId: 'é'.repeat(32),
    };
    expect(faultsOf(largest)).toEqual({});
  });
});

describe('the other requests', () => {
  test.each<[string, CommandRequest]>([
    ['profile.nickname', { ...joinRoom, nickname: 'x'.repeat(65) }],
    ['profile.avatar_url', { ...joinRoom, avatarUrl: 'x'.repeat(513) }],
    ['profile.country_code', { ...joinRoom, countryCode: 'x'.repeat(9) }],
    ['profile.ext', { ...joinRoom, ext: 'x'.repeat(1_025) }],
    ['password', { ...joinRoom, password: 'x'.repeat(65) }],
    ['seat_no', { type: 'MicUp', seatNo: -1 }],
    ['user_id', { type: 'MicDown', userId: 'a b', micSessionId: '' }],
    ['mic_session_id', { type: 'MicDown', userId: '', micSessionId: 'a b' }],
    ['mic_session_id', { type: 'ConfirmMicPublishing', micSessionId: '' }],
    ['reason', { type: 'CloseRoom', reason: 'x'.repeat(65), note: '' }],
    ['note', { type: 'CloseRoom', reason: '', note: 'x'.repeat(513) }],
  ])('refuse a bad %s', (field, request) => {
    expect(Object.keys(faultsOf(request))).toEqual([field]);
  });
});

describe('a heartbeat', () => {
  test('needs no command id', () => {
    expect(parseHeartbeat(actor, meta({ commandId: '' })).actorUserId).toBe('u1');
  });

  test('needs an actor', () => {
    const nobody = { role: 'service' as const, actorUserId: '' };
    expect(() => parseHeartbeat(nobody, meta())).toThrow(
      expect.objectContaining({ facts: { field: 'actor_user_id', fault: 'missing' } }),
    );
  });
});
