/** What the memory broker and the memory database do when they have grown as far as they may. */
import { describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../../src/drivers/memory/memory-broker.ts';
import { MemoryCommitLane } from '../../../../src/drivers/memory/memory-commit-lane.ts';
import { MemoryDatabase } from '../../../../src/drivers/memory/memory-database.ts';
import { createMemoryDrivers } from '../../../../src/drivers/memory/memory-drivers.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import type { CommitOutcome } from '../../../../src/ports/commit-lane.ts';
import { emptyBatch, freshRoomId, keyOf, logRowOf } from '../../../support/lane-batches.ts';
import { seededRandom } from '../../../support/memory-log-space.ts';

const kibibyte = 1_024;

function brokerWith(retentionBytes?: number): MemoryBroker {
  const time = new VirtualTime();
  const broker = new MemoryBroker(
    { clock: time, timers: time, random: seededRandom(1) },
    retentionBytes === undefined ? {} : { retentionBytes },
  );
  broker.createTopic('events', 2, 'CreateTime');
  return broker;
}

function append(broker: MemoryBroker, count: number, bytes = kibibyte): void {
  const one = { partition: 1, key: null, value: new Uint8Array(bytes), headers: {} };
  for (let at = 0; at < count; at += 1) broker.append('events', [one], 'all');
}

function kept(broker: MemoryBroker): readonly bigint[] {
  const partition = broker.topic('events').partition(1);
  return partition.read(partition.range().startOffset, Infinity).map(({ offset }) => offset);
}

describe('a partition of the memory broker', () => {
  it('drops its oldest records when it is too heavy, and begins behind them', () => {
    const broker = brokerWith(64 * kibibyte);
    append(broker, 1_000);
    const offsets = kept(broker);
    expect(offsets.at(-1)).toBe(999n);
    expect(broker.topic('events').partition(1).range()).toEqual({
      startOffset: offsets[0],
      endOffset: 1_000n,
    });
    // Never more than the limit, never less than half of it, records weighing about 1.5 KiB.
    expect(offsets.length).toBeGreaterThan(20);
    expect(offsets.length).toBeLessThan(64);
    expect(broker.topic('events').partition(0).range().startOffset).toBe(0n);
  });

  it('keeps a record that is too heavy all alone, until the next one comes', () => {
    const broker = brokerWith(kibibyte);
    append(broker, 1, 4 * kibibyte);
    expect(kept(broker)).toEqual([0n]);
    append(broker, 1, 4 * kibibyte);
    expect(kept(broker)).toEqual([1n]);
  });

  it('forgets what was deleted by hand when it weighs what is left', () => {
    const broker = brokerWith(64 * kibibyte);
    append(broker, 30);
    broker.topic('events').partition(1).moveStart(29n);
    append(broker, 30);
    expect(kept(broker)).toHaveLength(31);
  });

  it('keeps everything unless it has a limit', () => {
    const broker = brokerWith();
    append(broker, 1_000);
    expect(kept(broker)).toHaveLength(1_000);
  });
});

describe('a full memory database', () => {
  it('refuses commits as unavailable, and answers what it holds', async () => {
    const time = new VirtualTime({ startWallMs: 1_000 });
    const database = new MemoryDatabase({ clock: time, timers: time }, { logRowsMax: 2 });
    const lane = new MemoryCommitLane(database);
    const roomId = freshRoomId();
    const taken = {
      partition: 0,
      epoch: 1n,
      appliedOffset: -1n,
      settledOffsets: [],
      wasReleased: true,
      stalledTakeovers: 0,
      tried: null,
      appliedRecordMs: null,
      acceptedHint: -1n,
      replayUntil: -1n,
    };
    const rows = [1n, 2n, 3n].map((version) => logRowOf(taken, roomId, version));
    const outcomes: CommitOutcome[] = [];
    for (const row of rows) {
      outcomes.push(await lane.commit({ ...emptyBatch, logRows: [row] }, Promise.resolve(true)));
    }
    expect(outcomes).toEqual([
      { kind: 'committed' },
      { kind: 'committed' },
      { kind: 'unavailable', cause: 'the memory database is full' },
    ]);
    const ids = rows.map(({ commandId }) => ({ roomKey: keyOf(roomId), commandId }));
    const found = await createMemoryDrivers(database).roomReader.findResults(ids);
    expect(found.map(({ commandId }) => commandId).sort()).toEqual(
      rows.slice(0, 2).map(({ commandId }) => commandId),
    );
    await lane.stop();
  });
});
