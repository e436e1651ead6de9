/** An RTC callback on its way into its room (RTC-4, PRES-15). */
import { beforeEach, describe, expect, it } from 'vitest';
import { createApplyRtcEvent } from '../../../src/gateway/apply-rtc-event.ts';
import type { RtcEvents, RtcUserEvent } from '../../../src/ports/rtc-events.ts';
import { partitionKeyBytes, partitionOf } from '../../../src/protocol/partition.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';
import { quietLog as silentLog } from '../../../src/main/commands/quiet-ports.ts';
import { appCode, codec, CountingMetrics, FakeSink, roomId, roomKey } from './gateway-fakes.ts';

const partitionCount = 16;
const exited: RtcUserEvent = {
  appCode,
  sdkAppId: 1_400_000_001,
  roomId,
  userId: 'u1',
  kind: 'room_exited',
  eventTimeMs: 1_700_000_000_123,
};

let sink: FakeSink;
let metrics: CountingMetrics;
let apply: RtcEvents['applyRtcEvent'];
let level: () => Promise<number>;

beforeEach(() => {
  sink = new FakeSink();
  metrics = new CountingMetrics();
  level = () => Promise.resolve(schemaLevel);
  const schemaRegistry = { level: () => level() };
  const ports = { codec, commandSink: sink, schemaRegistry, metrics, log: silentLog };
  apply = createApplyRtcEvent(ports, partitionCount);
});

function commandIdOf(index: number): string {
  const record = sink.read(index);
  return record.kind === 'command' ? record.commandId : record.kind;
}

describe('a callback about a user of a room', () => {
  it('becomes a command of that user, in the room’s own partition', async () => {
    expect(await apply(exited)).toBe('taken');
    expect(sink.produced[0]).toMatchObject({
      partition: partitionOf(roomKey, partitionCount),
      key: partitionKeyBytes(roomKey),
    });
    expect(sink.read()).toMatchObject({
      kind: 'command',
      appCode,
      roomId,
      actorUserId: 'u1',
      actorRole: 'rtc',
      snapshotMode: 'none',
      body: { type: 'ApplyRtcEvent', kind: 'room_exited', eventTimeMs: exited.eventTimeMs },
    });
  });

  it('has no deadline and no reply, so that no cap and no outage of a gateway drops it', async () => {
    await apply(exited);
    expect(sink.header('ttlMs')).toBeUndefined();
    expect(sink.header('correlationId')).toBeUndefined();
    expect(sink.header('replyPartition')).toBeUndefined();
    expect(sink.header('crc32c')).toMatch(/^[0-9a-f]{8}$/);
  });

  it('that comes again becomes the same command id, which the room decides once (RTC-4)', async () => {
    await apply(exited);
    await apply(exited);
    expect(commandIdOf(0)).toMatch(/^rtc:[0-9a-f-]{36}$/);
    expect(commandIdOf(1)).toBe(commandIdOf(0));
  });

  it.each([
    ['another time', { eventTimeMs: exited.eventTimeMs + 1 }],
    ['another kind', { kind: 'audio_stopped' as const }],
    ['another user', { userId: 'u2' }],
    ['another room', { roomId: 'r2' }],
    ['another app', { appCode: 'app2' }],
    ['another RTC application', { sdkAppId: 1_400_000_002 }],
  ])('with %s becomes another command id', async (_, change) => {
    await apply(exited);
    await apply({ ...exited, ...change });
    expect(commandIdOf(1)).not.toBe(commandIdOf(0));
  });
});

describe('when the topic does not take it', () => {
  it('a callback that was not sent is refused, and nothing of it is there', async () => {
    sink.produceOutcome = () => Promise.resolve({ kind: 'notSent', cause: 'away' });
    await expect(apply(exited)).rejects.toMatchObject({
      kind: 'retry',
      reason: 'UNAVAILABLE',
      facts: { produced: 'no' },
    });
  });

  it('a callback whose produce is unknown is asked for again under the same id', async () => {
    sink.produceOutcome = () => Promise.resolve({ kind: 'unknown', cause: 'no answer' });
    await expect(apply(exited)).rejects.toMatchObject({ facts: { produced: 'unknown' } });
    sink.produceOutcome = () => Promise.resolve({ kind: 'stored', offset: 1n });
    expect(await apply(exited)).toBe('taken');
    expect(commandIdOf(1)).toBe(commandIdOf(0));
  });
});

describe('while an upgrade is under way', () => {
  it('a callback is refused before the topic, where a former cell would set it aside', async () => {
    level = () => Promise.resolve(2);
    await expect(apply(exited)).rejects.toMatchObject({ reason: 'NOT_YET_ENABLED' });
    expect(sink.produced).toEqual([]);
    level = () => Promise.resolve(schemaLevel);
    expect(await apply(exited)).toBe('taken');
  });
});

describe('a callback that can be about nobody of ours', () => {
  it.each([
    ['no user', { userId: '' }],
    ['a user with a letter that ids lack', { userId: 'ü' }],
    ['no room', { roomId: '' }],
    ['a room with a space', { roomId: 'r 1' }],
  ])('with %s is ignored, and counted', async (_, change) => {
    expect(await apply({ ...exited, ...change })).toBe('ignored');
    expect(sink.produced).toEqual([]);
    expect(metrics.counts.get('gateway_rtc_events_total ignored')).toBe(1);
  });
});
