/** Drivers as bad as their contracts allow, all the time; see `hostile-modes.ts`. */
import { unknownOutcome } from '../../../src/kernel/unknown-outcome.ts';
import type { DriverSet } from '../../../src/main/driver-set.ts';
import type { CommandSource } from '../../../src/ports/command-source.ts';
import type { CommitLane } from '../../../src/ports/commit-lane.ts';
import type { EventSink } from '../../../src/ports/event-sink.ts';

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
