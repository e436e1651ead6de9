/** What events look like in instant messaging. */
import { describe, expect, it } from 'vitest';
import { imCallsOf, imDataBytesMax, imFormOf } from '../../../src/adapters/im/im-message.ts';
import type { AppCode, CommandId, EventId, RoomVersion } from '../../../src/domain/ids.ts';
import { eventRoutes } from '../../../src/domain/events/destinations.ts';
import type { RoomEventType } from '../../../src/domain/room/events.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { clientEventText } from '../../../src/protocol/client-event.ts';
import type { EventEnvelope } from '../../../src/protocol/records.ts';
import { events } from '../../golden/0.4.0/samples.ts';
import {
  alice,
  asUser,
  bob,
  closed,
  created,
  deleted,
  gifted,
  joined,
  kicked,
  on,
  owner,
  room,
  unbanned,
  wentUp,
} from '../../support/room-builders.ts';

const base = {
  eventId: '6a0f8c1e-0000-5000-8000-000000000001' as EventId,
  appCode: 'demo' as AppCode,
  roomId: room,
  roomVersion: 9_007_199_254_740_993n as RoomVersion,
  eventIndex: 1,
  occurredAtMs: 1_700_000_000_000,
  commandId: 'c1' as CommandId,
  actorUserId: owner,
};
const envelopeOf = (event: NonNullable<EventEnvelope['event']>): EventEnvelope => ({
  ...base,
  eventType: event.type,
  event,
});
const callsOf = (envelope: EventEnvelope) => {
  const form = imCallsOf(envelope);
  if (form.kind !== 'calls') throw new Error(`expected calls, got ${form.kind}`);
  return form.calls;
};

describe('an event in instant messaging', () => {
  it('RoomCreated makes the group, by a name that fits and holds whole characters (ARC-5, PUB-2)', () => {
    expect(callsOf(envelopeOf(created({ title: 'Abendrunde 🙂🙂🙂🙂🙂🙂🙂' })))).toEqual([
      { kind: 'ensureGroup', groupId: 'rc_demo_room1', name: 'Abendrunde 🙂🙂🙂🙂' },
    ]);
    expect(callsOf(envelopeOf(created({ title: '' })))).toMatchObject([{ name: room }]);
  });

  it('RoomClosed is a message and a notification of the same text', () => {
    const [message, notification] = callsOf(envelopeOf(closed()));
    expect(message).toMatchObject({ kind: 'message', message: { priority: 'High' } });
    expect(notification).toMatchObject({
      kind: 'notification',
      groupId: 'rc_demo_room1',
      content: message?.kind === 'message' ? message.message.data : '',
    });
  });

  it('RoomDeleted is a message, and then the end of the group', () => {
    const [message, end] = callsOf(envelopeOf(deleted()));
    expect(message).toMatchObject({ kind: 'message', message: { groupId: 'rc_demo_room1' } });
    expect(end).toEqual({ kind: 'dissolve', groupId: 'rc_demo_room1' });
  });

  it('RoomUserKicked is a message, and then a ban to the end that the room gave it (PRES-7)', () => {
    for (const expiresAtMs of [0, 1_800_000_000_000]) {
      const [message, ban] = callsOf(envelopeOf({ ...kicked(alice), expiresAtMs }));
      expect(message).toMatchObject({ kind: 'message', message: { priority: 'High' } });
      expect(ban).toEqual({ kind: 'ban', groupId: 'rc_demo_room1', userId: alice, expiresAtMs });
    }
  });

  it('RoomUserUnbanned is no message and ends the ban, whatever ended the room’s (PRES-11)', () => {
    for (const reason of ['unbanned', 'expired'] as const) {
      expect(callsOf(envelopeOf(unbanned(alice, owner, reason)))).toEqual([
        { kind: 'unban', groupId: 'rc_demo_room1', userId: alice },
      ]);
    }
  });

  it('RoomUserEvicted bans nobody: no event of the room would end it', () => {
    const event = events.find((sample) => sample.type === 'RoomUserEvicted');
    expect(callsOf(envelopeOf(event as never)).map(({ kind }) => kind)).toEqual(['message']);
  });

  it('every other event is one message, its priority by the event table (ARC-5, PUB-2)', () => {
    expect(callsOf(envelopeOf(wentUp(on(1, alice, 1), 5)))).toMatchObject([
      { message: { priority: 'Normal' } },
    ]);
    expect(callsOf(envelopeOf(joined(alice)))).toMatchObject([{ message: { priority: 'Low' } }]);
  });

  it('names itself first, then its fields by name; 64-bit numbers are texts', () => {
    const data = JSON.parse(clientEventText(envelopeOf(created()))) as Record<string, unknown>;
    expect(Object.keys(data)).toEqual([
      'event_id',
      'app_code',
      'room_id',
      'type',
      'version',
      'index',
      'occurred_at_ms',
      'actor_user_id',
      'payload',
    ]);
    expect(data).toMatchObject({
      type: 'RoomCreated',
      version: '9007199254740993',
      payload: { owner_user_id: 'owner', visible_region_id: '9007199254740993' },
    });
    const names = Object.keys(data['payload'] as object);
    expect(names).toEqual([...names].sort());
  });

  it('a gift tells who gave what to whom to the last digit, and keeps the receipt to itself', () => {
    const event = gifted(asUser('u9007199254740993'), bob, 9_007_199_254_740_993n, {
      giftCount: 3,
      unitPrice: 3_002_399_751_580_331n,
      catalogueVersion: 9_007_199_254_740_993n,
      comboId: 'combo-1',
      billingReceiptId: 'receipt-4711',
    });
    const text = clientEventText(envelopeOf(event));
    expect((JSON.parse(text) as { payload: unknown }).payload).toEqual({
      catalogue_version: '9007199254740993',
      coins: '9007199254740993',
      combo_id: 'combo-1',
      gift_count: 3,
      gift_id: 'rose',
      is_uncounted: false,
      lucky_draw: null,
      sender_user_id: 'u9007199254740993',
      target_user_id: 'bob',
      unit_price: '3002399751580331',
    });
    expect(text).not.toContain('4711');
    expect(callsOf(envelopeOf(event))).toMatchObject([{ message: { priority: 'High' } }]);
  });

  it('is the same text and number on every try, also after a way through the codec', () => {
    const codec = createCodec();
    const made = [created(), joined(alice), closed(), wentUp(on(1, alice, 1), 5)];
    for (const event of [...made, gifted(alice, bob, 2n ** 62n)]) {
      const envelope = envelopeOf(event);
      const read = codec.decodeEnvelope(codec.encodeEnvelope(envelope));
      if (!read.ok) throw new Error(read.fault);
      expect(callsOf(read.value)).toEqual(callsOf(envelope));
      expect(clientEventText(read.value)).toBe(clientEventText(envelope));
    }
  });

  it('never tells a password hash', () => {
    const text = clientEventText(envelopeOf(created({ passwordHash: 'scrypt$secret' })));
    expect(text).not.toContain('secret');
    expect(text).not.toContain('password');
  });

  it('never tells clients the note of a closing, which is for operators', () => {
    const data = clientEventText(envelopeOf(closed({ note: 'complaint 4711', reason: 'abuse' })));
    expect(data).not.toContain('4711');
    expect(data).not.toContain('note');
    expect(data).toContain('abuse');
  });

  it('of a type that this release lacks has no form and is no failure', () => {
    expect(callsOf({ ...base, eventType: 'RoomPainted', event: null })).toEqual([]);
  });

  it.each(['RoomMicRtcNoted', 'RoomPasswordAttemptFailed', 'RoomVisibleRegionChanged'] as const)(
    '%s is not for clients and makes no call, even if a record of it comes (PUB-9)',
    (type) => {
      const event = events.find((sample) => sample.type === type);
      expect(event).toBeDefined();
      expect(callsOf(envelopeOf(event as never))).toEqual([]);
      expect(imFormOf(type)).toBe('none');
    },
  );

  it.each(Object.keys(eventRoutes) as RoomEventType[])(
    '%s has the form that its page says (RES-19)',
    (type) => {
      const event = events.find((sample) => sample.type === type);
      const made = callsOf(envelopeOf(event as never)).map(({ kind }) => kind);
      const byForm = {
        none: [],
        group: ['ensureGroup'],
        message: ['message'],
        'message and notification': ['message', 'notification'],
        'message and ban': ['message', 'ban'],
        unban: ['unban'],
        'message and end': ['message', 'dissolve'],
      };
      expect(made).toEqual(byForm[imFormOf(type)]);
    },
  );

  it('of the largest profile still fits, or tells only that it changed', () => {
    const changed = (filling: string): EventEnvelope => {
      const profile = {
        title: filling.repeat(128),
        coverUrl: 'c'.repeat(512),
        announcement: filling.repeat(1_024),
        backgroundUrl: 'b'.repeat(512),
        tags: Array.from({ length: 10 }, () => 't'.repeat(32)),
        ext: filling.repeat(2_048),
      };
      return envelopeOf({ type: 'RoomProfileUpdated', byUserId: owner, profile });
    };
    const dataOf = (envelope: EventEnvelope): { payload: unknown; type: unknown } => {
      const [call] = callsOf(envelope);
      return JSON.parse(call?.kind === 'message' ? call.message.data : '') as never;
    };
    expect(dataOf(changed('x'))).toMatchObject({ payload: { by_user_id: 'owner' } });
    for (const filling of ['"', '\u0001']) {
      expect(dataOf(changed(filling))).toMatchObject({
        type: 'RoomProfileUpdated',
        room_id: room,
        payload: null,
      });
    }
  });

  it('of 200 users who left at once fits', () => {
    const userIds = Array.from({ length: 200 }, (_, n) => asUser(`${n}`.padStart(32, 'u')));
    const [call] = callsOf(envelopeOf({ type: 'RoomUsersStaleLeft', userIds }));
    const data = call?.kind === 'message' ? call.message.data : '';
    expect((JSON.parse(data) as { payload: unknown }).payload).toEqual({ user_ids: userIds });
  });

  it('that would be too long for a group is refused before it is sent', () => {
    const text = '🙂'.repeat(imDataBytesMax);
    expect(imCallsOf(envelopeOf(closed({ reason: text })))).toMatchObject({ kind: 'tooLarge' });
    // Every quotation mark of the text costs a backslash in the request.
    expect(imCallsOf(envelopeOf(closed({ reason: '"'.repeat(imDataBytesMax / 2) })))).toMatchObject(
      {
        kind: 'tooLarge',
      },
    );
  });
});
