/** A result as a client reads it that gets it over gRPC. */
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { CommandResultSchema } from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { commandResult } from '../../../src/drivers/grpc/room-answers.ts';
import type { ResultRecord } from '../../../src/protocol/records.ts';
import { resultOf } from '../../chaos/clients/wire-results.ts';

/** Through the gateway's words, their bytes, and back. */
export function asShown(result: ResultRecord): ResultRecord {
  const success = { roomId: 'r1', result, replayed: false, view: null };
  const message: MessageInitShape<typeof CommandResultSchema> = commandResult(success, new Map());
  const bytes = toBinary(CommandResultSchema, create(CommandResultSchema, message));
  return resultOf(fromBinary(CommandResultSchema, bytes));
}
