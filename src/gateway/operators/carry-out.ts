/** The one write of an operator's act, and the checks that all acts share. */
import { commandIdFault, roomKeyOf, userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomKey, UserId } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperatorApi, OperatorMeta } from '../../ports/operator-api.ts';
import type { OperatorAct, OperatorStore } from '../../ports/operator-store.ts';
import { createFieldFaults } from '../field-faults.ts';
import type { FieldFaults } from '../field-faults.ts';
import { fieldSizes } from '../field-rules.ts';
import { refusal } from '../refusals.ts';
import { authorizeOperator } from './authorize-operator.ts';

/** What an act is written with. */
export interface ActPorts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly operatorStore: Pick<OperatorStore, 'carryOut'>;
  /** Told which rooms stand elsewhere in the list now. Never waits. */
  readonly listChanged?: (roomKeys: readonly RoomKey[]) => void;
}

/** Notes the faults of the fields that every act has. */
export function actFaults(meta: OperatorMeta, operatorId: string): FieldFaults {
  const faults = createFieldFaults();
  faults.add('app_code', wideIdFault(meta.appCode));
  faults.add('command_id', commandIdFault(meta.commandId));
  faults.add('actor_user_id', userIdFault(operatorId));
  return faults;
}

/** The part of a checked act that says who did it. */
export function actHead(
  { appCode, commandId }: OperatorMeta,
  operatorId: string,
): Pick<OperatorAct, 'appCode' | 'commandId' | 'operatorId'> {
  return {
    appCode: appCode as AppCode,
    commandId: commandId as CommandId,
    operatorId: operatorId as UserId,
  };
}

/**
 * Resolves when the act is written, now or by an earlier call. Throws COMMAND_ID_REUSED, ROOM_NOT_FOUND,
 * PARTITION_RUNS, NO_DEAD_LETTER, NODE_UNKNOWN.
 */
export async function carryOut(ports: ActPorts, act: OperatorAct): Promise<void> {
  const outcome = await orUnknown(ports.operatorStore.carryOut(act, ports.clock.wallMs()));
  if (outcome === 'reused') throw refusal('COMMAND_ID_REUSED');
  if (outcome === 'noRoom') throw refusal('ROOM_NOT_FOUND');
  if (outcome === 'noStop') throw refusal('PARTITION_RUNS');
  if (outcome === 'noLetter') throw refusal('NO_DEAD_LETTER');
  if (outcome === 'noNode') throw refusal('NODE_UNKNOWN');
}

/**
 * What an outage means from the first write on: something may be done, and UNAVAILABLE would say that
 * nothing is (architecture section 7). The same id finds out.
 */
export async function orUnknown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.reason !== 'UNAVAILABLE') throw thrown;
    throw refusal('OUTCOME_UNKNOWN', { produced: 'unknown' }, { cause: thrown });
  }
}

/** LiftPlatformBan and PinRoom: one write and nothing else. A ban that is not there is lifted, too. */
export function createPlainActs(ports: ActPorts): Pick<OperatorApi, 'liftPlatformBan' | 'pinRoom'> {
  return {
    async liftPlatformBan(frame, request) {
      const operatorId = authorizeOperator(frame, request);
      const { userId, reason } = request;
      const faults = actFaults(request, operatorId);
      faults.add('user_id', userIdFault(userId));
      faults.text('reason', reason, fieldSizes.reason);
      faults.throwIfAny();
      const head = actHead(request, operatorId);
      await carryOut(ports, { ...head, type: 'LiftPlatformBan', userId: userId as UserId, reason });
    },
    async pinRoom(frame, request) {
      const operatorId = authorizeOperator(frame, request);
      const { roomId, pinned } = request;
      const faults = actFaults(request, operatorId);
      faults.add('room_id', wideIdFault(roomId));
      faults.throwIfAny();
      const head = actHead(request, operatorId);
      await carryOut(ports, { ...head, type: 'PinRoom', roomId: roomId as RoomId, pinned });
      ports.listChanged?.([roomKeyOf(head.appCode, roomId as RoomId)]);
    },
  };
}
