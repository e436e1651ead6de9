/** Which events go into one call, what an answer to it means, and a receiver that takes no batches. */
import { describe, expect, it } from 'vitest';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { BatchEnd } from '../../../src/drivers/activity-answers.ts';
import {
  ActivityDelivery,
  batchBytesMax,
  batchesAgainAfterMs,
  batchEventsMax,
} from '../../../src/drivers/activity-delivery.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { ManualTime } from '../../support/manual-time.ts';

const codec = createCodec();
const timeoutMs = 3_000;

/** An event of one room; `users` makes it long. */
function envelope(version: number, users = 1): Uint8Array {
  return codec.encodeEnvelope({
    eventId: `6a0f8c1e-0000-5000-8000-${String(version).padStart(12, '0')}` as EventId,
    appCode: 'app1' as AppCode,
    roomId: 'r1' as RoomId,
    eventType: 'RoomUsersStaleLeft',
    roomVersion: BigInt(version) as RoomVersion,
    eventIndex: 0,
    occurredAtMs: 1,
    commandId: 'c' as CommandId,
    actorUserId: 'u' as UserId,
    event: {
      type: 'RoomUsersStaleLeft',
      userIds: Array.from({ length: users }, (_, at) => `user-${at}`.padEnd(32, '-') as UserId),
    },
  });
}

const run = (count: number, users?: number) =>
  Array.from({ length: count }, (_, at) => envelope(at + 1, users));

/** A delivery whose calls answer as given, and what they were asked. */
function rig(answers: {
  readonly single?: () => SendOutcome;
  readonly batch?: (sent: number, time: ManualTime) => BatchEnd | Promise<BatchEnd>;
}) {
  const time = new ManualTime();
  const calls: string[] = [];
  const deadlines: number[] = [];
  const delivery = new ActivityDelivery(
    {
      ingest({ envelope: event }, limitMs) {
        calls.push(`single ${event.roomVersion}`);
        deadlines.push(limitMs);
        return Promise.resolve(answers.single?.() ?? { kind: 'done' });
      },
      async ingestBatch(events, limitMs) {
        calls.push(`batch ${events.map(({ envelope: { roomVersion } }) => roomVersion).join()}`);
        deadlines.push(limitMs);
        const all: BatchEnd = { kind: 'answered', taken: events.length, notTaken: null };
        return (await answers.batch?.(events.length, time)) ?? all;
      },
    },
    timeoutMs,
    { clock: time, codec },
  );
  return { time, calls, deadlines, delivery };
}

const status = (name: string, retryAfterMs: number | null = null) => ({
  status: name,
  message: 'so it says',
  retryAfterMs,
});
const failed = (name: string, retryAfterMs?: number): BatchEnd => ({
  kind: 'failed',
  ...status(name, retryAfterMs),
});

describe('what goes into one call', () => {
  it('is a single event for one, and a batch for more', async () => {
    const { delivery, calls } = rig({});
    expect(await delivery.ingestBatch(run(1))).toEqual({ sent: 1, taken: 1, next: null });
    expect(await delivery.ingestBatch(run(3))).toEqual({ sent: 3, taken: 3, next: null });
    expect(calls).toEqual(['single 1', 'batch 1,2,3']);
  });

  it('has a most of events', async () => {
    const { delivery } = rig({});
    const outcome = await delivery.ingestBatch(run(batchEventsMax + 1));
    expect(outcome).toEqual({ sent: batchEventsMax, taken: batchEventsMax, next: null });
  });

  it('has a most of bytes, and one event beyond it goes alone', async () => {
    const { delivery, calls } = rig({});
    const [long] = run(1, 6_000);
    expect(long?.length).toBeGreaterThan(batchBytesMax / 3);
    expect(await delivery.ingestBatch(run(4, 6_000))).toMatchObject({ sent: 2 });
    expect(await delivery.ingestBatch(run(2, 20_000))).toMatchObject({ sent: 1 });
    expect(calls).toEqual(['batch 1,2', 'single 1']);
  });
});

describe('an answer to a batch', () => {
  it.each([
    [7, null],
    [7, status('UNAVAILABLE')],
    [-1, status('UNAVAILABLE')],
    [2, null],
    [3, status('UNAVAILABLE')],
    [1, status('OK')],
  ])('of 3 that says %i taken and then %o is none', async (taken, notTaken) => {
    const { delivery } = rig({ batch: () => ({ kind: 'answered', taken, notTaken }) });
    expect(await delivery.ingestBatch(run(3))).toMatchObject({
      sent: 3,
      taken: 0,
      next: { kind: 'unknown', cause: expect.stringContaining('no sense') as string },
    });
  });

  it('may say of the next one that it was there', async () => {
    const notTaken = status('ALREADY_EXISTS');
    const { delivery } = rig({ batch: () => ({ kind: 'answered', taken: 1, notTaken }) });
    expect(await delivery.ingestBatch(run(3))).toEqual({ sent: 2, taken: 2, next: null });
  });

  it.each([
    ['UNAVAILABLE', undefined, 'unknown'],
    ['INTERNAL', undefined, 'retryable'],
    ['RESOURCE_EXHAUSTED', 700, 'throttled'],
  ])('that is %s as a whole is said of the first', async (name, pauseMs, kind) => {
    const { delivery, calls } = rig({ batch: () => failed(name, pauseMs) });
    expect(await delivery.ingestBatch(run(3))).toMatchObject({ taken: 0, next: { kind } });
    expect(calls).toHaveLength(1);
  });

  it.each(['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE', 'RESOURCE_EXHAUSTED'])(
    'that is %s as a whole gives up no event: the first is asked for alone',
    async (name) => {
      const { delivery, calls } = rig({ batch: () => failed(name) });
      expect(await delivery.ingestBatch(run(3))).toEqual({ sent: 1, taken: 1, next: null });
      await delivery.ingestBatch(run(2));
      expect(calls).toEqual(['batch 1,2,3', 'single 1', 'batch 1,2', 'single 1']);
    },
  );
});

describe('a receiver that takes no batches', () => {
  it('gets single events, and is asked again after a time', async () => {
    let isOld = true;
    const { delivery, calls, time } = rig({
      batch: (sent) =>
        isOld ? failed('UNIMPLEMENTED') : { kind: 'answered', taken: sent, notTaken: null },
    });
    expect(await delivery.ingestBatch(run(3))).toEqual({ sent: 1, taken: 1, next: null });
    isOld = false;
    await time.advance(batchesAgainAfterMs - 1);
    await delivery.ingestBatch(run(3));
    await time.advance(1);
    expect(await delivery.ingestBatch(run(3))).toEqual({ sent: 3, taken: 3, next: null });
    expect(calls).toEqual(['batch 1,2,3', 'single 1', 'single 1', 'batch 1,2,3']);
  });

  it('gets the single one within what is left of the deadline', async () => {
    const { delivery, deadlines } = rig({
      batch: async (_, time) => {
        await time.advance(1_200);
        return failed('UNIMPLEMENTED');
      },
    });
    await delivery.ingestBatch(run(3));
    expect(deadlines).toEqual([timeoutMs, timeoutMs - 1_200]);
  });
});
