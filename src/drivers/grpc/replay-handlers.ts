/** The part of RoomAdmin about what was set aside and is sent again. Translation only. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { DeadLetterView, OperatorApi, OutboxChoice } from '../../ports/operator-api.ts';
import type { ReviewedRow } from '../../ports/replay-store.ts';
import type {
  DeadLetterSchema,
  OutboxFilter,
  OutboxRowSchema,
  RoomAdmin,
} from './generated/roomcell/v1/room_admin_pb.ts';
import type { ServiceHandlers } from './grpc-bridge.ts';
import type { FrameOf } from './query-handlers.ts';

/** A handler for each of these methods. */
export function replayHandlers(
  api: OperatorApi,
  frameOf: FrameOf,
): Pick<
  ServiceHandlers<typeof RoomAdmin>,
  'listOutbox' | 'replayOutbox' | 'dismissOutbox' | 'listDeadLetters' | 'replayDeadLetter'
> {
  return {
    listOutbox: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { rows, nextCursor } = await api.listOutbox(frame, {
        ...request,
        ...choiceOf(request),
      });
      return { rows: rows.map(rowOf), nextCursor };
    },
    replayOutbox: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return { rows: await api.replayOutbox(frame, { ...request, ...choiceOf(request) }) };
    },
    dismissOutbox: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return { rows: await api.dismissOutbox(frame, { ...request, ...choiceOf(request) }) };
    },
    listDeadLetters: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      const { letters, nextCursor } = await api.listDeadLetters(frame, request);
      return { letters: letters.map(letterOf), nextCursor };
    },
    replayDeadLetter: async (request, context) => {
      const frame = await frameOf(context, request.appCode);
      return { offset: await api.replayDeadLetter(frame, request) };
    },
  };
}

/** No filter at all means every row. */
function choiceOf({
  appCode,
  filter,
}: {
  readonly appCode: string;
  readonly filter?: OutboxFilter | undefined;
}): OutboxChoice {
  return {
    appCode,
    roomId: filter?.roomId ?? '',
    eventId: filter?.eventId ?? '',
    destination: filter?.destination ?? '',
    eventType: filter?.eventType ?? '',
    createdBeforeMs: filter?.createdBeforeMs ?? 0n,
  };
}

function rowOf(row: ReviewedRow): MessageInitShape<typeof OutboxRowSchema> {
  return {
    ...row,
    nextRetryAtMs: BigInt(row.nextRetryAtMs),
    lockUntilMs: BigInt(row.lockUntilMs),
    createdAtMs: BigInt(row.createdAtMs),
    finishedAtMs: BigInt(row.finishedAtMs ?? 0),
  };
}

function letterOf(letter: DeadLetterView): MessageInitShape<typeof DeadLetterSchema> {
  const { partition, offset, reason, detail, replayedBy, record, command } = letter;
  return {
    ...{ partition, offset, reason, detail, replayedBy },
    recordTimeMs: BigInt(letter.recordTimeMs),
    createdAtMs: BigInt(letter.createdAtMs),
    replayedAtMs: BigInt(letter.replayedAtMs),
    recordValue: record === null ? new Uint8Array() : record.value,
    commandAppCode: command?.appCode ?? '',
    commandRoomId: command?.roomId ?? '',
    commandId: command?.commandId ?? '',
    commandType: command?.type ?? '',
  };
}
