/** Rows of the outbox as an app's operators look at them, and send failed ones again or give them up (QRY-5). */
import { wideIdFault } from '../../domain/ids.ts';
import type { AppCode, EventId, RoomId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperatorApi, OutboxChoice } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import { outboxStatuses, replayRowsMax } from '../../ports/replay-store.ts';
import type { OutboxFilter, OutboxStatus, ReplayStore } from '../../ports/replay-store.ts';
import { destinations, type Destination } from '../../protocol/topics.ts';
import { createFieldFaults, type FieldFaults } from '../field-faults.ts';
import { isTime } from '../field-rules.ts';
import { cursorBehind, pageFaults, pageSizeOf } from '../pages.ts';
import { authorizeOperator } from './authorize-operator.ts';
import { actFaults, actHead, carryOut, orUnknown } from './carry-out.ts';

const rowIdText = /^[0-9]{1,18}$/;
const eventIdText = /^[0-9a-f-]{36}$/;
const eventTypeText = /^[A-Za-z]{1,48}$/;
const usualReplay = 100;

/** What rows are looked at with. */
export interface OutboxPorts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly operatorStore: Pick<OperatorStore, 'carryOut'>;
  readonly replayStore: Pick<ReplayStore, 'outboxRows' | 'replayedRows'>;
}

/** See `OperatorApi`. */
export function createOutboxActs(
  ports: OutboxPorts,
): Pick<OperatorApi, 'listOutbox' | 'replayOutbox' | 'dismissOutbox'> {
  const { replayStore } = ports;
  return {
    async listOutbox(frame, request) {
      authorizeOperator(frame, { appCode: request.appCode, actorUserId: '' });
      const faults = createFieldFaults();
      faults.add('app_code', wideIdFault(request.appCode));
      choiceFaults(faults, request);
      const status = (request.status === '' ? 'failed' : request.status) as OutboxStatus;
      faults.add('status', outboxStatuses.includes(status) ? null : 'unknown');
      // Rows that were delivered are the whole outbox: somebody must say where to look.
      const isNamed = request.roomId !== '' || request.eventId !== '';
      if (status === 'delivered' && !isNamed) faults.add('room_id', 'missing');
      const after = pageFaults(faults, request, rowIdFault);
      faults.throwIfAny();
      const size = pageSizeOf(request.pageSize);
      const afterId = after === '' ? 0n : BigInt(after);
      const rows = await replayStore.outboxRows(filterOf(request), status, afterId, size);
      return { rows, nextCursor: cursorBehind(rows, size, ({ rowId }) => String(rowId)) };
    },
    replayOutbox: (frame, request) => actOnFailed(ports, 'ReplayOutbox', frame, request),
    dismissOutbox: (frame, request) => actOnFailed(ports, 'DismissOutbox', frame, request),
  };
}

/** An act on failed rows, or in a dry run how many it would be about. */
async function actOnFailed(
  ports: OutboxPorts,
  type: 'ReplayOutbox' | 'DismissOutbox',
  ...[frame, request]: Parameters<OperatorApi['replayOutbox']>
): Promise<number> {
  const { replayStore } = ports;
  const operatorId = authorizeOperator(frame, request);
  const faults = actFaults(request, operatorId);
  choiceFaults(faults, request);
  faults.integer('limit', request.limit, 0, replayRowsMax);
  faults.throwIfAny();
  const filter = filterOf(request);
  const limit = request.limit === 0 ? usualReplay : request.limit;
  if (request.dryRun) return (await replayStore.outboxRows(filter, 'failed', 0n, limit)).length;
  const head = actHead(request, operatorId);
  await carryOut(ports, { ...filter, ...head, type, limit });
  return orUnknown(replayStore.replayedRows(head.appCode, head.commandId));
}

function choiceFaults(faults: FieldFaults, choice: OutboxChoice): void {
  const { roomId, eventId, destination, eventType, createdBeforeMs } = choice;
  if (roomId !== '') faults.add('room_id', wideIdFault(roomId));
  if (eventId !== '' && !eventIdText.test(eventId)) faults.add('event_id', 'malformed');
  const isKnown = destination === '' || (destinations as readonly string[]).includes(destination);
  faults.add('destination', isKnown ? null : 'unknown');
  if (eventType !== '' && !eventTypeText.test(eventType)) faults.add('event_type', 'malformed');
  if (!isTime(createdBeforeMs)) faults.add('created_before_ms', 'not a time in milliseconds');
}

function filterOf(choice: OutboxChoice): OutboxFilter {
  return {
    appCode: choice.appCode as AppCode,
    roomId: choice.roomId as RoomId | '',
    eventId: choice.eventId as EventId | '',
    destination: choice.destination as Destination | '',
    eventType: choice.eventType,
    createdBeforeMs: Number(choice.createdBeforeMs),
  };
}

function rowIdFault(text: string): string | null {
  return rowIdText.test(text) ? null : 'malformed';
}
