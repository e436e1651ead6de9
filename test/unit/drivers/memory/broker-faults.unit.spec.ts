/** What the memory broker alone can do at will, and that it does nothing of the kind by itself. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../../../src/drivers/memory/memory-broker.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { crc32cHex } from '../../../../src/protocol/crc32c.ts';
import { offsetRange, produceMany } from '../../../support/log-space.ts';
import { openMemoryLogSpace, seededRandom } from '../../../support/memory-log-space.ts';
import type { MemoryLogSpace } from '../../../support/memory-log-space.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { startWatched } from '../../../support/watched-source.ts';
import type { WatchedSource } from '../../../support/watched-source.ts';

const all = [0, 1, 2, 3];

describe('the fault board of the memory broker', () => {
  let space: MemoryLogSpace;
  let commands: string;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    space = await openMemoryLogSpace();
    commands = space.topics.commands;
  });
  afterEach(async () => {
    await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
    // A fault that nothing met would have tested nothing.
    expect(space.broker.faults.unmet).toEqual([]);
    await space.close();
  });

  async function startSink() {
    const sink = space.commandSink({}, space.deps());
    cleanUps.push(() => sink.stop());
    await sink.start();
    return sink;
  }
  async function startReader(instanceName: string): Promise<WatchedSource> {
    const deps = space.deps();
    const source = space.commandSource({ instanceName }, deps);
    cleanUps.push(() => source.stop());
    return startWatched(source, deps, instanceName);
  }

  it('a batch in hand comes after the pause, and those behind it after it', async () => {
    const sink = await startSink();
    const reader = await startReader('cell-0');
    await reader.assigned(all);
    space.broker.faults.add({ kind: 'lateBatch', client: 'cell-0', partition: 1, after: 'pause' });
    reader.source.open(1, 0n);
    await produceMany(sink, 1, 2);
    await waitUntil('the batch met', () => Promise.resolve(space.broker.faults.unmet.length === 0));
    await produceMany(sink, 1, 2, 2);
    expect(reader.records).toEqual([]);
    await space.pass(500);
    reader.source.pause(1);
    expect(reader.records).toEqual([]);
    await reader.upTo(1, 3n);
    expect(reader.offsetsOf(1)).toEqual(offsetRange(0, 4));
  });

  it('a record for a partition just lost comes after its loss was told', async () => {
    const sink = await startSink();
    const first = await startReader('cell-0');
    await first.assigned(all);
    all.forEach((partition) => {
      const fault = { kind: 'lateBatch', client: 'cell-0', partition, after: 'loss' } as const;
      space.broker.faults.add(fault);
      first.source.open(partition, 0n);
    });
    await Promise.all(all.map((partition) => produceMany(sink, partition, 1)));
    await waitUntil('all in hand', () => Promise.resolve(space.broker.faults.unmet.length === 0));
    const second = await startReader('cell-1');
    const lost = await second.assignedCount(2);
    await first.assignedCount(2);
    await waitUntil('the late ones', () => Promise.resolve(first.records.length === 2));
    expect(first.records.map(({ partition }) => partition)).toEqual(lost);
  });

  it('redelivery repeats what was handed over and never runs ahead of a paused position', async () => {
    const sink = await startSink();
    const reader = await startReader('cell-0');
    await reader.assigned(all);
    reader.source.open(2, 0n);
    await produceMany(sink, 2, 3);
    await reader.upTo(2, 2n);
    reader.source.pause(2);
    const fault = { kind: 'redelivery', client: 'cell-0', partition: 2, fromOffset: 1n } as const;
    space.broker.faults.add(fault);
    await produceMany(sink, 2, 2, 3);
    await space.pass(500);
    expect(reader.offsetsOf(2)).toEqual(offsetRange(0, 3));
    reader.source.resume(2);
    await reader.upTo(2, 4n);
    expect(reader.offsetsOf(2)).toEqual([0n, 1n, 2n, 1n, 2n, 3n, 4n]);
  });

  it('bad bytes arrive with the checksum of the good ones', async () => {
    const sink = await startSink();
    space.broker.faults.add({ kind: 'badBytes', topic: commands });
    await produceMany(sink, 0, 1);
    const reader = await startReader('cell-0');
    await reader.assigned(all);
    reader.source.open(0, 0n);
    await reader.upTo(0, 0n);
    const [record] = reader.records;
    expect(record?.headers['rc-crc32c']).toBe(crc32cHex(Buffer.from('p0:0')));
    expect(record?.headers['rc-crc32c']).not.toBe(crc32cHex(record?.value ?? new Uint8Array()));
  });

  it('not stored, and the sender can tell', async () => {
    const sink = await startSink();
    space.broker.faults.add({ kind: 'notStored', topic: commands, isCertain: true });
    const record = { partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: {} };
    expect((await sink.produce(record)).kind).toBe('notSent');
    expect(await sink.endOffset(0)).toBe(0n);
  });

  it('acknowledged by a leader that died: a reply is gone, a command never is', async () => {
    const { replies } = space.topics;
    for (const topic of [replies, commands]) {
      space.broker.faults.add({ kind: 'ackWithoutStore', topic });
    }
    const replySink = space.replySink({}, space.deps());
    cleanUps.push(() => replySink.stop());
    await replySink.start();
    replySink.send([{ replyPartition: 0, correlationId: 'a', value: Buffer.from('a') }]);
    await replySink.flush();
    expect((await space.range(replies, 0)).endOffset).toBe(0n);
    await produceMany(await startSink(), 0, 1);
    expect((await space.range(commands, 0)).endOffset).toBe(1n);
    // The one for commands fits no sender that asks all replicas.
    expect(space.broker.faults.take(['ackWithoutStore'], () => true)?.topic).toBe(commands);
  });

  it('a stale member’s commit is refused by itself, and accepted by fault', async () => {
    const groupId = `${space.prefix}.cells`;
    const group = space.broker.group(groupId, commands);
    const offsets = [{ partition: 0, offsetNext: 7n }];
    expect(() => group.commit('a stranger', 1, offsets)).toThrow('UNKNOWN_MEMBER_ID');
    expect(group.offsetOf(0)).toBeNull();
    space.broker.faults.add({ kind: 'staleCommitAccepted', groupId });
    group.commit('a stranger', 1, offsets);
    expect(group.offsetOf(0)).toBe(7n);
  });

  it('a join leaves a member without partitions although there are enough', async () => {
    const groupId = `${space.prefix}.cells`;
    const first = await startReader('cell-0');
    await first.assigned(all);
    space.broker.faults.add({ kind: 'nothingAssigned', groupId, instanceName: 'cell-1' });
    const second = await startReader('cell-1');
    await second.assignedCount(0);
    await first.assigned(all);
  });

  it('a forgotten member whose join is cut off goes on with what it had, and is given up after a session (A2)', async () => {
    const group = space.broker.group(`${space.prefix}.cells`, commands);
    const sink = await startSink();
    const reader = await startReader('cell-0');
    await reader.assigned(all);
    reader.source.open(0, 0n);
    // At the moment at which it hears that it is forgotten, and before its join is on its way.
    reader.rebalancings.push = () => {
      space.broker.setReach('cell-0', 'refused');
      return 0;
    };
    let memberId = '';
    group.onHeartbeat = (id) => (memberId = id);
    await waitUntil('a heartbeat', () => Promise.resolve(memberId !== ''));
    group.leave(memberId);
    await space.pass(500);
    space.broker.setReach('cell-0', 'open');
    await produceMany(sink, 0, 3);
    await reader.upTo(0, 2n);
    expect([group.size, reader.assignments]).toEqual([0, [all]]);
    await waitUntil('a member again', () => Promise.resolve(group.size === 1));
    await reader.assigned(all);
    expect(reader.assignments).toEqual([all, [], all]);
  });

  it('a frozen process gives nothing up, however long; a living one behind a silence does', async () => {
    const ask = (client: string) => space.broker.connect(client).ask(() => 'answer', 100);
    space.broker.setReach('frozen', 'frozen');
    space.broker.setReach('cut off', 'silent');
    const patient = ask('frozen');
    await expect(ask('cut off')).rejects.toMatchObject({ wasSent: true });
    await space.pass(1_000);
    space.broker.setReach('frozen', 'open');
    expect(await patient).toBe('answer');
  });

  it('a silent broker: the sender gives up in time, and the record is stored when it thaws', async () => {
    const sink = space.commandSink({ settleWithinMs: 600 }, space.deps());
    cleanUps.push(() => sink.stop());
    await sink.start();
    space.broker.setReach(null, 'silent');
    const record = { partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: {} };
    expect((await sink.produce(record)).kind).toBe('unknown');
    expect((await space.range(commands, 0)).endOffset).toBe(0n);
    space.broker.setReach(null, 'open');
    await waitUntil('stored after all', async () => {
      return (await space.range(commands, 0)).endOffset === 1n;
    });
  });
});

describe('the memory broker under virtual time', () => {
  /** Everything that a reader sees of a rebalance under load, with its times. */
  async function traceOf(seed: number): Promise<string[]> {
    const time = new VirtualTime();
    const random = seededRandom(seed);
    const broker = new MemoryBroker(
      { clock: time, timers: time, random },
      { latencyMs: { min: 1, max: 30 } },
    );
    const trace: string[] = [];
    const space = await openMemoryLogSpace(seed, { time, broker });
    const sink = space.commandSink({}, space.deps());
    void sink.start();
    for (const name of ['cell-0', 'cell-1']) {
      const source = space.commandSource({ instanceName: name }, space.deps());
      void source.start({
        onAssigned(partitions) {
          trace.push(`${time.monoMs()} ${name} assigned ${partitions.join()}`);
          partitions.forEach((partition) => source.open(partition, 0n));
        },
        onRecords: (partition, records) =>
          trace.push(`${time.monoMs()} ${name} ${partition}: ${records.length}`),
        onRebalancing: () => trace.push(`${time.monoMs()} ${name} rebalancing`),
        onCrashed: (cause) => trace.push(String(cause)),
        onOutOfRange: () => trace.push('out of range'),
      });
      await time.advance(1_000);
      for (const partition of all) void produceMany(sink, partition, 3);
      await time.advance(1_000);
    }
    await space.close();
    return trace;
  }

  it('does the same at the same times for the same seed, and not for another', async () => {
    const [first, again, other] = [await traceOf(7), await traceOf(7), await traceOf(8)];
    expect(first.length).toBeGreaterThan(8);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});
