/** Events to instant messaging: at which pace calls leave, and what becomes of apps without an account. */
import { describe, expect, it } from 'vitest';
import { createImSender } from '../../../src/adapters/im/im-adapter.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { ImClient, SendOutcome } from '../../../src/ports/im-client.ts';
import type { EventEnvelope } from '../../../src/protocol/records.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { left } from '../../support/room-builders.ts';

const app = 'app1' as AppCode;

function envelopeOf(roomId: string, nth: number, appCode = app): EventEnvelope {
  const event = left('u1' as UserId);
  return {
    ...{ eventId: `${roomId}-${nth}` as EventId, appCode, roomId: roomId as RoomId },
    ...{ eventType: event.type, roomVersion: BigInt(nth) as RoomVersion, eventIndex: 0 },
    ...{ occurredAtMs: 0, commandId: 'c1' as CommandId, actorUserId: 'u1' as UserId, event },
  };
}

function rig(rates: { readonly perGroup: number; readonly perApp: number }) {
  const time = new ManualTime();
  const sentAtMs: number[] = [];
  const done: SendOutcome = { kind: 'done' };
  const client: ImClient = {
    ensureGroup: () => Promise.resolve(done),
    sendGroupMessage: () => {
      sentAtMs.push(time.monoMs());
      return Promise.resolve(done);
    },
    sendGroupNotification: () => Promise.resolve(done),
    dissolveGroup: () => Promise.resolve(done),
    banMember: () => Promise.resolve(done),
    unbanMember: () => Promise.resolve(done),
  };
  const clients = new Map([[app, client]]);
  const metrics = { count: () => undefined, gauge: () => undefined, observeMs: () => undefined };
  const askOwner = () => Promise.reject(new Error('nobody is banned here'));
  const bans = { apps: new Set<AppCode>(), askOwner, callTimeoutMs: 1_000, clock: time, metrics };
  const sender = createImSender({ clients, clock: time, timers: time, rates, bans });
  const send = (roomId: string, nth: number): Promise<SendOutcome> =>
    sender.send({ envelope: envelopeOf(roomId, nth), envelopeBytes: new Uint8Array() });
  return { time, sender, sentAtMs, send };
}

/** Calls that left within the first `seconds`. */
async function leftWithin(
  { time, sentAtMs }: ReturnType<typeof rig>,
  seconds: number,
): Promise<number> {
  const startMs = time.monoMs();
  await settled();
  await time.advance(seconds * 1_000);
  return sentAtMs.filter((atMs) => atMs < startMs + seconds * 1_000).length;
}

describe('calls to the vendor', () => {
  it('of one group keep its rate, and the burst after a quiet time is small', async () => {
    const made = rig({ perGroup: 30, perApp: 150 });
    for (let nth = 1; nth <= 100; nth += 1) void made.send('r1', nth);
    const inFirst = await leftWithin(made, 1);
    expect(inFirst).toBeLessThanOrEqual(40);
    expect(inFirst).toBeGreaterThanOrEqual(29);
  });

  it('of one app keep its rate over all groups, and a share of it is a share', async () => {
    for (const perApp of [150, 50]) {
      const made = rig({ perGroup: 30, perApp });
      for (let nth = 1; nth <= 400; nth += 1) void made.send(`r${nth % 40}`, nth);
      const inTwo = await leftWithin(made, 2);
      expect(inTwo).toBeLessThanOrEqual(2 * perApp + 10);
      expect(inTwo).toBeGreaterThanOrEqual(2 * perApp - 10);
    }
  });

  it('for an app without an account are waited for as under a throttle, which is no try', async () => {
    const { sender } = rig({ perGroup: 30, perApp: 150 });
    const envelope = envelopeOf('r1', 1, 'app9' as AppCode);
    const outcome = await sender.send({ envelope, envelopeBytes: new Uint8Array() });
    expect(outcome).toMatchObject({ kind: 'throttled' });
  });
});
