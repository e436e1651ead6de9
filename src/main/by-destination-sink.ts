/**
 * One event sink over one per destination (PUB-1): each run goes to its destination's sink, all of
 * them at the same time, so that a slow topic does not hold up the others (PUB-6).
 */
import type { EventSink, PublishOutcome } from '../ports/event-sink.ts';
import type { ClaimedRun } from '../ports/outbox-store.ts';
import type { Destination } from '../protocol/topics.ts';

/** Outcomes come in the order of the runs, as the port promises. */
export function byDestinationSink(sinks: ReadonlyMap<Destination, EventSink>): EventSink {
  const all = [...sinks.values()];
  return {
    async start() {
      await Promise.all(all.map((sink) => sink.start()));
    },
    async publish(runs, timeoutMs) {
      const outcomes = new Map<ClaimedRun, PublishOutcome>();
      await Promise.all(
        [...sinks].map(async ([destination, sink]) => {
          const own = runs.filter((run) => run.destination === destination);
          if (own.length === 0) return;
          const ended = await sink.publish(own, timeoutMs);
          own.forEach((run, at) => outcomes.set(run, ended[at] ?? lost));
        }),
      );
      return runs.map((run) => outcomes.get(run) ?? nobody(run.destination));
    },
    async stop() {
      await Promise.all(all.map((sink) => sink.stop()));
    },
  };
}

const lost: PublishOutcome = { kind: 'unknown', cause: 'the sink gave no outcome' };

function nobody(destination: Destination): PublishOutcome {
  return { kind: 'notSent', cause: `no sink for destination ${destination}` };
}
