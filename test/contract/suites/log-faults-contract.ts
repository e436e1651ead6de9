/**
 * The bad days of a log, each under the name of its behaviour, brought about on the memory broker by
 * its fault board and on Kafka by a proxy or an operator's call. What happens must be the same: this
 * is what makes a simulation on the memory broker a statement about Kafka.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandSink } from '../../../src/ports/command-sink.ts';
import type { IncomingEvent } from '../../../src/ports/event-source.ts';
import { claimedRun } from '../../support/claimed-run.ts';
import { offsetRange, produceMany } from '../../support/log-space.ts';
import type { FaultyLogSpace, Where } from '../../support/log-space.ts';
import { startWatched } from '../../support/watched-source.ts';
import type { WatchedSource } from '../../support/watched-source.ts';
import { waitUntil } from '../../support/wait-until.ts';

const all = [0, 1, 2, 3];
const command = (name: string, partition = 0) => ({
  partition,
  key: Buffer.from('app1\0r1'),
  value: Buffer.from(name),
  headers: {},
});
/** A broker of its own may have to start first. */
const startTimeoutMs = 120_000;
const textOf = (value: Uint8Array | null): string => Buffer.from(value ?? []).toString();

/** Declares the suite. */
export function logFaultsContract(name: string, openSpace: () => Promise<FaultyLogSpace>): void {
  describe(`log faults: ${name}`, () => {
    let space: FaultyLogSpace;
    let near: CommandSink;
    let groups = 0;
    const cleanUps: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      space = await openSpace();
      near = space.commandSink({}, space.deps());
      await near.start();
    }, startTimeoutMs);
    afterEach(async () => {
      await space.heal();
      await Promise.all(cleanUps.splice(0).map((cleanUp) => cleanUp()));
    });
    afterAll(async () => {
      await near.stop();
      await space.close();
    });

    const newGroup = (): string => {
      groups += 1;
      return `${space.prefix}.g${groups}`;
    };
    async function startFarSink(more = {}): Promise<CommandSink> {
      const sink = space.commandSink(more, space.deps(), 'far');
      cleanUps.push(() => sink.stop());
      await sink.start();
      return sink;
    }
    async function startReader(
      instanceName: string,
      groupId: string,
      where: Where = 'near',
      more = {},
    ): Promise<WatchedSource> {
      const deps = space.deps();
      const settings = { instanceName, groupId, sessionTimeoutMs: 1_500, ...more };
      const source = space.commandSource(settings, deps, where);
      cleanUps.push(() => source.stop());
      return startWatched(source, deps, instanceName);
    }
    const end = async (partition: number): Promise<bigint> =>
      (await space.range(space.topics.commands, partition)).endOffset;
    /** What a partition holds from an offset on, as texts. */
    async function textsFrom(partition: number, from: bigint): Promise<string[]> {
      const reader = await startReader('texts', newGroup());
      await reader.assigned(all);
      reader.source.open(partition, from);
      const last = (await end(partition)) - 1n;
      if (last >= from) await reader.upTo(partition, last);
      await reader.source.stop();
      return reader.records.map(({ value }) => textOf(value));
    }

    it('ack lost though stored: the outcome is unknown and the record is in the log', async () => {
      const sink = await startFarSink();
      await sink.produce(command('warm'));
      const from = await end(0);
      const lost = space.loseNextAck(space.topics.commands);
      const pending = sink.produce(command('stored'));
      await lost;
      expect((await pending).kind).toBe('unknown');
      expect(new Set(await textsFrom(0, from))).toEqual(new Set(['stored']));
    });

    it('lost on the way: the outcome is unknown and the record is not in the log', async () => {
      const sink = await startFarSink();
      await sink.produce(command('warm'));
      const from = await end(0);
      const lost = space.loseNextProduce(space.topics.commands);
      const pending = sink.produce(command('gone'));
      await lost;
      expect((await pending).kind).toBe('unknown');
      expect(await end(0)).toBe(from);
    });

    it('stored twice: the outcome is stored, the offset is the second one’s, both are there', async () => {
      const sink = await startFarSink();
      await sink.produce(command('warm'));
      const from = await end(0);
      const repeated = space.repeatNextProduce(space.topics.commands);
      const pending = sink.produce(command('twice'));
      await repeated;
      expect(await pending).toEqual({ kind: 'stored', offset: from + 1n });
      expect(await textsFrom(0, from)).toEqual(['twice', 'twice']);
    });

    it('out of reach: what is produced is not sent and stays so, health and ranges say it', async () => {
      const sink = await startFarSink();
      await sink.produce(command('before'));
      const reader = await startReader('far', newGroup(), 'far');
      await reader.assigned(all);
      const from = await end(0);
      await space.refuse();
      // The connection that stood may still take the bytes of the first one.
      await sink.produce(command('maybe'));
      expect((await sink.produce(command('refused'))).kind).toBe('notSent');
      expect(sink.isHealthy()).toBe(false);
      await expect(sink.endOffset(0)).rejects.toMatchObject({ kind: 'retry' });
      await expect(reader.source.logRange(0)).rejects.toMatchObject({ kind: 'retry' });
      await reader.source.commitHint([{ partition: 0, offsetNext: 1n }]);
      await space.heal();
      await waitUntil(
        'a produce that works again',
        async () => (await sink.produce(command('after'))).kind === 'stored',
      );
      expect(sink.isHealthy()).toBe(true);
      const texts = await textsFrom(0, from);
      expect(texts).toContain('after');
      expect(texts).not.toContain('refused');
    });

    it('out of reach at the start: everybody waits, and works when it comes', async () => {
      await space.refuse();
      const sink = space.commandSink({}, space.deps(), 'far');
      cleanUps.push(() => sink.stop());
      let isStarted = false;
      const starting = sink.start().then(() => (isStarted = true));
      const deps = space.deps();
      const source = space.commandSource(
        { instanceName: 'early', groupId: newGroup() },
        deps,
        'far',
      );
      cleanUps.push(() => source.stop());
      const reading = startWatched(source, deps, 'early');
      const replies: string[] = [];
      const replySource = space.replySource({ groupId: newGroup() }, space.deps(), 'far');
      cleanUps.push(() => replySource.stop());
      const listening = replySource.start(0, {
        onReply: ({ correlationId }) => replies.push(correlationId),
        onLost: (cause) => expect.unreachable(String(cause)),
      });
      await space.pass(500);
      expect(isStarted).toBe(false);
      await space.heal();
      const [reader] = await Promise.all([reading, starting, listening]);
      await reader.assigned(all);
      expect((await sink.produce(command('early'))).kind).toBe('stored');
      const replySink = space.replySink({}, space.deps());
      cleanUps.push(() => replySink.stop());
      await replySink.start();
      replySink.send([{ replyPartition: 0, correlationId: 'r', value: Buffer.from('r') }]);
      await waitUntil('the reply', () => Promise.resolve(replies.length > 0));
    });

    it('out of reach for events and replies: runs are not sent, replies are dropped and counted', async () => {
      const sink = space.eventSink({}, space.deps(), 'far');
      const deps = space.deps();
      const replies = space.replySink({}, deps, 'far');
      cleanUps.push(
        () => sink.stop(),
        () => replies.stop(),
      );
      await Promise.all([sink.start(), replies.start()]);
      await sink.publish([claimedRun('f0', 1, 1)], 4_000);
      await space.refuse();
      // The connections that stood may still take the bytes of the first ones.
      await sink.publish([claimedRun('f1', 1, 1)], 4_000);
      const [outcome] = await sink.publish([claimedRun('f2', 1, 1)], 4_000);
      expect(outcome?.kind).toBe('notSent');
      replies.send([{ replyPartition: 0, correlationId: 'x', value: Buffer.from('x') }]);
      await replies.flush();
      expect(deps.metrics.sumOf('roomcell_kafka_replies_dropped_total')).toBe(1);
    });

    it('events whose ack is lost are unknown, and in the topic', async () => {
      const sink = space.eventSink({}, space.deps(), 'far');
      cleanUps.push(() => sink.stop());
      await sink.start();
      await sink.publish([claimedRun('k0', 1, 1)], 4_000);
      const lost = space.loseNextAck(space.topics.events.im);
      const pending = sink.publish([claimedRun('k1', 1, 2)], 4_000);
      await lost;
      expect((await pending)[0]?.kind).toBe('unknown');
      const rows: bigint[] = [];
      const source = space.eventSource({ groupId: newGroup(), instanceName: 'a' }, space.deps());
      cleanUps.push(() => source.stop());
      await source.start({
        onEvents(events) {
          const own = events.filter(({ roomKey }) => roomKey === 'app1\0k1');
          rows.push(...own.map(({ rowId }) => rowId));
          return Promise.resolve();
        },
        onCrashed: (cause) => expect.unreachable(String(cause)),
      });
      await waitUntil('both rows', () => Promise.resolve(rows.length >= 2));
      expect(rows.slice(0, 2)).toEqual([1n, 2n]);
    });

    it('a frozen member is taken over after its session, and delivers its late batch when it thaws', async () => {
      const groupId = newGroup();
      const from = Number(await end(1));
      // Its fetch waits long, so that one is always under way when it freezes.
      const frozen = await startReader('cell-far', groupId, 'far', { maxWaitMs: 1_000 });
      await frozen.assigned(all);
      frozen.source.open(1, BigInt(from));
      await produceMany(near, 1, 2, from);
      await frozen.upTo(1, BigInt(from + 1));
      await space.pass(200);
      space.freeze();
      await produceMany(near, 1, 3, from + 2);
      const other = await startReader('cell-near', groupId);
      await other.assigned(all);
      other.source.open(1, BigInt(from + 2));
      await other.upTo(1, BigInt(from + 4));
      expect(frozen.assignments).toEqual([all]);
      expect(frozen.offsetsOf(1)).toHaveLength(2);
      await space.heal();
      await frozen.upTo(1, BigInt(from + 4));
      // It has not heard of its loss yet: this is the batch that the fence in MySQL is for.
      expect(frozen.assignments).toEqual([all]);
      expect(frozen.offsetsOf(1)).toEqual(offsetRange(from, from + 5));
      // Then it is a member like any other, and the two share.
      await waitUntil('the two share', () => {
        const shares = [frozen, other].map(({ assignments }) => assignments.at(-1)?.length);
        return Promise.resolve(shares.join() === '2,2');
      });
      expect([...frozen.crashes, ...other.crashes]).toEqual([]);
    });

    it('a stale commit is accepted: a member stores the offset of a partition that it does not own', async () => {
      const groupId = newGroup();
      const { commands } = space.topics;
      const owner = await startReader('owner', groupId);
      await owner.assigned(all);
      all.forEach((partition) => owner.source.open(partition, 0n));
      await owner.source.commitHint(all.map((partition) => ({ partition, offsetNext: 9n })));
      const foreign = await space.commitAsStranger(groupId, commands, 3n);
      expect(all).toContain(foreign);
      expect(await space.storedOffset(groupId, commands, foreign)).toBe(3n);
    });

    it('redelivery after unclean death: events whose offset was not stored come again elsewhere', async () => {
      const groupId = newGroup();
      const seen = new Map<string, bigint[]>([
        ['far', []],
        ['near', []],
      ]);
      const sink = space.eventSink({}, space.deps());
      cleanUps.push(() => sink.stop());
      await sink.start();
      const start = async (where: Where): Promise<void> => {
        const settings = { groupId, instanceName: where, sessionTimeoutMs: 1_500 };
        const source = space.eventSource(settings, space.deps(), where);
        cleanUps.push(() => source.stop());
        await source.start({
          onEvents(events: readonly IncomingEvent[]) {
            const own = events.filter(({ roomKey }) => roomKey === 'app1\0d1');
            seen.get(where)?.push(...own.map(({ rowId }) => rowId));
            // Done, but the offset will find nobody to store it.
            return own.length > 0 && where === 'far' ? space.refuse() : Promise.resolve();
          },
          onCrashed: (cause) => expect.unreachable(String(cause)),
        });
      };
      await start('far');
      await sink.publish([claimedRun('d1', 1, 3)], 5_000);
      await waitUntil('handled once', () => Promise.resolve((seen.get('far')?.length ?? 0) >= 3));
      await start('near');
      await waitUntil('handled again', () => Promise.resolve((seen.get('near')?.length ?? 0) >= 3));
      expect(seen.get('near')).toEqual([1n, 2n, 3n]);
    });

    it('redelivery from an older offset: a group that was set back reads everything again', async () => {
      const groupId = newGroup();
      const topic = space.topics.events.im;
      const sink = space.eventSink({}, space.deps());
      cleanUps.push(() => sink.stop());
      await sink.start();
      await sink.publish([claimedRun('w1', 1, 4)], 5_000);
      const start = async (rows: bigint[]) => {
        const source = space.eventSource({ groupId, instanceName: 'a' }, space.deps());
        cleanUps.push(() => source.stop());
        await source.start({
          onEvents(events) {
            const own = events.filter(({ roomKey }) => roomKey === 'app1\0w1');
            rows.push(...own.map(({ rowId }) => rowId));
            return Promise.resolve();
          },
          onCrashed: (cause) => expect.unreachable(String(cause)),
        });
        await waitUntil('four rows', () => Promise.resolve(rows.length >= 4));
        return source;
      };
      const first = await start([]);
      await first.stop();
      for (const partition of [0, 1]) await space.rewind(groupId, topic, partition, 0n);
      const again: bigint[] = [];
      await start(again);
      expect(again).toEqual([1n, 2n, 3n, 4n]);
    });

    it('log start moved past a running reader: its partition is in a gap, the others go on', async () => {
      const { commands } = space.topics;
      const reader = await startReader('slow', newGroup());
      await reader.assigned(all);
      const [from2, from3] = [Number(await end(2)), Number(await end(3))];
      reader.source.open(2, BigInt(from2));
      reader.source.open(3, BigInt(from3));
      await produceMany(near, 2, 1, from2);
      await reader.upTo(2, BigInt(from2));
      reader.source.pause(2);
      // A fetch that was under way at the pause still asks for both; the next one does not.
      for (let round = 0; round < 2; round += 1) {
        await produceMany(near, 3, 1, from3 + round);
        await reader.upTo(3, BigInt(from3 + round));
      }
      await produceMany(near, 2, 5, from2 + 1);
      await space.moveStart(commands, 2, BigInt(from2 + 4));
      reader.source.resume(2);
      await waitUntil('the gap told', () => Promise.resolve(reader.outOfRange.length > 0));
      const range = { startOffset: BigInt(from2 + 4), endOffset: BigInt(from2 + 6) };
      expect(reader.outOfRange).toEqual([{ partition: 2, expected: BigInt(from2 + 1), range }]);
      await produceMany(near, 3, 2, from3 + 2);
      await reader.upTo(3, BigInt(from3 + 3));
      expect(reader.offsetsOf(2)).toEqual([BigInt(from2)]);
    });

    // The last one: it leaves the commands topic empty.
    it('topic made anew: no record of the new one is taken for one of the old', async () => {
      const { commands } = space.topics;
      await produceMany(near, 0, 10);
      const next = await end(0);
      const reader = await startReader('old', newGroup());
      await reader.assigned(all);
      reader.source.open(0, next - 5n);
      await reader.upTo(0, next - 1n);
      reader.records.length = 0;
      await space.recreateTopic(commands);
      await waitUntil('a record in the new one', async () => {
        const { kind } = await near.produce(command('new'));
        return kind === 'stored';
      });
      await waitUntil('the change told', () => Promise.resolve(reader.outOfRange.length > 0), {
        seen: () => reader.records.length,
      });
      const [told] = reader.outOfRange;
      expect(told).toMatchObject({ partition: 0, expected: next });
      expect(told?.range.endOffset).toBeLessThan(next);
      expect(reader.records).toEqual([]);
      reader.source.open(0, 0n);
      await reader.upTo(0, 0n);
      expect(reader.records.map(({ value }) => textOf(value))).toEqual(['new']);
      expect(reader.crashes).toEqual([]);
    });
  });
}
