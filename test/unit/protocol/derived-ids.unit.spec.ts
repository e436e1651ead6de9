import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/kernel/assert.ts';
import { commandIdFault, wideIdFault } from '../../../src/domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomVersion, UserId } from '../../../src/domain/ids.ts';
import {
  derivedRoomId,
  eventIdOf,
  evictionCommandId,
  idNamespace,
  micSessionIdOf,
  systemCommandId,
} from '../../../src/protocol/derived-ids.ts';

const app = 'hy' as AppCode;
const room = 'r1' as RoomId;
const command = 'c-1' as CommandId;
const user = 'u1' as UserId;
const uuidV5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('derived ids', () => {
  it('are pinned: another release makes the same ids', () => {
    expect(idNamespace).toMatch(/^[0-9a-f-]{36}$/);
    expect([
      eventIdOf(app, room, command, 0),
      micSessionIdOf(app, room, command),
      derivedRoomId(app, user, command),
    ]).toEqual([
      '4375447c-c61a-54c9-bbb3-4f3499a80777',
      '3904d2d4-de88-54cf-bce6-d5e8d3a1326b',
      'r8b4bdeb157ce5c18bcbea78585188204',
    ]);
  });

  it('of events and mic sessions are UUIDs of version 5', () => {
    expect(eventIdOf(app, room, command, 0)).toMatch(uuidV5);
    expect(micSessionIdOf(app, room, command)).toMatch(uuidV5);
  });

  it('differ in every part, and between kinds', () => {
    const ids = [
      eventIdOf(app, room, command, 0),
      eventIdOf(app, room, command, 1),
      eventIdOf('hy2' as AppCode, room, command, 0),
      eventIdOf(app, 'r2' as RoomId, command, 0),
      eventIdOf(app, room, 'c-2' as CommandId, 0),
      micSessionIdOf(app, room, command),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('do not mix up where one part ends and the next begins', () => {
    const left = eventIdOf('a' as AppCode, 'bc' as RoomId, command, 0);
    const right = eventIdOf('ab' as AppCode, 'c' as RoomId, command, 0);
    expect(left).not.toBe(right);
  });

  it('of rooms obey the rule of room ids and depend on the actor', () => {
    const derived = derivedRoomId(app, user, command);
    expect(wideIdFault(derived)).toBeNull();
    expect(derived).toHaveLength(33);
    expect(derived).not.toBe(derivedRoomId(app, 'u2' as UserId, command));
  });
});

describe('systemCommandId', () => {
  it('names the kind and the version it makes', () => {
    expect(systemCommandId('mic_publish_timeout', 42n as RoomVersion)).toBe(
      'sys:mic_publish_timeout:42',
    );
  });

  it('keeps every digit of a large version', () => {
    expect(systemCommandId('sweep', 9007199254740993n as RoomVersion)).toBe(
      'sys:sweep:9007199254740993',
    );
  });

  it('is an id that callers may not choose', () => {
    expect(commandIdFault(systemCommandId('sweep', 1n as RoomVersion))).toBe('reserved');
  });

  it('refuses a kind that would not fit the rule of ids', () => {
    expect(() => systemCommandId('two words', 1n as RoomVersion)).toThrow(InvariantError);
    expect(() => systemCommandId('x'.repeat(64), 1n as RoomVersion)).toThrow(InvariantError);
  });
});

describe('evictionCommandId', () => {
  it('is pinned, and obeys the rule of ids that callers may not choose', () => {
    const id = evictionCommandId(app, room, command, 1);
    expect(id).toBe('sys:evict:32fb60a4-0729-5a71-82ca-ada4a1e29fb2');
    expect(wideIdFault(id)).toBeNull();
    expect(commandIdFault(id)).toBe('reserved');
  });

  it('differs in every part', () => {
    const ids = [
      evictionCommandId(app, room, command, 1),
      evictionCommandId(app, room, command, 2),
      evictionCommandId('hy2' as AppCode, room, command, 1),
      evictionCommandId(app, 'r2' as RoomId, command, 1),
      evictionCommandId(app, room, 'c-2' as CommandId, 1),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
