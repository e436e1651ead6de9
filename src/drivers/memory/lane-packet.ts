/**
 * A commit lane's first packet on the memory database: the statements of the real one in their
 * order, each with the rows it locks. The server runs them until one fails; a fence that matches no
 * row fails nothing, so that what counts is told afterwards, all of it.
 */
import { roomKeyOf, type RoomKey } from '../../domain/ids.ts';
import type { CommitOutcome, FenceStep, LaneBatch } from '../../ports/commit-lane.ts';
import { columnRefusal } from './column-limits.ts';
import { upsertGifts } from './lane-gifts.ts';
import { insertEvents, insertLogRows, upsertDeadLetters } from './lane-inserts.ts';
import { changeUserRooms, upsertListEntries } from './lane-rooms.ts';
import { change, put, type MemoryDatabase } from './memory-database.ts';
import { logKey, placeKey, versionKey } from './memory-rows.ts';
import type { MemoryTransaction } from './memory-session.ts';

/** What a packet runs on. */
export interface LanePacket {
  readonly database: MemoryDatabase;
  readonly transaction: MemoryTransaction;
  readonly batch: LaneBatch;
  readonly lockWaitMs: number;
  /** Refuses the data by a test's hand. */
  readonly dataFault: (batch: LaneBatch) => boolean;
  /** The statement that stores the log rows waits in vain for a lock. */
  readonly logRowsLocked: boolean;
}

interface Findings {
  readonly fenced: number[];
  readonly stale: RoomKey[];
}

/** One statement. `run` stages what it writes, or answers why it fails. */
interface Statement {
  /** Set for a fence: a lock wait here is somebody's claim on the partition. */
  readonly partition?: number;
  readonly locks: readonly string[];
  readonly run: () => CommitOutcome | null;
}

/** Name of an owner row's lock. */
export function ownerLock(partition: number): string {
  return `partition_owner/${partition}`;
}

/** Name of a room row's lock. */
export function roomLock(roomKey: RoomKey): string {
  return `rooms/${roomKey}`;
}

/** Runs the packet; answers why it must be rolled back, or null when it may be committed. */
export async function runPacket(packet: LanePacket): Promise<CommitOutcome | null> {
  const findings: Findings = { fenced: [], stale: [] };
  let failure: CommitOutcome | null = null;
  for (const statement of statementsOf(packet, findings)) {
    failure = (await lockRows(packet, statement)) ?? statement.run();
    if (failure !== null) break;
  }
  // Fenced comes first: whatever else failed may be the successor's doing.
  if (findings.fenced.length > 0) return { kind: 'fenced', partitions: findings.fenced };
  // A room that is not what memory holds explains a later duplicate, and never the other way round.
  if (findings.stale.length > 0) {
    return { kind: 'staleRooms', roomKeys: [...new Set(findings.stale)] };
  }
  return failure;
}

async function lockRows(packet: LanePacket, statement: Statement): Promise<CommitOutcome | null> {
  for (const key of statement.locks) {
    const answer = await packet.transaction.lock(key, packet.lockWaitMs);
    if (answer === 'granted') continue;
    if (answer === 'deadlock') return { kind: 'conflict', cause: `${key}: 1213 deadlock` };
    if (answer === 'sessionEnded') return { kind: 'unavailable', cause: `${key}: killed` };
    const { partition } = statement;
    if (partition !== undefined) return { kind: 'fenceBusy', partitions: [partition] };
    return { kind: 'conflict', cause: `${key}: 1205 lock wait` };
  }
  return null;
}

/** Made one by one, so that each sees what the database holds at its turn. */
function* statementsOf(packet: LanePacket, findings: Findings): Generator<Statement> {
  const { batch, database } = packet;
  const ascending = [...batch.fences].sort((one, other) => one.partition - other.partition);
  for (const fence of ascending) yield fenceStatement(packet, fence, findings);
  // Committed data, read without locks: behind the fence nobody can change it.
  for (const { roomKey, version } of batch.versionChecks) {
    if ((database.rooms.get(roomKey)?.version ?? 0n) !== version) findings.stale.push(roomKey);
  }
  yield dataStatement(packet);
  yield* roomStatements(packet, findings);
  yield logStatement(packet);
  yield eventStatement(packet);
  yield {
    locks: [],
    run: () => {
      upsertDeadLetters(database, packet.transaction, batch.deadLetters);
      return upsertGifts(database, packet.transaction, batch);
    },
  };
}

function fenceStatement(packet: LanePacket, fence: FenceStep, findings: Findings): Statement {
  const { database, transaction } = packet;
  const { partition, epoch, incarnation, commitSeq, appliedOffset, appliedRecordMs } = fence;
  const run = (): null => {
    const row = database.owners.get(partition);
    if (row?.epoch !== epoch || row.incarnation !== incarnation || row.commitSeq !== commitSeq) {
      findings.fenced.push(partition);
      return null;
    }
    transaction.stage(
      change(database.owners, partition, (owner) => {
        const updatedAtMs = database.server.clock.wallMs();
        const commitSeq = owner.commitSeq + 1n;
        return { ...owner, appliedOffset, appliedRecordMs, commitSeq, updatedAtMs };
      }),
    );
    const marked = [...(database.settled.get(partition) ?? []), ...fence.settledOffsets];
    const above = new Set(marked.filter((offset) => offset > appliedOffset));
    transaction.stage(put(database.settled, partition, above));
    return null;
  };
  return { partition, locks: [ownerLock(partition)], run };
}

function dataStatement({ batch, dataFault }: LanePacket): Statement {
  const run = (): CommitOutcome | null => {
    const refusal = columnRefusal(batch);
    if (refusal !== null) return { kind: 'dataError', cause: refusal };
    return dataFault(batch) ? { kind: 'dataError', cause: 'refused by the test' } : null;
  };
  return { locks: [], run };
}

function* roomStatements(packet: LanePacket, findings: Findings): Generator<Statement> {
  const { batch, database, transaction } = packet;
  const keyed = batch.roomRows.map((row) => ({ row, key: roomKeyOf(row.appCode, row.roomId) }));
  const created = keyed.filter(({ row }) => row.previousVersion === 0n);
  const createdKeys = created.map(({ key }) => key);
  yield {
    locks: createdKeys.map(roomLock),
    run: () => {
      if (createdKeys.some((key) => database.rooms.has(key))) {
        return { kind: 'staleRooms', roomKeys: createdKeys };
      }
      for (const { row, key } of created) transaction.stage(put(database.rooms, key, row));
      return null;
    },
  };
  for (const { row, key } of keyed) {
    if (row.previousVersion === 0n) continue;
    yield {
      locks: [roomLock(key)],
      run: () => {
        const stored = database.rooms.get(key);
        if (stored?.version !== row.previousVersion) findings.stale.push(key);
        else
          transaction.stage(put(database.rooms, key, { ...row, createdAtMs: stored.createdAtMs }));
        return null;
      },
    };
  }
  yield {
    locks: [],
    run: () => {
      upsertListEntries(database, transaction, batch.roomRows);
      changeUserRooms(database, transaction, batch.userRooms);
      return null;
    },
  };
}

function logStatement({ batch, database, transaction, logRowsLocked }: LanePacket): Statement {
  const locks = batch.logRows.flatMap((row) => {
    const version = versionKey(row);
    const id = `log/${logKey(roomKeyOf(row.appCode, row.roomId), row.commandId)}`;
    return version === null ? [id] : [id, `version/${version}`];
  });
  const run = (): CommitOutcome | null => {
    if (logRowsLocked) return { kind: 'conflict', cause: 'log: 1205 lock wait by the test' };
    return insertLogRows(database, transaction, batch.logRows);
  };
  return { locks, run };
}

function eventStatement({ batch, database, transaction }: LanePacket): Statement {
  const locks = batch.eventRows.flatMap((row) => [
    `event/${row.eventId}`,
    `place/${placeKey(row)}`,
  ]);
  return { locks, run: () => insertEvents(database, transaction, batch.eventRows) };
}
