/** A command source with everything it said, and the opening left to the test. */
import type { CommandSource, LogRange, SourceRecord } from '../../src/ports/command-source.ts';
import type { DriverDeps } from './driver-deps.ts';
import { waitUntil } from './wait-until.ts';

/** See the file header. */
export interface WatchedSource {
  readonly source: CommandSource;
  readonly deps: DriverDeps;
  /** Every assignment told, in order. */
  readonly assignments: (readonly number[])[];
  readonly records: SourceRecord[];
  readonly outOfRange: { partition: number; expected: bigint; range: LogRange }[];
  readonly crashes: unknown[];
  /** Times of the calls of `onRebalancing`, of the monotonic clock. */
  readonly rebalancings: number[];
  /** Batches whose records were not all of the partition that was told. */
  readonly mixedBatches: number[];
  /** Offsets of one partition in the order they came. */
  offsetsOf(partition: number): bigint[];
  /** Waits until the newest assignment is this one. */
  assigned(partitions: readonly number[]): Promise<void>;
  /** Waits until so many partitions are assigned. */
  assignedCount(count: number): Promise<readonly number[]>;
  /** Waits until the last record of a partition has this offset. */
  upTo(partition: number, last: bigint): Promise<void>;
}

/** Starts `source` and writes down what it says. */
export async function startWatched(
  source: CommandSource,
  deps: DriverDeps,
  instanceName: string,
): Promise<WatchedSource> {
  const watched: WatchedSource = {
    source,
    deps,
    assignments: [],
    records: [],
    outOfRange: [],
    crashes: [],
    rebalancings: [],
    mixedBatches: [],
    offsetsOf: (partition) =>
      watched.records.filter((one) => one.partition === partition).map(({ offset }) => offset),
    async assigned(partitions) {
      const expected = JSON.stringify(partitions);
      const isTold = () => JSON.stringify(watched.assignments.at(-1)) === expected;
      await waitUntil(`${instanceName} assigned ${expected}`, () => Promise.resolve(isTold()), {
        seen: () => watched.assignments,
      });
    },
    assignedCount: (count) =>
      waitUntil(
        `${instanceName} assigned ${count} partitions`,
        () => {
          const newest = watched.assignments.at(-1);
          return Promise.resolve(newest?.length === count ? newest : null);
        },
        { seen: () => watched.assignments },
      ),
    async upTo(partition, last) {
      await waitUntil(
        `${instanceName} at offset ${last} of partition ${partition}`,
        () => Promise.resolve(watched.offsetsOf(partition).at(-1) === last),
        { seen: () => watched.offsetsOf(partition).map(String) },
      );
    },
  };
  await source.start({
    onAssigned: (partitions) => watched.assignments.push(partitions),
    onRecords(partition, records) {
      if (records.some((record) => record.partition !== partition)) {
        watched.mixedBatches.push(partition);
      }
      watched.records.push(...records);
    },
    onRebalancing: () => watched.rebalancings.push(deps.clock.monoMs()),
    onCrashed: (cause) => watched.crashes.push(cause),
    onOutOfRange: (partition, expected, range) =>
      watched.outOfRange.push({ partition, expected, range }),
  });
  return watched;
}
