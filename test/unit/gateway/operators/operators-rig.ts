/**
 * The operators' calls on the twin of the tables, with rooms that a test plays: it says what becomes of
 * each eviction that is sent.
 */
import { put, remove } from '../../../../src/drivers/memory/memory-database.ts';
import { userRoomKey } from '../../../../src/drivers/memory/memory-rows.ts';
import type { RoomId, UserId } from '../../../../src/domain/ids.ts';
import { createCallGate } from '../../../../src/gateway/call-gate.ts';
import type { ExchangeEnd, ExchangeRequest } from '../../../../src/gateway/exchange.ts';
import { defaultGatewayLimits } from '../../../../src/gateway/limits.ts';
import {
  createOperators,
  type OperatorPorts,
} from '../../../../src/gateway/operators/operators.ts';
import type { OutgoingRecord } from '../../../../src/ports/command-sink.ts';
import type { CallFrame, Caller } from '../../../../src/ports/room-api.ts';
import type { CommandRecord } from '../../../../src/protocol/records.ts';
import { MemoryLog } from '../../../support/memory-log.ts';
import { openMemorySpace } from '../../../support/memory-space.ts';
import {
  appCode,
  codec,
  emptyRegistry,
  frame,
  refusalReply,
  resultReply,
} from '../gateway-fakes.ts';

export const operator: Caller = { appCode, subject: 'op-1', role: 'operator' };
export const bad = 'bad' as UserId;

/** A call of the operator. */
export function byOperator(change: Partial<CallFrame> = {}): CallFrame {
  return frame({ caller: operator, ...change });
}

/** The request that takes `bad` out of every room, for ever. */
export function eviction(change: object = {}) {
  return {
    appCode,
    commandId: 'e1',
    actorUserId: '',
    userId: bad,
    roomId: '',
    reason: 'spam',
    expiresAtMs: 0n,
    ...change,
  };
}

export const unheard: ExchangeEnd = { kind: 'unknown', produced: 'yes', cause: 'timeout' };
export const busy: ExchangeEnd = { kind: 'reply', reply: refusalReply('OWNER_BUSY', 50) };
export const rejection = (reason: string): ExchangeEnd => ({
  kind: 'reply',
  reply: resultReply({ outcome: 'rejected', reason }),
});

/** See the file header. `change` puts other ports in place. */
export function operatorsRig(change: Partial<OperatorPorts> = {}) {
  const { database, drivers, time, ended } = openMemorySpace();
  const rowOf = (roomId: string) => ({
    appCode,
    userId: bad,
    roomId: roomId as RoomId,
    joinedAtMs: 1,
  });
  const enter = (...rooms: string[]): void => {
    for (const row of rooms.map(rowOf)) {
      database.commit([put(database.userRooms, userRoomKey(row), row)]);
    }
  };
  const leave = (roomId: string): void =>
    database.commit([remove(database.userRooms, userRoomKey(rowOf(roomId)))]);
  const sent: { readonly record: CommandRecord; readonly request: ExchangeRequest }[] = [];
  /** What a room answers; the healthy one lets the user go. */
  const room = {
    onEvict: (roomId: string, _commandId: string): ExchangeEnd | Promise<ExchangeEnd> => {
      leave(roomId);
      return { kind: 'reply', reply: resultReply() };
    },
  };
  const produced: OutgoingRecord[] = [];
  const gate = createCallGate();
  gate.open();
  const operators = createOperators(
    {
      clock: time,
      timers: time,
      log: new MemoryLog(),
      codec,
      schemaRegistry: emptyRegistry,
      roomQueries: drivers.roomQueries,
      roomReader: drivers.roomReader,
      operatorStore: drivers.operatorStore,
      partitionStore: drivers.partitionStore,
      partitionStops: drivers.partitionStops,
      nodeRegistry: drivers.nodeRegistry,
      replayStore: drivers.replayStore,
      giftCatalogue: drivers.giftCatalogue,
      rocketRules: drivers.rocketRules,
      commandSink: {
        endOffset: () => Promise.resolve(10n),
        produce: (record) => {
          produced.push(record);
          return Promise.resolve({ kind: 'stored', offset: 10n });
        },
      },
      ...change,
    },
    {
      gate,
      limits: defaultGatewayLimits,
      partitionCount: 8,
      deploymentApp: 'platform',
      exchange: async (request) => {
        const record = request.record as CommandRecord;
        sent.push({ record, request });
        return room.onEvict(record.roomId, record.commandId);
      },
    },
  );
  const told = (): string[] => sent.map(({ record }) => `${record.roomId} ${record.commandId}`);
  const seen = { sent, told, produced };
  return { database, drivers, time, ended, enter, leave, ...seen, room, gate, operators };
}
