/**
 * A record that ends every process that begins it, from the first one on and until the product has
 * set it aside; no end of the storm ends that. One in a run: each costs some lives.
 */
import type { TracePoint } from '../../../src/ports/trace.ts';

/** See the file header. */
export class KillerRecords {
  /** Of this partition the next record that is begun. */
  private wantedOf: number | null = null;
  /** `partition:offset`. */
  private killer: string | null = null;

  /** The next record of the partition is one. False: there is one already. */
  order(partition: number): boolean {
    if (this.wantedOf !== null) return false;
    this.wantedOf = partition;
    return true;
  }

  /** Whether the process that passes the point ends there. */
  ends(point: TracePoint, about: string | undefined): boolean {
    if (point !== 'cell.record_begun' || about === undefined || this.wantedOf === null)
      return false;
    if (this.killer === null && about.startsWith(`${this.wantedOf}:`)) this.killer = about;
    return about === this.killer;
  }
}
