/** The operators' calls over three failed rows of the outbox and three records that were set aside. */
import type { RoomId } from '../../../../src/domain/ids.ts';
import { put } from '../../../../src/drivers/memory/memory-database.ts';
import type { OperatorPorts } from '../../../../src/gateway/operators/operators.ts';
import type { DeadLetterRow } from '../../../../src/ports/commit-lane.ts';
import type { CommandRecord } from '../../../../src/protocol/records.ts';
import { putMemoryRow } from '../../../support/memory-outbox-rows.ts';
import { appCode, codec } from '../gateway-fakes.ts';
import { operatorsRig } from './operators-rig.ts';

/** See the file header. `change` puts other ports in place. */
export function memoryReplayRig(change: Partial<OperatorPorts> = {}) {
  const rig = operatorsRig(change);
  const { database } = rig;
  const ids = [1, 2, 3].map((version) =>
    putMemoryRow(database, { room: 'r1', version, status: 'failed', retryCount: 10 }),
  );
  for (const rowId of ids) {
    const row = database.outbox.get(rowId);
    if (row !== undefined) database.commit([put(database.outbox, rowId, { ...row, appCode })]);
  }
  const letters: readonly Partial<DeadLetterRow>[] = [
    { kafkaOffset: 5n, recordValue: codec.encodeCommand(leave()) },
    { kafkaOffset: 6n, recordValue: Buffer.from('no command') },
    { kafkaOffset: 7n, recordKey: null, recordValue: null },
  ];
  database.deadLetters.push(...letters.map(letterOf));
  const statuses = (): unknown[] => ids.map((rowId) => database.outbox.get(rowId)?.status);
  return Promise.resolve({ ...rig, statuses });
}

function leave(): CommandRecord {
  return {
    kind: 'command',
    appCode,
    roomId: 'r1' as RoomId,
    commandId: 'c1',
    actorUserId: 'u1',
    actorRole: 'user',
    clientTimeMs: 0,
    snapshotMode: 'none',
    body: { type: 'LeaveRoom' },
  } as CommandRecord;
}

function letterOf(change: Partial<DeadLetterRow>): DeadLetterRow {
  const headers = { 'rc-ttl-ms': '500', 'rc-correlation-id': 'a:1', 'rc-reply-partition': '3' };
  return {
    topic: 't.commands',
    partition: 1,
    kafkaOffset: 0n,
    reason: 'UNDECODABLE',
    detail: 'why',
    recordKey: Buffer.from([1, 2]),
    recordValue: Buffer.from([3]),
    headersJson: JSON.stringify(headers),
    recordTimeMs: 1,
    createdAtMs: 2,
    ...change,
  };
}
