/**
 * The fence. INV-10: as a partition's rows are committed the epoch never falls, a room's rows lie
 * along its offsets, epochs of owners never fall, `applied_offset` only grows, and who gave a
 * partition up ends at most the transaction in hand. INV-12: a row
 * names the epoch in force when it was committed, by that epoch's owner, and its token says so too.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { RowChange } from './world-reading.ts';

interface SeenOwner {
  readonly epoch: bigint;
  readonly node: string;
  readonly appliedOffset: bigint;
  readonly commitSeq: bigint;
  /** `commitSeq` when the release mark was first seen; null: it holds the partition. */
  readonly releasedAtSeq: bigint | null;
}

/** Makes it; see the file header. */
export const fence: CheckerFactory = (world, report) => new Fence(world, report);

class Fence implements Checker {
  readonly invariants = ['INV-10', 'INV-12'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly changes: Cursor<RowChange<string, LogRow>>;
  private readonly owners = new Map<number, SeenOwner>();
  /** The row committed last, by partition. */
  private readonly lastRows = new Map<number, LogRow>();
  /** The row with an offset committed last, by room. */
  private readonly lastOfRoom = new Map<string, LogRow>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.changes = new Cursor(readingOf(world).log);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.lookAtOwners();
    for (const { before, after } of this.changes.fresh()) {
      if (before !== undefined || after === undefined) continue;
      this.checkOrder(after);
      this.checkOwner(after);
    }
  }

  atEnd(): void {
    this.look();
  }

  private lookAtOwners(): void {
    for (const [partition, row] of this.world.database.owners) {
      const { epoch, ownerNodeId: node, appliedOffset, commitSeq, released } = row;
      const before = this.owners.get(partition);
      const releasedBefore = before?.epoch === epoch ? before.releasedAtSeq : null;
      const releasedAtSeq = released ? (releasedBefore ?? commitSeq) : null;
      const isSame = before?.epoch === epoch && before.commitSeq === commitSeq;
      if (isSame && before.appliedOffset === appliedOffset && releasedBefore === releasedAtSeq) {
        continue;
      }
      this.owners.set(partition, { epoch, node, appliedOffset, commitSeq, releasedAtSeq });
      if (before === undefined) continue;
      if (releasedAtSeq !== null && commitSeq > releasedAtSeq + 1n) {
        const text = `partition ${partition} is marked as given up by ${node} since its transaction ${releasedAtSeq} of epoch ${epoch}, and ${node} committed ${commitSeq}`;
        this.report({ invariant: 'INV-10', text, room: null });
      }
      const was = `partition ${partition} was at epoch ${before.epoch} (${before.node}), applied ${before.appliedOffset}`;
      const is = `and is at epoch ${epoch} (${node}), applied ${appliedOffset}`;
      if (epoch < before.epoch || appliedOffset < before.appliedOffset) {
        this.report({ invariant: 'INV-10', text: `${was}, ${is}`, room: null });
      }
    }
  }

  private checkOrder(row: LogRow): void {
    const last = this.lastRows.get(row.partition);
    this.lastRows.set(row.partition, row);
    if (last !== undefined && row.epoch < last.epoch) {
      this.fault(
        'INV-10',
        row,
        `${named(row)} was committed after ${named(last)} of partition ${row.partition}: a former owner wrote`,
      );
    }
    if (row.kafkaOffset === null) return;
    const key = `${row.appCode}\0${row.roomId}`;
    const before = this.lastOfRoom.get(key);
    this.lastOfRoom.set(key, row);
    if (before?.partition !== row.partition || before.kafkaOffset === null) return;
    if (row.kafkaOffset <= before.kafkaOffset) {
      this.fault(
        'INV-10',
        row,
        `${named(row)} was decided after ${named(before)}, against the order of the partition`,
      );
    }
  }

  private checkOwner(row: LogRow): void {
    const owner = this.owners.get(row.partition);
    if (owner?.epoch !== row.epoch || owner.node !== row.ownerNodeId) {
      const inForce = owner === undefined ? 'nobody' : `epoch ${owner.epoch} of ${owner.node}`;
      this.fault(
        'INV-12',
        row,
        `${named(row)} was committed while partition ${row.partition} was owned by ${inForce}`,
      );
    }
    const [epoch, counter] = row.leaseToken.split('.');
    if (epoch === String(row.epoch) && /^\d+$/.test(counter ?? '')) return;
    this.fault('INV-12', row, `${named(row)} carries the lease token ${row.leaseToken}`);
  }

  private fault(invariant: string, { appCode, roomId }: LogRow, text: string): void {
    this.report({ invariant, text, room: { appCode, roomId } });
  }
}

function named(row: LogRow): string {
  return `${row.commandId} (epoch ${row.epoch}, ${row.ownerNodeId}, offset ${row.kafkaOffset})`;
}
