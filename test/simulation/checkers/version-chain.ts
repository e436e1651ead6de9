/**
 * INV-5: a room's versions are 1 … n, each row holds h(v) over everything before it, and snapshots
 * hold the hash of their bytes and the link of their version.
 */
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { sha256 } from './derived.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';
import type { SnapshotRow } from '../../../src/ports/snapshot-store.ts';
import { roomOfKey } from './calls.ts';

/** Makes it; see the file header. */
export const versionChain: CheckerFactory = (world, report) => new VersionChain(world, report);

class VersionChain implements Checker {
  readonly invariants = ['INV-5'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly seenSnapshots = new Map<string, readonly SnapshotRow[]>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step);
    for (const [key, snapshots] of this.world.database.snapshots) {
      if (this.seenSnapshots.get(key) === snapshots) continue;
      const seen = this.seenSnapshots.get(key) ?? [];
      for (const row of snapshots) if (!seen.includes(row)) this.checkSnapshot(key, row);
      this.seenSnapshots.set(key, snapshots);
    }
  }

  atEnd(): void {
    this.look();
    for (const room of this.reading.rooms.values()) {
      const meta = this.world.database.rooms.get(room.key as never);
      const link = meta === undefined ? null : Buffer.from(meta.chainHash);
      if (link === null || link.equals(room.link)) continue;
      this.fault(
        room.key,
        `the rooms row ends in ${short(link)}, the log's ${room.current.version} versions in ${short(room.link)}`,
      );
    }
  }

  private checkStep({ room, row, version, states, link, fault }: LoggedStep): void {
    const before = states[0]?.version ?? 0n;
    const by = `${row.commandId} (epoch ${row.epoch}, offset ${row.kafkaOffset}, ${row.ownerNodeId})`;
    if (version !== before + 1n) {
      this.fault(room.key, `version ${version} by ${by} follows version ${before}`);
    }
    if (fault !== null)
      this.fault(room.key, `version ${version} by ${by} cannot be read: ${fault}`);
    if (row.chainHash === null || !Buffer.from(row.chainHash).equals(link)) {
      const held = row.chainHash === null ? 'no link' : short(row.chainHash);
      this.fault(
        room.key,
        `version ${version} by ${by} holds ${held}, and its events after those before it make ${short(link)}`,
      );
    }
  }

  private checkSnapshot(key: string, row: SnapshotRow): void {
    if (!sha256(row.bytes).equals(row.stateHash)) {
      this.fault(
        key,
        `the snapshot of version ${row.version} is stored with another hash than its bytes have`,
      );
    }
    const link = this.reading.rooms.get(key)?.links.get(row.version);
    if (link !== undefined && Buffer.from(row.chainHash).equals(link)) return;
    const why =
      link === undefined ? 'no such version is logged' : `the log has ${short(link)} there`;
    this.fault(key, `the snapshot of version ${row.version} holds ${short(row.chainHash)}: ${why}`);
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-5', text, room: roomOfKey(key) });
  }
}

function short(hash: Uint8Array): string {
  return `h(${Buffer.from(hash).toString('hex').slice(0, 12)}…)`;
}
