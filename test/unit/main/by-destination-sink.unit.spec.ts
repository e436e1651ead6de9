/** Runs reach the sink of their destination, and outcomes come back in the order of the runs. */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { byDestinationSink } from '../../../src/main/by-destination-sink.ts';
import type { EventSink, PublishOutcome } from '../../../src/ports/event-sink.ts';
import type { ClaimedRun } from '../../../src/ports/outbox-store.ts';
import type { Destination } from '../../../src/protocol/topics.ts';

const run = (claimToken: string, destination: Destination): ClaimedRun => ({
  claimToken,
  appCode: 'app' as AppCode,
  roomId: 'room' as RoomId,
  destination,
  rows: [],
});

function sink(outcomeOf: (run: ClaimedRun) => PublishOutcome): EventSink & { got: string[] } {
  const got: string[] = [];
  return {
    got,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    publish: (runs) => {
      got.push(...runs.map(({ claimToken }) => claimToken));
      return Promise.resolve(runs.map(outcomeOf));
    },
  };
}

describe('the sink over all destinations', () => {
  it('gives each run to its destination and answers in the order given (PUB-1, PUB-6, SVC-13)', async () => {
    const im = sink(() => ({ kind: 'notSent', cause: 'down' }));
    const activity = sink(() => ({ kind: 'stored' }));
    const all = byDestinationSink(
      new Map<Destination, EventSink>([
        ['im', im],
        ['activity', activity],
      ]),
    );
    const runs = [run('a', 'activity'), run('b', 'im'), run('c', 'activity'), run('d', 'rtc')];
    const outcomes = await all.publish(runs, 100);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'notSent', 'stored', 'notSent']);
    expect(im.got).toEqual(['b']);
    expect(activity.got).toEqual(['a', 'c']);
  });
});
