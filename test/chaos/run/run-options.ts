/** What a run is asked for on its command line. */

/** See the file header. */
export interface ChaosOptions {
  readonly cycles: number;
  readonly seed: number;
  /** Where logs and what explains a violation are kept. Null: a folder of its own, gone when all is well. */
  readonly out: string | null;
  /** Commands that must have been answered since the last fault, so that each one meets work. */
  readonly ackedBetween: number;
  /** Troupes that play at the same time: the load. */
  readonly troupes: number;
  /** Folder whose `dist` holds another program for the pods: a planted bug. Null: this project's. */
  readonly programRoot: string | null;
}

/** Partitions of the commands topic; `test/e2e/support/ownership.ts` counts on it. */
export const partitionCount = 16;
