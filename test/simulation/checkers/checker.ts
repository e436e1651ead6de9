/**
 * The interface of the judges. A checker shares no code with the product: it may read the tables of
 * the memory database and the product's types, and computes everything else by itself.
 */
import type { MemoryDatabase } from '../../../src/drivers/memory/memory-database.ts';
import type { WalletStandIn } from '../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type { Observation } from '../observations.ts';

/** One broken promise. */
export interface Violation {
  /** `INV-n`. */
  readonly invariant: string;
  readonly text: string;
  /** The room that shows it, if one does. */
  readonly room: { readonly appCode: string; readonly roomId: string } | null;
}

/** What checkers see beside the observations. Read only. */
export interface CheckedWorld {
  readonly database: MemoryDatabase;
  readonly wallet: WalletStandIn;
  readonly partitionCount: number;
  readonly commandsTopic: string;
  /** All records of a partition of the commands topic, the oldest first. */
  commandRecords(partition: number): readonly {
    readonly offset: bigint;
    readonly value: Uint8Array | null;
  }[];
}

/** See the file header. Made anew for each run. */
export interface Checker {
  /** Ids of the invariants that it judges. */
  readonly invariants: readonly string[];
  /** After each observation. */
  observe?(observation: Observation): void;
  /** After the settle phase. */
  atEnd?(): void;
}

/** Makes a checker for one run; `report` may be called any number of times. */
export type CheckerFactory = (
  world: CheckedWorld,
  report: (violation: Violation) => void,
) => Checker;
