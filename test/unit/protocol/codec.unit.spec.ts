import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/kernel/assert.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { RoomVersion, UserId } from '../../../src/domain/ids.ts';
import { roomView } from '../../../src/domain/room/room-view.ts';
import type { PresentUser } from '../../../src/domain/room/state.ts';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import type { ResultRecord } from '../../../src/protocol/records.ts';
import {
  commands,
  envelopes,
  events,
  snapshots,
  withoutSecret,
} from '../../golden/0.4.0/samples.ts';
import { anyCommand } from './command-arbitraries.ts';
import { anyDisplayEnvelope } from './display-arbitraries.ts';
import { anyEnvelope, anyEvent } from './event-arbitraries.ts';
import { anyReply, anyResult } from './reply-arbitraries.ts';
import { anyState } from './state-arbitraries.ts';

const codec = createCodec();

describe('every record comes back as it was', () => {
  it('on the commands topic', () => {
    fc.assert(
      fc.property(anyCommand, (record) => {
        expect(codec.decodeCommand(codec.encodeCommand(record))).toEqual({
          ok: true,
          value: record,
        });
      }),
    );
  });

  it('as a result', () => {
    fc.assert(
      fc.property(anyResult, (record) => {
        expect(codec.decodeResult(codec.encodeResult(record))).toEqual({ ok: true, value: record });
      }),
    );
  });

  it('as a reply', () => {
    fc.assert(
      fc.property(anyReply, (record) => {
        expect(codec.decodeReply(codec.encodeReply(record))).toEqual({ ok: true, value: record });
      }),
    );
  });

  it('as the events of a log row', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 5 }), (list) => {
        expect(codec.decodeLoggedEvents(codec.encodeLoggedEvents(list))).toEqual({
          ok: true,
          value: list,
        });
      }),
    );
  });

  it('as an envelope, except for secrets (OUT-24)', () => {
    fc.assert(
      fc.property(anyEnvelope, (envelope) => {
        const event = envelope.event === null ? null : withoutSecret(envelope.event as never);
        expect(codec.decodeEnvelope(codec.encodeEnvelope(envelope))).toEqual({
          ok: true,
          value: { ...envelope, event },
        });
      }),
    );
  });

  it('as a display', () => {
    fc.assert(
      fc.property(anyDisplayEnvelope, (envelope) => {
        expect(codec.decodeDisplay(codec.encodeDisplay(envelope))).toEqual({
          ok: true,
          value: envelope,
        });
      }),
    );
  });

  it('as a snapshot, and its view in a reply', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(codec.decodeSnapshot(codec.encodeSnapshot({ state }))).toEqual({
          ok: true,
          value: { state },
        });
        const resultBytes = Buffer.from([1]);
        const view = roomView(state, state.ownerUserId, 20);
        const reply = { kind: 'result', resultBytes, replayed: false, view } as const;
        expect(codec.decodeReply(codec.encodeReply(reply))).toEqual({ ok: true, value: reply });
      }),
    );
  });

  it('as plain data, so that it can be compared, spread and logged', () => {
    const decoded = codec.decodeCommand(codec.encodeCommand(commands[1]!));
    expect(decoded).toStrictEqual({ ok: true, value: commands[1] });
  });
});

describe('numbers', () => {
  const withVersion = (roomVersion: bigint): ResultRecord => ({
    outcome: 'applied',
    roomVersion: roomVersion as RoomVersion,
    reason: '',
    facts: {},
    fields: {},
  });

  it.each([
    0n,
    1n,
    -1n,
    63n,
    64n,
    -64n,
    -65n,
    2n ** 48n,
    2n ** 49n,
    9007199254740991n,
    9007199254740992n,
    9007199254740993n,
    2n ** 62n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ])('%d keeps every digit', (value) => {
    const decoded = codec.decodeResult(codec.encodeResult(withVersion(value)));
    expect(decoded.ok && decoded.value.roomVersion).toBe(value);
  });

  it('beyond 64 bits are our own bug and not written', () => {
    expect(() => codec.encodeResult(withVersion(2n ** 63n))).toThrow(InvariantError);
  });

  it.each([2 ** 53, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'of milliseconds are not rounded: %d is our own bug',
    (publishDeadlineMs) => {
      const record = { ...withVersion(1n), fields: { publishDeadlineMs } };
      expect(() => codec.encodeResult(record)).toThrow(InvariantError);
    },
  );

  it('of milliseconds reach the end of the safe range', () => {
    const record = { ...withVersion(1n), fields: { publishDeadlineMs: 2 ** 53 - 2 } };
    expect(codec.decodeResult(codec.encodeResult(record))).toEqual({ ok: true, value: record });
  });

  it('two users whose ids differ only beyond a double stay two', () => {
    const decoded = codec.decodeSnapshot(codec.encodeSnapshot(snapshots[0]!));
    expect(decoded.ok && decoded.value.state.users.size).toBe(2);
  });
});

describe('bytes are canonical', () => {
  const user = (id: string): PresentUser => ({
    userId: id as UserId,
    profile: { nickname: '', avatarUrl: '', countryCode: '', ext: '' },
    isRobot: false,
    joinedAtMs: 0,
    joinedAtVersion: 1n as RoomVersion,
  });

  it('a state’s hash does not depend on how its users came and went', () => {
    const base = snapshots[0]!.state;
    const ids = ['b', 'a', 'Z', '10', '9', '_'];
    const encode = (order: readonly string[]): string => {
      let users = emptyPersistentMap<PresentUser>().set('gone', user('gone'));
      for (const id of order) users = users.set(id, user(id));
      const bytes = codec.encodeSnapshot({ state: { ...base, users: users.remove('gone') } });
      return createHash('sha256').update(bytes).digest('hex');
    };
    expect(encode([...ids].reverse())).toBe(encode(ids));
    expect(encode(ids.slice(1))).not.toBe(encode(ids));
  });

  it('users stand in the order of their ids, whatever order the map has', () => {
    const ids = ['b', 'a', 'Z', '10', '9', '_', 'u1', 'u2', 'u3'];
    let users = emptyPersistentMap<PresentUser>();
    for (const id of ids) users = users.set(id, user(id));
    const bytes = codec.encodeSnapshot({ state: { ...snapshots[0]!.state, users } });
    const type = parseAvroType(JSON.parse(schemaJson.RoomSnapshot));
    const written = type.decode(Buffer.from(bytes), 10).value as {
      state: { users: PresentUser[] };
    };
    expect(written.state.users.map(({ userId }) => userId)).toEqual([...ids].sort());
  });

  it('facts are sorted by name', () => {
    const record = (facts: Record<string, string>): ResultRecord => ({
      outcome: 'rejected',
      roomVersion: 1n as RoomVersion,
      reason: 'SEAT_TAKEN',
      facts,
      fields: {},
    });
    const forth = codec.encodeResult(record({ a: '1', b: '2' }));
    expect(codec.encodeResult(record({ b: '2', a: '1' }))).toEqual(forth);
  });

  it('a text with half a surrogate pair is stored as a text that comes back the same', () => {
    const first = codec.encodeLoggedEvents([{ ...events[7]!, note: 'a\ud800b' } as never]);
    const decoded = codec.decodeLoggedEvents(first);
    expect(decoded.ok && decoded.value[0]).toMatchObject({ note: 'a\ufffdb' });
    expect(decoded.ok && codec.encodeLoggedEvents(decoded.value)).toEqual(first);
  });

  it('a large room leaves no large buffer behind in the next record', () => {
    const base = snapshots[0]!.state;
    let users = emptyPersistentMap<PresentUser>();
    for (let i = 0; i < 10_000; i += 1) users = users.set(`u${i}`, user(`u${i}`));
    const state = { ...base, users };
    const decoded = codec.decodeSnapshot(codec.encodeSnapshot({ state }));
    expect(decoded.ok && decoded.value.state.users.size).toBe(10_000);
    const small = codec.encodeCommand(commands[2]!);
    expect(codec.decodeCommand(small)).toEqual({ ok: true, value: commands[2] });
    expect(small.length).toBeLessThan(100);
  });

  it('records do not share memory with one another', () => {
    const first = codec.encodeCommand(commands[0]!);
    const before = Buffer.from(first).toString('hex');
    codec.encodeCommand(commands[1]!);
    expect(Buffer.from(first).toString('hex')).toBe(before);
  });
});

describe('secrets', () => {
  const holders = events.filter((event) => 'passwordHash' in event);

  it.each(holders)('of $type are in the log row and in no envelope', (event) => {
    const secret = Buffer.from('passwordHash' in event ? event.passwordHash : '');
    expect(secret.length).toBeGreaterThan(0);
    expect(Buffer.from(codec.encodeLoggedEvents([event])).includes(secret)).toBe(true);
    const leaking = { ...envelopes[0]!, eventType: event.type, event };
    expect(Buffer.from(codec.encodeEnvelope(leaking)).includes(secret)).toBe(false);
  });

  it('are held by a created room and a changed password', () => {
    expect(holders.map(({ type }) => type)).toEqual(['RoomCreated', 'RoomPasswordChanged']);
  });
});
