/** Bans from the room's group: when they are made, for how long, and what each end means for the event. */
import { describe, expect, it } from 'vitest';
import { banSeconds } from '../../../src/adapters/im/group-bans.ts';
import { createImSender } from '../../../src/adapters/im/im-adapter.ts';
import { ConfirmedEvents } from '../../../src/adapters/confirmed-events.ts';
import { OutageWatch } from '../../../src/adapters/outage-watch.ts';
import { sendRun } from '../../../src/adapters/send-run.ts';
import type { AppCode, EventId, RoomVersion } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { createSeededRandom } from '../../../src/drivers/memory/seeded-random.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { AskOwner } from '../../../src/owners/ask-owner.ts';
import { banSecondsMax } from '../../../src/ports/im-client.ts';
import type { ImClient, SendOutcome } from '../../../src/ports/im-client.ts';
import type { EventEnvelope } from '../../../src/protocol/records.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { alice, asUser, kicked, owner, room, unbanned } from '../../support/room-builders.ts';

const app = 'app1' as AppCode;
const callTimeoutMs = 1_000;
/** Behind it no call waits for its turn. */
const quietMs = 1_000;
const done: SendOutcome = { kind: 'done' };
const unanswered: SendOutcome = { kind: 'unknown', cause: 'timeout' };
const startMs = 1_700_000_000_000;

function envelopeOf(event: RoomEvent, nth = 1): EventEnvelope {
  return {
    ...{ eventId: `e${nth}` as EventId, appCode: app, roomId: room, eventType: event.type },
    ...{ roomVersion: BigInt(nth) as RoomVersion, eventIndex: 0, occurredAtMs: startMs },
    ...{ commandId: 'c1' as never, actorUserId: owner, event },
  };
}

const banFor = (ms: number): RoomEvent => ({ ...kicked(alice), expiresAtMs: startMs + ms });

interface Fakes {
  /** What the owner says of the user. */
  refusal?: () => string | null;
  /** Before the owner answers, or instead of it. */
  asked?: (time: ManualTime) => Promise<unknown>;
  /** How a call ends; by its name. */
  end?: (call: string) => SendOutcome;
  /** How long the message takes. */
  messageMs?: number;
  isOff?: boolean;
}

function rig(fakes: Fakes = {}) {
  const time = new ManualTime({ startWallMs: startMs });
  const ends: string[] = [];
  const metrics = {
    count: (name: string, labels?: Readonly<Record<string, string>>) => {
      if (name === 'adapter_im_bans_total') ends.push(labels?.['how'] ?? '');
    },
    gauge: () => undefined,
    observeMs: () => undefined,
  };
  const calls: string[] = [];
  const questions: unknown[] = [];
  const called = (call: string): Promise<SendOutcome> => {
    calls.push(call);
    return Promise.resolve(fakes.end?.(call.split(' ')[0] ?? '') ?? done);
  };
  const client: ImClient = {
    ensureGroup: () => called('group'),
    async sendGroupMessage() {
      if (fakes.messageMs !== undefined) await time.sleep(fakes.messageMs);
      return called('message');
    },
    sendGroupNotification: () => called('notification'),
    dissolveGroup: () => called('end'),
    banMember: (groupId, userId, seconds) => called(`ban ${groupId} ${userId} ${seconds}`),
    unbanMember: (groupId, userId) => called(`unban ${groupId} ${userId}`),
  };
  const askOwner = (async (call, asked) => {
    questions.push({ ...asked, withinMs: call.withinMs });
    await fakes.asked?.(time);
    const refusal = fakes.refusal === undefined ? 'USER_BANNED' : fakes.refusal();
    return {
      roomVersion: 7n as RoomVersion,
      ownerEpoch: 1n,
      answer: { kind: 'guard', refusal, onSeat: false },
    };
  }) as AskOwner;
  const sender = createImSender({
    clients: new Map([[app, client]]),
    clock: time,
    timers: time,
    rates: { perGroup: 30, perApp: 150 },
    bans: {
      apps: new Set(fakes.isOff === true ? [] : [app]),
      ...{ askOwner, callTimeoutMs, clock: time, metrics },
    },
  });
  const send = (event: RoomEvent) =>
    sender.send({ envelope: envelopeOf(event), envelopeBytes: new Uint8Array() });
  return { time, calls, questions, ends, metrics, sender, send };
}

const banned = 'USER_BANNED';
const absent = 'USER_NOT_PRESENT';

describe('a kick', () => {
  it('tells the group first, and then bans for what is left of the ban (PRES-7)', async () => {
    const r = rig();
    await r.time.advance(10_500);
    expect(await r.send(banFor(60_000))).toEqual(done);
    // 49.5 s are left; the vendor takes whole ones.
    expect(r.calls).toEqual(['message', 'ban rc_app1_room1 alice 50']);
    expect(r.ends).toEqual(['banned']);
    expect(r.questions).toMatchObject([
      { appCode: app, roomId: room, asker: { role: 'service' }, question: { userId: alice } },
    ]);
  });

  it('without an end bans for as long as the vendor can', async () => {
    const r = rig();
    await r.send(kicked(alice));
    expect(r.calls.at(-1)).toBe(`ban rc_app1_room1 alice ${banSecondsMax}`);
  });

  it('whose time is over bans nobody, and is done', async () => {
    const r = rig();
    await r.time.advance(60_000);
    expect(await r.send(banFor(60_000))).toEqual(done);
    expect([r.calls, r.ends]).toEqual([['message'], ['over']]);
  });

  it('whose message was not sent bans nobody yet', async () => {
    const r = rig({ end: () => ({ kind: 'throttled', error: '10023', retryAfterMs: 700 }) });
    expect(await r.send(banFor(60_000))).toMatchObject({ kind: 'throttled' });
    expect(r.calls).toEqual(['message']);
  });

  it('of an app that has bans switched off is the message alone, and its unban nothing', async () => {
    const r = rig({ isOff: true });
    expect(await r.send(banFor(60_000))).toEqual(done);
    expect(await r.send(unbanned(alice))).toEqual(done);
    expect([r.calls, r.questions]).toEqual([['message'], []]);
  });

  it('that the vendor refuses for good is not done', async () => {
    const error = 'ban_group_member: 10059';
    const r = rig({ end: (call) => (call === 'ban' ? { kind: 'permanent', error } : done) });
    expect(await r.send(banFor(60_000))).toEqual({ kind: 'permanent', error });
    expect(r.ends).toEqual([]);
  });
});

describe('an unban', () => {
  it('lets the user in again and tells nobody (PRES-11)', async () => {
    const r = rig({ refusal: () => absent });
    expect(await r.send(unbanned(alice))).toEqual(done);
    expect([r.calls, r.ends]).toEqual([['unban rc_app1_room1 alice'], ['unbanned']]);
  });

  it('of a ban whose time was over does so too, since the vendor may have another end', async () => {
    const r = rig({ refusal: () => absent });
    expect(await r.send(unbanned(alice, alice, 'expired'))).toEqual(done);
    expect(r.calls).toEqual(['unban rc_app1_room1 alice']);
  });
});

describe('races', () => {
  it('a ban that failed is over before its unban is sent', async () => {
    let isAway = true;
    const state = { refusal: banned };
    const r = rig({
      refusal: () => state.refusal,
      end: (call) => (call === 'ban' && isAway ? { kind: 'retryable', error: '10002' } : done),
    });
    await r.time.advance(quietMs);
    // Both wait in one run: the room takes its ban back behind the first try.
    const run = () => runOf(r, [kicked(alice), unbanned(alice)]);
    expect(await run()).toMatchObject({ kind: 'failed', failedRowId: 1n, deliveredRowIds: [] });
    expect(r.calls).not.toContain('unban rc_app1_room1 alice');
    [isAway, state.refusal] = [false, absent];
    expect(await run()).toMatchObject({ kind: 'delivered', rowIds: [1n, 2n] });
    expect(r.calls.at(-1)).toBe('unban rc_app1_room1 alice');
  });

  it.each([null, absent, 'ROOM_NOT_FOUND'])(
    'a ban that the room has taken back meanwhile is not made, and the event is done (%s)',
    async (refusal) => {
      const r = rig({ refusal: () => refusal });
      expect(await r.send(kicked(alice))).toEqual(done);
      expect([r.calls, r.ends]).toEqual([['message'], ['taken_back']]);
    },
  );

  it.each([banned, 'ROOM_NOT_FOUND'])(
    'an unban of somebody who was banned again is not made, and the event is done (%s)',
    async (refusal) => {
      const r = rig({ refusal: () => refusal });
      expect(await r.send(unbanned(alice))).toEqual(done);
      expect(r.calls).toEqual([]);
    },
  );

  it('a room that is over has its last bans carried out as they are', async () => {
    const r = rig({ refusal: () => 'ROOM_CLOSED' });
    await r.time.advance(quietMs);
    await r.send(kicked(alice));
    await r.send(unbanned(alice));
    expect(r.calls.map((call) => call.split(' ')[0])).toEqual(['message', 'ban', 'unban']);
  });

  it('a word that has grown old in a frozen process bans nobody', async () => {
    const r = rig({ asked: (time) => time.advance(callTimeoutMs + 1) });
    expect(await r.send(kicked(alice))).toMatchObject({ kind: 'throttled' });
    expect(r.calls).toEqual(['message']);
  });

  it('a message that took all the time leaves none for the ban', async () => {
    const r = rig({ messageMs: callTimeoutMs });
    const sending = r.send(kicked(alice));
    await r.time.advance(callTimeoutMs);
    expect(await sending).toMatchObject({ kind: 'throttled', retryAfterMs: 1_000 });
    expect([r.calls, r.questions]).toEqual([['message'], []]);
  });

  it('an event whose ban brought no answer rests until the request cannot be under way', async () => {
    for (const event of [kicked(alice), unbanned(alice)]) {
      const r = rig({
        refusal: () => (event.type === 'RoomUserKicked' ? banned : absent),
        end: (call) => (call === 'message' ? done : unanswered),
      });
      await r.time.advance(quietMs);
      const outcome = await r.send(event);
      expect(outcome).toEqual({
        kind: 'retryable',
        error: 'no answer: timeout',
        restMs: 10_000,
      });
      const finish = await runOf(r, [event]);
      expect(finish).toMatchObject({ countsAsTry: true, nextRetryAtMs: r.time.wallMs() + 10_000 });
    }
  });
});

describe('the owner', () => {
  it.each(['UNAVAILABLE', 'NOT_OWNER', 'DRAINING', 'OWNER_BUSY'])(
    'that cannot be asked is waited for, which is no try: %s',
    async (reason) => {
      const r = rig({ asked: () => Promise.reject(new Failure('retry', reason, reason)) });
      expect(await r.send(kicked(alice))).toMatchObject({ kind: 'throttled', retryAfterMs: 1_000 });
      expect(r.calls).toEqual(['message']);
    },
  );

  it('of a broken room counts as a try, so that the event ends before an operator', async () => {
    const broken = new Failure('corrupt', 'ROOM_CORRUPT', 'ROOM_CORRUPT');
    const r = rig({ asked: () => Promise.reject(broken) });
    expect(await r.send(kicked(alice))).toMatchObject({ kind: 'retryable' });
  });

  it('is asked within what is left of the first call’s time', async () => {
    const r = rig({ messageMs: 300 });
    const sending = r.send(kicked(alice));
    await r.time.advance(300);
    await sending;
    expect(r.questions).toMatchObject([{ withinMs: callTimeoutMs - 300 }]);
  });
});

it('what is left of a ban is never less than the room’s, and never too much for the vendor', () => {
  expect(banSeconds(10_000, 10_000)).toBe(0);
  expect(banSeconds(10_000, 20_000)).toBe(0);
  expect(banSeconds(10_001, 10_000)).toBe(1);
  expect(banSeconds(12_000, 10_000)).toBe(2);
  expect(banSeconds(Number.MAX_SAFE_INTEGER, 0)).toBe(banSecondsMax);
  expect(banSeconds(0, 10_000)).toBe(banSecondsMax);
});

/** The events as the rows of one run, from 1 on. */
function runOf({ time, metrics, sender }: ReturnType<typeof rig>, events: readonly RoomEvent[]) {
  const started = events.map((_, at) => ({
    row: { rowId: BigInt(at + 1), retryCount: 0, usefulUntilMs: null },
    event: {
      roomKey: roomKeyOf(app, room),
      rowId: BigInt(at + 1),
      claimToken: 'claim',
      isSuspect: false,
      envelope: Uint8Array.of(at),
    },
  }));
  const context = {
    sender,
    readEnvelope: ([at = 0]: Uint8Array) => {
      const envelope = envelopeOf(events[at] ?? kicked(asUser('nobody')), at + 1);
      return Promise.resolve({ kind: 'envelope', envelope } as const);
    },
    confirmed: new ConfirmedEvents(100),
    outage: new OutageWatch(),
    clock: time,
    random: createSeededRandom('bans'),
    log: new MemoryLog(),
    metrics,
    options: {
      ...{ lockMs: 60_000, sendTimeoutMs: 2 * callTimeoutMs, maxRetryCount: 10 },
      ...{ backoff: { initialMs: 200, maxMs: 1_000 }, concurrentRooms: 1, rememberedEvents: 100 },
    },
  };
  return sendRun(context, started, Infinity);
}
