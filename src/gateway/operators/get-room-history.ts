/** The log of a room as operators read it, page by page. */
import { wideIdFault } from '../../domain/ids.ts';
import { roomKeyOf } from '../../domain/ids.ts';
import type { AppCode, CommandId, RoomId, RoomVersion } from '../../domain/ids.ts';
import type { OperatorApi } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import { createFieldFaults } from '../field-faults.ts';
import { cursorBehind, pageFaults, pageSizeOf } from '../pages.ts';
import { authorizeOperator } from './authorize-operator.ts';

const versionText = /^[0-9]{1,19}$/;

/** Throws INVALID_FIELD, or a Retry failure when MySQL is out of reach. */
export function createGetRoomHistory(
  operatorStore: Pick<OperatorStore, 'appliedCommands' | 'unappliedCommands'>,
): OperatorApi['getRoomHistory'] {
  return async (frame, { appCode, roomId, pageSize, cursor, unapplied }) => {
    authorizeOperator(frame, { appCode, actorUserId: '' });
    const faults = createFieldFaults();
    faults.add('app_code', wideIdFault(appCode));
    faults.add('room_id', wideIdFault(roomId));
    const after = pageFaults(faults, { pageSize, cursor }, unapplied ? wideIdFault : versionFault);
    faults.throwIfAny();
    const roomKey = roomKeyOf(appCode as AppCode, roomId as RoomId);
    const size = pageSizeOf(pageSize);
    if (unapplied) {
      const page = await operatorStore.unappliedCommands(roomKey, after as CommandId | '', size);
      return { commands: page, nextCursor: cursorBehind(page, size, ({ commandId }) => commandId) };
    }
    const before = after === '' ? null : (BigInt(after) as RoomVersion);
    const page = await operatorStore.appliedCommands(roomKey, before, size);
    const nextCursor = cursorBehind(page, size, ({ decidedVersion }) => String(decidedVersion));
    return { commands: page, nextCursor };
  };
}

function versionFault(text: string): string | null {
  return versionText.test(text) ? null : 'malformed';
}
