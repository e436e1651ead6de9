/** Heartbeats gather, go out as one record, and each gets its own answer. */
import { describe, expect, test } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { MicSessionId, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { ExchangeEnd, ExchangeRequest } from '../../../src/gateway/exchange.ts';
import { createHeartbeatFolder } from '../../../src/gateway/heartbeat-folder.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import type { GatewayLimits } from '../../../src/gateway/limits.ts';
import type { HeartbeatFold } from '../../../src/protocol/records.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { appCode, CountingMetrics, outcomeOf } from './gateway-fakes.ts';

const partitionCount = 8;
/** When the cell says that it heard a fold. */
const heardAtMs = 1_700_000_000_123;

function rig(change: Partial<GatewayLimits> = {}) {
  const limits = { ...defaultGatewayLimits, ...change };
  const time = new ManualTime();
  const sent: { request: ExchangeRequest; answer: (end: ExchangeEnd) => void }[] = [];
  const exchange = (request: ExchangeRequest): Promise<ExchangeEnd> =>
    new Promise((resolve) => sent.push({ request, answer: resolve }));
  const ports = { timers: time, metrics: new CountingMetrics() };
  const folder = createHeartbeatFolder(ports, { exchange, limits, partitionCount });
  const micBeat = (
    user: string,
    session: string,
    room = 'r1',
    timeoutMs = 5_000,
    publishing = false,
  ) => {
    const roomId = room as RoomId;
    const roomKey = roomKeyOf(appCode, roomId);
    const micSessionId = session as MicSessionId | '';
    const actorUserId = user as UserId;
    const heartbeat = { appCode, roomId, roomKey, actorUserId, micSessionId, publishing };
    return outcomeOf(folder.beat(heartbeat, timeoutMs));
  };
  const beat = (user: string, room?: string, timeoutMs?: number) =>
    micBeat(user, '', room, timeoutMs);
  const items = (index = 0) => (sent[index]?.request.record as HeartbeatFold).items;
  const answer = (
    index: number,
    notPresent: number[],
    notActive: number[] = [],
    micStale: number[] = [],
  ) => {
    const lists = { notPresent, notActive, micStale };
    sent[index]?.answer({ kind: 'reply', reply: { kind: 'heartbeats', heardAtMs, ...lists } });
    return settled();
  };
  return { time, sent, folder, beat, micBeat, items, answer };
}

describe('heartbeats of one partition', () => {
  test('gather for the fold time and go out as one record on that partition', async () => {
    const { time, sent, beat, items } = rig();
    beat('u1');
    beat('u2');
    await time.advance(249);
    expect(sent).toHaveLength(0);
    await time.advance(1);
    expect(sent).toHaveLength(1);
    expect(items().map(({ userId }) => userId)).toEqual(['u1', 'u2']);
    const { request } = sent[0] as (typeof sent)[number];
    const partition = partitionOf(roomKeyOf(appCode, 'r1' as RoomId), partitionCount);
    expect(request).toMatchObject({ partition, ttlMs: null });
    expect(new TextDecoder().decode(request.key)).toBe('hb');
  });

  test('of one user share one item and one answer', async () => {
    const { time, beat, items, answer } = rig();
    const [first, second] = [beat('u1'), beat('u1')];
    await time.advance(250);
    expect(items()).toHaveLength(1);
    await answer(0, [0]);
    for (const outcome of [first, second]) {
      expect(outcome.now()).toMatchObject({ failure: { reason: 'USER_NOT_PRESENT' } });
    }
  });

  test('of a mic session and of presence alone are two items', async () => {
    const { time, beat, micBeat, items } = rig();
    beat('u1');
    micBeat('u1', 's1');
    micBeat('u1', 's1');
    micBeat('u1', 's0');
    await time.advance(250);
    expect(items().map(({ micSessionId }) => micSessionId)).toEqual(['', 's1', 's0']);
  });

  test('that say they publish go out as a record of their own, which says so', async () => {
    const { time, sent, micBeat, items } = rig();
    micBeat('u1', 's1');
    micBeat('u1', 's1', 'r1', 5_000, true);
    micBeat('u2', 's2', 'r1', 5_000, true);
    await time.advance(250);
    expect(sent.map(({ request }) => request.headers)).toEqual([{}, { 'rc-mic-publishing': '1' }]);
    expect(items(0).map(({ micSessionId }) => micSessionId)).toEqual(['s1']);
    expect(items(1).map(({ micSessionId }) => micSessionId)).toEqual(['s1', 's2']);
  });

  test('are sent at once when a fold is full', async () => {
    const { sent, beat } = rig({ heartbeatFoldItemsMax: 2 });
    beat('u1');
    beat('u2');
    beat('u3');
    await settled();
    expect(sent).toHaveLength(1);
  });

  test('of 10,000 users who each send one in 30 seconds are four records a second (PRES-23)', async () => {
    const { time, sent, beat, items } = rig();
    const [foldMs, users] = [250, 10_000];
    const folds = 30_000 / foldMs;
    for (let fold = 0, next = 0; fold < folds; fold += 1) {
      for (; next < ((fold + 1) * users) / folds; next += 1) beat(`u${next}`);
      await time.advance(foldMs);
    }
    expect(sent).toHaveLength(120);
    const people = sent.flatMap((_, index) => items(index).map(({ userId }) => userId));
    expect(new Set(people).size).toBe(users);
  });

  test('that come after a fold was sent begin the next one', async () => {
    const { time, sent, beat, items } = rig();
    beat('u1');
    await time.advance(250);
    beat('u2');
    await time.advance(250);
    expect(sent).toHaveLength(2);
    expect(items(1).map(({ userId }) => userId)).toEqual(['u2']);
  });
});

test('rooms of different partitions never share a record', async () => {
  const { time, sent, beat } = rig();
  for (let room = 0; room < 40; room += 1) beat('u1', `room-${room}`);
  await time.advance(250);
  const partitions = sent.map(({ request }) => request.partition);
  expect(new Set(partitions).size).toBe(partitions.length);
  for (const { request } of sent) {
    for (const item of (request.record as HeartbeatFold).items) {
      const key = roomKeyOf(item.appCode, item.roomId);
      expect(partitionOf(key, partitionCount)).toBe(request.partition);
    }
  }
});

describe('the answer', () => {
  test('tells each user whether it is present', async () => {
    const { time, beat, answer } = rig();
    const outcomes = [beat('u1'), beat('u2'), beat('u3')];
    await time.advance(250);
    await answer(0, [1], [2]);
    expect(outcomes.map((outcome) => outcome.now())).toMatchObject([
      { kind: 'value', value: heardAtMs },
      { failure: { reason: 'USER_NOT_PRESENT', facts: { user_id: 'u2' } } },
      { failure: { reason: 'ROOM_CLOSED', facts: { room_status: 'not_active' } } },
    ]);
  });

  test('tells whose mic session is over, and nobody else', async () => {
    const { time, beat, micBeat, answer } = rig();
    const outcomes = [micBeat('u1', 'old'), beat('u1'), micBeat('u2', 's2')];
    await time.advance(250);
    await answer(0, [], [], [0]);
    expect(outcomes.map((outcome) => outcome.now())).toMatchObject([
      { failure: { reason: 'MIC_SESSION_STALE', facts: { mic_session_id: 'old' } } },
      { kind: 'value', value: heardAtMs },
      { kind: 'value', value: heardAtMs },
    ]);
  });

  test('that refuses the fold refuses everybody in it', async () => {
    const { time, sent, beat } = rig();
    const outcome = beat('u1');
    await time.advance(250);
    const reply = { kind: 'refusal', reason: 'DRAINING', facts: {}, retryAfterMs: 50 } as const;
    sent[0]?.answer({ kind: 'reply', reply });
    await settled();
    expect(outcome.now()).toMatchObject({ failure: { reason: 'DRAINING', retryAfterMs: 50 } });
  });

  test('that never comes is unknown to each caller at its own deadline', async () => {
    const { time, beat } = rig();
    const [hasty, patient] = [beat('u1', 'r1', 300), beat('u2', 'r1', 5_000)];
    await time.advance(300);
    expect(hasty.now()).toMatchObject({ failure: { reason: 'OUTCOME_UNKNOWN' } });
    expect(patient.now()).toEqual({ kind: 'pending' });
  });

  test('names an index beyond the items without harm', async () => {
    const { time, beat, answer } = rig();
    const outcome = beat('u1');
    await time.advance(250);
    await answer(0, [7], [9], [8]);
    expect(outcome.now()).toMatchObject({ kind: 'value' });
  });
});

test('too many waiting heartbeats are refused, and fewer are taken again', async () => {
  const { time, beat, answer } = rig({ heartbeatWaitersMax: 1 });
  const first = beat('u1');
  expect(await refusedReason(beat('u2'))).toBe('GATEWAY_BUSY');
  await time.advance(250);
  await answer(0, []);
  expect(first.now()).toMatchObject({ kind: 'value' });
  const third = beat('u3');
  await settled();
  expect(third.now()).toEqual({ kind: 'pending' });
});

test('a flush sends what has gathered', async () => {
  const { sent, folder, beat } = rig();
  beat('u1');
  folder.flush();
  await settled();
  expect(sent).toHaveLength(1);
});

async function refusedReason(outcome: ReturnType<typeof outcomeOf<number>>): Promise<string> {
  await settled();
  const end = outcome.now();
  return end.kind === 'thrown' ? end.failure.reason : end.kind;
}
