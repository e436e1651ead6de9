/** What operators may do, put together. Long calls have few places, so that they starve nobody. */
import type { CommandSink } from '../../ports/command-sink.ts';
import type { OperatorApi } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import type { CallGate } from '../call-gate.ts';
import type { GatewayLimits } from '../limits.ts';
import { notProduced, refusal } from '../refusals.ts';
import { createPlainActs, type ActPorts } from './carry-out.ts';
import { createCatalogueActs, type CataloguePorts } from './catalogue.ts';
import { createEvictUser } from './evict-user.ts';
import type { EvictUserParts, EvictUserPorts } from './evict-user.ts';
import { createGetRoomHistory } from './get-room-history.ts';
import { createDeadLetterActs, type DeadLetterPorts } from './dead-letters.ts';
import { createOutboxActs, type OutboxPorts } from './outbox.ts';
import { createPartitionActs } from './partitions.ts';
import type { PartitionPorts } from './partitions.ts';
import { createVerifyRoom } from './verify-room.ts';
import type { VerifyRoomPorts } from './verify-room.ts';

/** Evictions and verifications of this gateway at once. Full: GATEWAY_BUSY. */
export const longCallsMax = 4;

/** What operators' calls stand on. */
export interface OperatorPorts
  extends
    EvictUserPorts,
    VerifyRoomPorts,
    PartitionPorts,
    OutboxPorts,
    DeadLetterPorts,
    CataloguePorts {
  readonly clock: EvictUserPorts['clock'];
  readonly codec: EvictUserPorts['codec'];
  readonly schemaRegistry: EvictUserPorts['schemaRegistry'];
  readonly operatorStore: OperatorStore;
  readonly replayStore: ReplayStore;
  readonly commandSink: Pick<CommandSink, 'endOffset' | 'produce'>;
  readonly listChanged?: NonNullable<ActPorts['listChanged']>;
}

/** The calls, each counted by the gate while it runs. */
export function createOperators(
  ports: OperatorPorts,
  parts: EvictUserParts & { readonly gate: CallGate; readonly deploymentApp: string },
): OperatorApi {
  const { gate, limits } = parts;
  const inPlace = createPlaces(limits);
  const evictUser = createEvictUser(ports, parts);
  const verifyRoom = createVerifyRoom(ports, limits);
  const getRoomHistory = createGetRoomHistory(ports.operatorStore);
  const { liftPlatformBan, pinRoom } = createPlainActs(ports);
  const { listPartitions, acceptState, drainNode } = createPartitionActs(ports, parts);
  const { listOutbox, replayOutbox, dismissOutbox } = createOutboxActs(ports);
  const { listDeadLetters, replayDeadLetter } = createDeadLetterActs(ports, parts);
  const catalogue = createCatalogueActs(ports);
  return {
    listOutbox: (frame, page) => gate.run(() => listOutbox(frame, page)),
    replayOutbox: (frame, request) => gate.run(() => replayOutbox(frame, request)),
    dismissOutbox: (frame, request) => gate.run(() => dismissOutbox(frame, request)),
    listDeadLetters: (frame, page) => gate.run(() => listDeadLetters(frame, page)),
    replayDeadLetter: (frame, request) => gate.run(() => replayDeadLetter(frame, request)),
    listPartitions: (frame, request) => gate.run(() => listPartitions(frame, request)),
    acceptState: (frame, request) => gate.run(() => acceptState(frame, request)),
    drainNode: (frame, request) => gate.run(() => drainNode(frame, request)),
    evictUser: (frame, request) => gate.run(() => inPlace(() => evictUser(frame, request))),
    liftPlatformBan: (frame, request) => gate.run(() => liftPlatformBan(frame, request)),
    pinRoom: (frame, request) => gate.run(() => pinRoom(frame, request)),
    listGifts: (frame, page) => gate.run(() => catalogue.listGifts(frame, page)),
    setGift: (frame, request) => gate.run(() => catalogue.setGift(frame, request)),
    getRocketRules: (frame, request) => gate.run(() => catalogue.getRocketRules(frame, request)),
    setRocketRules: (frame, request) => gate.run(() => catalogue.setRocketRules(frame, request)),
    getRoomHistory: (frame, page) => gate.run(() => getRoomHistory(frame, page)),
    verifyRoom: (frame, place) => gate.run(() => inPlace(() => verifyRoom(frame, place))),
  };
}

function createPlaces({
  busyRetryMs,
}: Pick<GatewayLimits, 'busyRetryMs'>): <T>(call: () => Promise<T>) => Promise<T> {
  let taken = 0;
  return async (call) => {
    if (taken >= longCallsMax) {
      throw refusal('GATEWAY_BUSY', notProduced, { retryAfterMs: busyRetryMs });
    }
    taken += 1;
    try {
      return await call();
    } finally {
      taken -= 1;
    }
  };
}
