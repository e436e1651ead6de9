/**
 * What the answer to a lane's first packet means: the one place where affected rows and errors
 * become a CommitOutcome. Which statement failed matters as much as how: 1205 on a fence row is
 * somebody's claim on a partition, elsewhere it is an ordinary conflict.
 */
import { assertDefined } from '../../kernel/assert.ts';
import { roomKeyOf } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomKey } from '../../domain/ids.ts';
import type { CommitOutcome, LaneBatch } from '../../ports/commit-lane.ts';
import type { CommitPacket, PacketStep } from './commit-packet.ts';
import type { MysqlError } from './mysql-errors.ts';
import type { PacketResult, StatementResult } from './session.ts';

/**
 * The outcome of a packet that must be rolled back, or null when it may be committed. Affected rows
 * are asked of single-row UPDATEs only: an upsert counts 1 for a new row, 2 for a changed one, and
 * its sum over many rows says nothing.
 */
export function packetVerdict(
  batch: LaneBatch,
  packet: CommitPacket,
  answer: PacketResult,
): CommitOutcome | null {
  const fenced: number[] = [];
  let stale: RoomKey[] = [];
  for (const [index, result] of answer.results.entries()) {
    const step = assertDefined(packet.steps[index], 'more answers than statements');
    if (step.kind === 'fence' && result.affected === 0) fenced.push(step.partition);
    if (step.kind === 'roomUpdate' && result.affected === 0) stale = stale.concat(step.roomKeys);
    if (step.kind === 'versionCheck') stale = stale.concat(differingRooms(batch, result));
  }
  // Fenced comes first: of a partition that is no longer ours nothing else can be believed, and
  // whatever else failed may be the successor's doing.
  if (fenced.length > 0) return { kind: 'fenced', partitions: fenced };
  // A room that is not what memory holds explains a later duplicate, and never the other way round.
  if (stale.length > 0) return { kind: 'staleRooms', roomKeys: [...new Set(stale)] };
  if (answer.error === null) return null;
  const step = packet.steps[answer.results.length];
  return failedStatement(answer.error, step ?? { kind: 'begin' });
}

/** Rooms whose stored version is not the one in memory; a room without a row has version 0. */
function differingRooms(batch: LaneBatch, answer: StatementResult): RoomKey[] {
  const stored = new Map<RoomKey, bigint>();
  for (const row of answer.rows) {
    const roomKey = roomKeyOf(row['app_code'] as AppCode, row['room_id'] as RoomId);
    stored.set(roomKey, BigInt(String(row['version'])));
  }
  return batch.versionChecks
    .filter(({ roomKey, version }) => (stored.get(roomKey) ?? 0n) !== version)
    .map(({ roomKey }) => roomKey);
}

function failedStatement(error: MysqlError, step: PacketStep): CommitOutcome {
  const cause = `${step.kind}: ${error.message}`;
  switch (error.sort) {
    case 'deadlock':
      return { kind: 'conflict', cause };
    case 'lockWait':
      if (step.kind === 'fence') return { kind: 'fenceBusy', partitions: [step.partition] };
      return { kind: 'conflict', cause };
    case 'duplicate':
      return duplicate(error, step, cause);
    case 'data':
      return { kind: 'dataError', cause };
    default:
      return { kind: 'unavailable', cause };
  }
}

/**
 * Key names decide within a statement: the same table has keys of different meaning. When the key
 * does not tell which room it was, all rooms of the statement are named: a reload too many is
 * harmless. An event id that exists under other keys is no race but data that can never be stored.
 */
function duplicate(error: MysqlError, step: PacketStep, cause: string): CommitOutcome {
  switch (step.kind) {
    case 'roomsInsert':
      return { kind: 'staleRooms', roomKeys: step.roomKeys };
    case 'log':
      if (error.key === 'PRIMARY') return { kind: 'duplicateCommand', cause };
      return { kind: 'staleRooms', roomKeys: roomsNamedIn(error, step.roomKeys) };
    case 'events':
      if (error.key === 'PRIMARY') {
        return { kind: 'staleRooms', roomKeys: roomsNamedIn(error, step.roomKeys) };
      }
      return { kind: 'dataError', cause };
    default:
      return { kind: 'dataError', cause };
  }
}

/**
 * The message shows the values of the key joined by `-`, which ids may hold too: a room counts as
 * named when the value begins with its app and room. More than one may; none means that the text
 * tells nothing.
 */
function roomsNamedIn(error: MysqlError, roomKeys: readonly RoomKey[]): readonly RoomKey[] {
  const named = roomKeys.filter((roomKey) =>
    error.message.includes(`Duplicate entry '${roomKey.replace('\0', '-')}-`),
  );
  return named.length > 0 ? named : roomKeys;
}
