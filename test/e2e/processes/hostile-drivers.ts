/** Drivers as bad as their contracts allow, all the time; see `hostile-modes.ts`. */
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';
import { unknownOutcome } from '../../../src/kernel/unknown-outcome.ts';
import type { DriverSet } from '../../../src/main/driver-set.ts';
import type { CommandSource } from '../../../src/ports/command-source.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { EventSink } from '../../../src/ports/event-sink.ts';
import type { PartitionStore } from '../../../src/ports/partition-store.ts';
import type { ReplySource } from '../../../src/ports/reply-source.ts';

type Exchange = (drivers: DriverSet) => DriverSet;

const exchanges: Readonly<Record<string, Exchange>> = {
  'delivered-twice': (drivers) => ({
    ...drivers,
    commandSource: (count, ports) => deliveredTwice(drivers.commandSource(count, ports)),
  }),
  'commit-unanswered': (drivers) => ({
    ...drivers,
    stores: {
      ...drivers.stores,
      openLane: (options) => unanswered(drivers.stores.openLane(options)),
    },
  }),
  'owner-changed': (drivers) => ({
    ...drivers,
    stores: {
      ...drivers.stores,
      openLane: (options) => taken(drivers.stores.openLane(options), drivers.stores.partitionStore),
    },
  }),
  'late-replies': (drivers) => ({
    ...drivers,
    replySource: (reader, ports) => late(drivers.replySource(reader, ports)),
  }),
  'events-twice': (drivers) => ({
    ...drivers,
    eventSink: (destination, ports) => sentTwice(drivers.eventSink(destination, ports)),
  }),
};

/** What the mode exchanges; undefined: nothing, it is a matter of configuration. */
export function hostileDrivers(mode: string): Exchange | undefined {
  return exchanges[mode];
}

/** A group gives a batch to its reader again whenever it likes. */
function deliveredTwice(source: CommandSource): CommandSource {
  return withMethod(source, 'start', (handlers) =>
    source.start(
      withMethod(handlers, 'onRecords', (partition, records) => {
        handlers.onRecords(partition, records);
        handlers.onRecords(partition, records);
      }),
    ),
  );
}

/** The server has committed, and the way back is cut. */
function unanswered(lane: CommitLane): CommitLane {
  return withMethod(lane, 'commit', async (batch, gate) => {
    const outcome = await lane.commit(batch, gate);
    return outcome.kind === 'committed' ? unknownOutcome('a hostile mode') : outcome;
  });
}

/** Commands of a partition behind which somebody else takes it over. */
const commandsPerOwner = 5;

/**
 * Somebody takes the partition over, does nothing with it, and is gone: its owner finds itself fenced at its
 * next commit, forgets the rooms and has to take it over again.
 */
function taken(lane: CommitLane, owners: PartitionStore): CommitLane {
  const counts = new Map<number, number>();
  const other = { nodeId: 'somebody-else', incarnation: 'hostile', lane: 0, advertiseAddr: '' };
  return withMethod(lane, 'commit', async (batch, gate) => {
    const outcome = await lane.commit(batch, gate);
    if (outcome.kind !== 'committed') return outcome;
    for (const { partition } of batch.logRows) {
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    for (const [partition, count] of counts) {
      if (count < commandsPerOwner) continue;
      counts.delete(partition);
      await owners.takeover({ partition, ...other });
    }
    return outcome;
  });
}

/** One reply in so many comes late. */
const repliesPerLate = 5;
/** Beyond the deadline of a caller that asks again (`test/e2e/support/play.ts`). */
const lateMs = 5_000;

/** The way back from the cell is slow for a while, and only for some. */
function late(source: ReplySource): ReplySource {
  const timers = createSystemTimers();
  let replies = 0;
  return withMethod(source, 'start', (partition, handlers) =>
    source.start(
      partition,
      withMethod(handlers, 'onReply', (reply) => {
        replies += 1;
        if (replies % repliesPerLate !== 0) handlers.onReply(reply);
        else timers.after(lateMs, () => handlers.onReply(reply));
      }),
    ),
  );
}

/** A producer that had no answer sends again. */
function sentTwice(sink: EventSink): EventSink {
  return withMethod(sink, 'publish', async (...given) => {
    await sink.publish(...given);
    return sink.publish(...given);
  });
}

/** The same object with one method exchanged. */
function withMethod<T extends object, Name extends keyof T>(
  target: T,
  name: Name,
  method: T[Name],
): T {
  return new Proxy(target, {
    get(of, wanted): unknown {
      return wanted === name ? method : bound(Reflect.get(of, wanted, of), of);
    },
  });
}

function bound(member: unknown, target: object): unknown {
  return typeof member === 'function' ? (member.bind(target) as unknown) : member;
}
