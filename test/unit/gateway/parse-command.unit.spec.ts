/** What a request must be before anything of it is produced. */
import { describe, expect, test } from 'vitest';
import { parseHeartbeat } from '../../../src/gateway/parse-command.ts';
import { meta } from './gateway-fakes.ts';
import { actor, faultsOf, parse, samples } from './request-samples.ts';

const createRoom = { ...samples.CreateRoom, password: '' };

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

describe('a heartbeat', () => {
  test('needs no command id', () => {
    expect(parseHeartbeat(actor, meta({ commandId: '' }), null)).toMatchObject({
      actorUserId: 'u1',
      micSessionId: '',
    });
  });

  test('of a mic session names one', () => {
    const beat = (micSessionId: string, publishing = false) =>
      parseHeartbeat(actor, meta(), { micSessionId, publishing });
    expect(beat('s1')).toMatchObject({ micSessionId: 's1', publishing: false });
    expect(beat('s1', true)).toMatchObject({ publishing: true });
    for (const [text, fault] of [
      ['', 'missing'],
      ['a b', 'malformed'],
    ] as const) {
      expect(() => beat(text)).toThrow(
        expect.objectContaining({ facts: { field: 'mic_session_id', fault } }),
      );
    }
  });

  test('needs an actor', () => {
    const nobody = { role: 'service' as const, actorUserId: '' };
    expect(() => parseHeartbeat(nobody, meta(), null)).toThrow(
      expect.objectContaining({ facts: { field: 'actor_user_id', fault: 'missing' } }),
    );
  });
});
