/** Removals from RTC rooms: who is asked first, and what each end means for the event. */
import { describe, expect, it } from 'vitest';
import { createRtcSender } from '../../../src/adapters/rtc/rtc-adapter.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { GuardAsked } from '../../../src/owners/ask-guard.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import type { EventEnvelope } from '../../../src/protocol/records.ts';
import { ManualTime } from '../../support/manual-time.ts';

const app = 'app1' as AppCode;
const byUserId = 'boss' as UserId;
const userId = 'u1' as UserId;
const kicked: RoomEvent = { type: 'RoomUserKicked', userId, byUserId, reason: '', expiresAtMs: 0 };
const evicted: RoomEvent = { type: 'RoomUserEvicted', userId, byUserId, reason: '' };

function envelopeOf(event: RoomEvent | null, appCode = app): EventEnvelope {
  return {
    eventId: 'e1' as EventId,
    appCode,
    roomId: 'r1' as RoomId,
    eventType: event?.type ?? 'RoomUserBanished',
    roomVersion: 7n as RoomVersion,
    eventIndex: 0,
    occurredAtMs: 0,
    commandId: 'c1' as CommandId,
    actorUserId: byUserId,
    event,
  };
}

function rig(fakes: {
  refusal?: string | null;
  guard?: () => Promise<never>;
  end?: SendOutcome;
  callsPerSecond?: number;
}) {
  const time = new ManualTime();
  const asked: GuardAsked[] = [];
  const removed: string[] = [];
  const counted: string[] = [];
  const sender = createRtcSender({
    removers: new Map([
      [
        app,
        {
          removeUser: (room, user) => {
            removed.push(`${room}/${user}`);
            return Promise.resolve(fakes.end ?? { kind: 'done' });
          },
        },
      ],
    ]),
    askGuard: async (_call, about) => {
      asked.push(about);
      await fakes.guard?.();
      const refusal = fakes.refusal === undefined ? 'USER_BANNED' : fakes.refusal;
      return { refusal, onSeat: false, roomVersion: 7n, ownerEpoch: 1n };
    },
    callsPerSecond: fakes.callsPerSecond ?? 15,
    guardTimeoutMs: 1_000,
    clock: time,
    timers: time,
    metrics: {
      count: (_name, labels) => void counted.push(labels?.['how'] ?? ''),
      gauge: () => undefined,
      observeMs: () => undefined,
    },
  });
  const send = (event: RoomEvent | null, appCode = app) =>
    sender.send({ envelope: envelopeOf(event, appCode), envelopeBytes: new Uint8Array() });
  return { time, asked, removed, counted, send };
}

describe('a removal from RTC', () => {
  it.each([kicked, evicted])(
    'puts out whom $type names, once the guard says no (RTC-1)',
    async (event) => {
      const r = rig({});
      expect(await r.send(event)).toEqual({ kind: 'done' });
      expect(r.asked).toMatchObject([{ appCode: 'app1', roomId: 'r1', userId: 'u1' }]);
      expect(r.removed).toEqual(['r1/u1']);
      expect(r.counted).toEqual(['removed']);
    },
  );

  it('a user who was let in again meanwhile is not removed, and the event is done', async () => {
    const r = rig({ refusal: null });
    expect(await r.send(kicked)).toEqual({ kind: 'done' });
    expect(r.removed).toEqual([]);
    expect(r.counted).toEqual(['allowed_again']);
  });

  it('the guard is asked again before each further try', async () => {
    const r = rig({ end: { kind: 'unknown', cause: 'timeout' } });
    await r.time.advance(10_000);
    for (let n = 0; n < 3; n += 1) {
      expect(await r.send(kicked)).toEqual({ kind: 'unknown', cause: 'timeout' });
    }
    expect([r.asked.length, r.removed.length, r.counted.length]).toEqual([3, 3, 0]);
  });

  it.each(['UNAVAILABLE', 'NOT_OWNER', 'DRAINING', 'OWNER_BUSY'])(
    'waits, and counts no try, while the guard cannot be asked: %s',
    async (reason) => {
      const r = rig({ guard: () => Promise.reject(new Failure('retry', reason, reason)) });
      expect(await r.send(kicked)).toMatchObject({ kind: 'throttled', retryAfterMs: 1_000 });
      expect(r.removed).toEqual([]);
    },
  );

  it('a room that is broken counts its tries, and so ends before an operator', async () => {
    const r = rig({ guard: () => Promise.reject(new Failure('retry', 'ROOM_CORRUPT', 'broken')) });
    expect(await r.send(kicked)).toMatchObject({ kind: 'retryable' });
    expect(r.removed).toEqual([]);
  });

  it('a word that was heard before a long sleep is not acted on', async () => {
    const r = rig({ guard: () => r.time.advance(30_000) as Promise<never> });
    expect(await r.send(kicked)).toMatchObject({ kind: 'throttled' });
    expect(r.removed).toEqual([]);
  });

  it('an app without an account is done without a call, and counted (NEW-11)', async () => {
    const r = rig({});
    expect(await r.send(kicked, 'app2' as AppCode)).toEqual({ kind: 'done' });
    expect([r.asked, r.removed, r.counted]).toEqual([[], [], ['not_configured']]);
  });

  it('an event of a newer release waits for it, and other events ask for nothing', async () => {
    const r = rig({});
    expect(await r.send(null)).toMatchObject({ kind: 'throttled' });
    expect(await r.send({ type: 'RoomClosed' } as RoomEvent)).toEqual({ kind: 'done' });
    expect(r.asked).toEqual([]);
  });

  it.each([15, 5])(
    'goes out for one app at most as often a second as this process may call: %d',
    async (callsPerSecond) => {
      const r = rig({ callsPerSecond });
      const all = Promise.all(Array.from({ length: 35 }, () => r.send(kicked)));
      await r.time.advance(0);
      expect(r.removed.length).toBeLessThanOrEqual(5);
      await r.time.advance(1_000);
      expect(r.removed.length).toBeLessThanOrEqual(6 + callsPerSecond);
      expect(r.removed.length).toBeGreaterThanOrEqual(callsPerSecond);
      await r.time.advance(35_000 / callsPerSecond);
      await all;
      expect(r.removed).toHaveLength(35);
    },
  );
});
