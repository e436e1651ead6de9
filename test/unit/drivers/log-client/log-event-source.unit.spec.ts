/** The event source over a membership that the test holds in its hands. */
import { describe, expect, it } from 'vitest';
import { LogEventSource } from '../../../../src/drivers/log-client/log-event-source.ts';
import type {
  FetchedBatch,
  GroupMemberHandlers,
} from '../../../../src/drivers/log-client/log-transport.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import { driverDeps } from '../../../support/driver-deps.ts';
import { ManualTime, settled } from '../../../support/manual-time.ts';

/** A started source with one handled batch, whose commit the test ends; and what happened, in order. */
async function handledBatch() {
  const time = new ManualTime();
  const commit = createDeferred<void>();
  const happened: string[] = [];
  const member: { handlers: GroupMemberHandlers | null } = { handlers: null };
  const source = new LogEventSource(
    { topic: 't', groupId: 'g', instanceName: 'a', drainTimeoutMs: 500, stopTimeoutMs: 500 },
    (handlers) => {
      member.handlers = handlers;
      return {
        start: () => Promise.resolve(),
        isStopping: false,
        seek: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        async commit() {
          await commit.promise;
          happened.push('committed');
        },
        stop: () => Promise.resolve(void happened.push('left')),
      };
    },
    { ...driverDeps(), clock: time, timers: time },
  );
  await source.start({ onEvents: () => Promise.resolve(), onCrashed: () => undefined });
  const batch: FetchedBatch = {
    partition: 0,
    fetchedAt: 0n,
    lastOffset: 0n,
    records: [],
    isStale: () => false,
    resolve: () => undefined,
  };
  member.handlers?.onJoined([0]);
  await member.handlers?.onBatch(batch);
  await settled();
  return { source, time, commit, happened };
}

describe('log event source', () => {
  it('leaves the group only when the offset of the batch it has handled is stored', async () => {
    const { source, commit, happened } = await handledBatch();
    const stopping = source.stop();
    await settled();
    expect(happened).toEqual([]);
    commit.resolve();
    await stopping;
    expect(happened).toEqual(['committed', 'left']);
  });

  it('leaves in time although the commit never ends', async () => {
    const { source, time, happened } = await handledBatch();
    const stopping = source.stop();
    await time.advance(1_000);
    await stopping;
    expect(happened).toEqual(['left']);
  });
});
