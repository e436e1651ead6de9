/** What every ReplySink and ReplySource must do: replies from the cell to one gateway. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IncomingReply } from '../../../src/ports/reply-source.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { waitUntil } from '../../support/wait-until.ts';

const reply = (replyPartition: number, correlationId: string) => ({
  replyPartition,
  correlationId,
  value: Buffer.from(correlationId),
});

/** Declares the suite. */
export function replyLogContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`ReplySink and ReplySource contract: ${name}`, () => {
    let space: LogSpace;
    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());

    const end = async (partition: number): Promise<bigint> =>
      (await space.range(space.topics.replies, partition)).endOffset;

    it('the source misses nothing that is produced after it is ready, in order', async () => {
      const sink = space.replySink({}, space.deps());
      await sink.start();
      for (let round = 0; round < 3; round += 1) {
        // Old replies of a predecessor: not for us.
        sink.send([reply(2, 'old')]);
        await sink.flush();
        const replies: IncomingReply[] = [];
        const source = space.replySource(
          { groupId: `${space.prefix}.gateway-${round}` },
          space.deps(),
        );
        await source.start(2, {
          onReply: (one) => replies.push(one),
          onLost: (cause) => expect.unreachable(String(cause)),
        });
        sink.send(
          Array.from({ length: 500 }, (_, number) =>
            reply(number % 2 === 0 ? 2 : 1, `me:${number}`),
          ),
        );
        await sink.flush();
        await waitUntil('250 replies', () => Promise.resolve(replies.length === 250), {
          seen: () => replies.length,
        });
        const expected = Array.from({ length: 250 }, (_, number) => `me:${number * 2}`);
        expect(replies.map(({ correlationId }) => correlationId)).toEqual(expected);
        expect(replies.map(({ value }) => Buffer.from(value).toString())).toEqual(expected);
        await source.stop();
      }
      await sink.stop();
    });

    it('the source skips and counts what is no reply', async () => {
      const deps = space.deps();
      const source = space.replySource({ groupId: `${space.prefix}.junk` }, deps);
      const replies: IncomingReply[] = [];
      await source.start(0, {
        onReply: (one) => replies.push(one),
        onLost: (cause) => expect.unreachable(String(cause)),
      });
      const raw = space.commandSink({ topic: space.topics.replies }, space.deps());
      await raw.start();
      const junk = { partition: 0, key: Buffer.from('k'), value: Buffer.from('x'), headers: {} };
      await raw.produce(junk);
      await raw.stop();
      const sink = space.replySink({}, space.deps());
      await sink.start();
      sink.send([reply(0, 'behind')]);
      await waitUntil('the reply behind it', () => Promise.resolve(replies.length > 0));
      await Promise.all([sink.stop(), source.stop()]);
      expect(replies.map(({ correlationId }) => correlationId)).toEqual(['behind']);
      expect(deps.metrics.sumOf('roomcell_kafka_replies_unreadable_total')).toBe(1);
    });

    it('two gateways that read one partition both get everything, and neither moves the other', async () => {
      const readers = await Promise.all(
        ['one', 'two'].map(async (gateway) => {
          const replies: string[] = [];
          const source = space.replySource({ groupId: `${space.prefix}.${gateway}` }, space.deps());
          await source.start(1, {
            onReply: ({ correlationId }) => replies.push(correlationId),
            onLost: (cause) => expect.unreachable(String(cause)),
          });
          return { source, replies };
        }),
      );
      const sink = space.replySink({}, space.deps());
      await sink.start();
      sink.send([reply(1, 'a'), reply(1, 'b')]);
      await waitUntil('both have both', () =>
        Promise.resolve(readers.every(({ replies }) => replies.join() === 'a,b')),
      );
      await Promise.all([sink.stop(), ...readers.map(({ source }) => source.stop())]);
    });

    it('the sink keeps what is given before its start, drops the oldest when full, and counts', async () => {
      const deps = space.deps();
      const sink = space.replySink({ queueMax: 3 }, deps);
      const before = await end(3);
      sink.send(['a', 'b', 'c', 'd', 'e'].map((name) => reply(3, name)));
      const dropped = (why: string) =>
        deps.metrics.sumOf('roomcell_kafka_replies_dropped_total', { why });
      expect(dropped('queue_full')).toBe(2);
      const replies: string[] = [];
      const source = space.replySource({ groupId: `${space.prefix}.full` }, space.deps());
      await source.start(3, {
        onReply: ({ correlationId }) => replies.push(correlationId),
        onLost: (cause) => expect.unreachable(String(cause)),
      });
      await sink.start();
      await sink.flush();
      expect(await end(3)).toBe(before + 3n);
      await waitUntil('the youngest three', () => Promise.resolve(replies.join() === 'c,d,e'), {
        seen: () => replies,
      });
      await Promise.all([sink.stop(), source.stop()]);
      sink.send([reply(3, 'late')]);
      expect(dropped('stopped')).toBe(1);
      await sink.flush();
    });

    it('a stop of the sink sends what it has taken', async () => {
      const sink = space.replySink({}, space.deps());
      await sink.start();
      const before = await end(0);
      sink.send([reply(0, 'x'), reply(0, 'y')]);
      await sink.stop();
      expect(await end(0)).toBe(before + 2n);
    });
  });
}
