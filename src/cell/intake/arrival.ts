/** A record in the cell's hands, from delivery until it is read. */
import type { SourceRecord } from '../../ports/command-source.ts';
import type { Partition } from '../partition/partition.ts';
import type { CommandClock } from '../work.ts';

/**
 * How much a record may be trusted. `begin`: like any other. `endUndecided`: owners died over it, so
 * it is read and ends without being decided. `endUnread`: they died over that, too, so its bytes are
 * set aside as they are.
 */
export type Care = 'begin' | 'endUndecided' | 'endUnread';

/** See the file header. */
export interface Arrival {
  readonly partition: Partition;
  readonly record: SourceRecord;
  readonly clock: CommandClock;
  readonly care: Care;
}
