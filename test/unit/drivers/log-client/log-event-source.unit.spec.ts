/** The event source over a membership that the test holds in its hands. */
import { describe, expect, it } from 'vitest';
import { LogEventSource } from '../../../../src/drivers/log-client/log-event-source.ts';
import type {
  FetchedBatch,
  GroupMemberHandlers,
} from '../../../../src/drivers/log-client/log-transport.ts';
import type { EventHandler } from '../../../../src/drivers/log-client/event-work.ts';
import { eventMessages } from '../../../../src/drivers/log-client/log-records.ts';
import { createDeferred, type Deferred } from '../../../../src/kernel/deferred.ts';
import { claimedRun } from '../../../support/claimed-run.ts';
import { driverDeps } from '../../../support/driver-deps.ts';
import { ManualTime, settled } from '../../../support/manual-time.ts';

/** A started source over a membership in the test's hands; and what happened, in order. */
async function openSource(onEvents: EventHandler, commit: () => Promise<void> = async () => {}) {
  const time = new ManualTime();
  const happened: string[] = [];
  const member: { handlers: GroupMemberHandlers | null } = { handlers: null };
  const deps = { ...driverDeps(), clock: time, timers: time };
  const source = new LogEventSource(
    {
      ...{ topic: 't', groupId: 'g', instanceName: 'a', drainTimeoutMs: 500, stopTimeoutMs: 500 },
      ...{ bytesInHandMax: 1_000, retryPauseMs: 100 },
    },
    (handlers) => {
      member.handlers = handlers;
      return {
        start: () => Promise.resolve(),
        isStopping: false,
        seek: (partition, offset) => void happened.push(`seek ${partition} to ${offset}`),
        pause(partitions) {
          if (partitions.length > 0) happened.push(`pause ${partitions.join()}`);
        },
        resume(partitions) {
          if (partitions.length > 0) happened.push(`resume ${partitions.join()}`);
        },
        async commit(offsets) {
          await commit();
          happened.push(...offsets.map(({ offsetNext }) => `committed ${offsetNext}`));
        },
        stop: () => Promise.resolve(void happened.push('left')),
      };
    },
    deps,
  );
  await source.start({ onEvents, onCrashed: () => undefined });
  const { handlers } = member;
  if (handlers === null) throw new Error('the source joined no group');
  handlers.onJoined([0]);
  const fetch = (offset: bigint, value = 'v', partition = 0): Promise<void> =>
    handlers.onBatch(batchOf(partition, offset, value, happened));
  const words = (...kinds: string[]): string[] =>
    happened.filter((word) => kinds.some((kind) => word.startsWith(kind)));
  return { source, time, happened, words, handlers, fetch, deps };
}

/** One record; its row has the number of the offset. */
function batchOf(
  partition: number,
  offset: bigint,
  value: string,
  happened: string[],
): FetchedBatch {
  return {
    partition,
    fetchedAt: offset,
    lastOffset: offset,
    records: [
      {
        ...{ partition, offset, recordTimeMs: 0 },
        key: Buffer.from('app1\0r1'),
        value: Buffer.from(value),
        headers: eventHeaders(offset),
      },
    ],
    isStale: () => false,
    resolve: () => void happened.push(`resolved ${offset}`),
  };
}

function eventHeaders(rowId: bigint): Readonly<Record<string, string>> {
  const [message] = eventMessages({ ...claimedRun('r1', Number(rowId), 1) });
  return message?.headers ?? {};
}

/** A handler whose calls the test ends. */
function heldHandler() {
  const calls: {
    readonly rowId: bigint;
    readonly signal: AbortSignal;
    readonly end: Deferred<void>;
  }[] = [];
  const onEvents: EventHandler = (events, signal) => {
    const end = createDeferred<void>();
    calls.push({ rowId: events[0]?.rowId ?? -1n, signal, end });
    return end.promise;
  };
  return { calls, onEvents, rowIds: () => calls.map(({ rowId }) => rowId) };
}

describe('log event source', () => {
  it('leaves the group only when the offset of the batch it has handled is stored', async () => {
    const commit = createDeferred<void>();
    const { source, words, fetch } = await openSource(
      () => Promise.resolve(),
      () => commit.promise,
    );
    await fetch(0n);
    const stopping = source.stop();
    await settled();
    expect(words('committed', 'left')).toEqual([]);
    commit.resolve();
    await stopping;
    expect(words('committed', 'left')).toEqual(['committed 1', 'left']);
  });

  it('leaves in time although the commit never ends', async () => {
    const never = createDeferred<void>();
    const { source, time, words, fetch } = await openSource(
      () => Promise.resolve(),
      () => never.promise,
    );
    await fetch(0n);
    const stopping = source.stop();
    await time.advance(1_000);
    await stopping;
    expect(words('committed', 'left')).toEqual(['left']);
  });

  it('hands a batch over while an earlier one is worked on, and fetches on behind both', async () => {
    const { calls, onEvents, rowIds } = heldHandler();
    const { words, fetch } = await openSource(onEvents);
    await fetch(0n);
    await fetch(1n);
    expect(rowIds()).toEqual([0n, 1n]);
    expect(words('resolved')).toEqual(['resolved 0', 'resolved 1']);
    expect(calls.every(({ signal }) => !signal.aborted)).toBe(true);
  });

  it('stores no offset behind a batch that is not done', async () => {
    const { calls, onEvents } = heldHandler();
    const { words, fetch } = await openSource(onEvents);
    for (const offset of [0n, 1n, 2n]) await fetch(offset);
    calls[1]?.end.resolve();
    await settled();
    expect(words('committed')).toEqual([]);
    calls[0]?.end.resolve();
    await settled();
    expect(words('committed')).toEqual(['committed 2']);
    calls[2]?.end.resolve();
    await settled();
    expect(words('committed')).toEqual(['committed 2', 'committed 3']);
  });

  it('begins nothing behind a rejected batch before it has come again and ended', async () => {
    const { calls, onEvents, rowIds } = heldHandler();
    const { time, fetch } = await openSource(onEvents);
    await fetch(0n);
    calls[0]?.end.reject(new Error('the destination is away'));
    await settled();
    await fetch(1n);
    await time.advance(100);
    expect(rowIds()).toEqual([0n, 0n]);
    calls[1]?.end.resolve();
    await settled();
    expect(rowIds()).toEqual([0n, 0n, 1n]);
  });

  it('pauses a partition with too much in hand, and fetches on when there is room', async () => {
    const { calls, onEvents, rowIds } = heldHandler();
    const { words, happened, fetch } = await openSource(onEvents);
    happened.splice(0);
    await fetch(0n, 'x'.repeat(900));
    expect(words('pause')).toEqual(['pause 0']);
    // The fetch that was under way may still bring something: it is left for later, unread.
    await fetch(1n);
    expect(rowIds()).toEqual([0n]);
    expect(words('resolved')).toEqual(['resolved 0']);
    calls[0]?.end.resolve();
    await settled();
    expect(words('resume')).toContain('resume 0');
  });

  it('a lost partition moves no offset, and is read again only when its old work has ended', async () => {
    const { calls, onEvents, rowIds } = heldHandler();
    const { words, happened, handlers, fetch } = await openSource(onEvents);
    await fetch(0n);
    handlers.onJoined([]);
    expect(calls[0]?.signal.aborted).toBe(true);
    happened.splice(0);
    handlers.onJoined([0]);
    expect(words('pause 0', 'seek', 'resume 0')).toEqual(['pause 0']);
    await fetch(0n);
    expect(rowIds()).toEqual([0n]);
    calls[0]?.end.resolve();
    await settled();
    expect(words('committed')).toEqual([]);
    expect(words('resume')).toEqual(['resume 0']);
    await fetch(0n);
    expect(rowIds()).toEqual([0n, 0n]);
  });

  it('stores nothing more of a partition that was lost while an offset was on its way', async () => {
    const commit = createDeferred<void>();
    const { words, handlers, fetch } = await openSource(
      () => Promise.resolve(),
      () => commit.promise,
    );
    await fetch(0n);
    await settled();
    await fetch(1n);
    await settled();
    handlers.onJoined([]);
    commit.resolve();
    await settled();
    expect(words('committed')).toEqual(['committed 1']);
  });

  it('a kept partition goes on behind what is in hand', async () => {
    const { calls, onEvents } = heldHandler();
    const { words, happened, handlers, fetch } = await openSource(onEvents);
    await fetch(4n);
    happened.splice(0);
    handlers.onJoined([0, 1]);
    expect(words('seek', 'resume')).toEqual(['seek 0 to 5', 'resume 0,1']);
    expect(calls[0]?.signal.aborted).toBe(false);
  });
});
