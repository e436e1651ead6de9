/** Who asks about which room: checked before anybody is asked. */
import { wideIdFault } from '../domain/ids.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import type { RoomPlace } from '../ports/room-read-api.ts';
import { authorizeApp } from './authorize.ts';
import { createFieldFaults, type FieldFaults } from './field-faults.ts';

/**
 * The caller, if it may ask about rooms of the app and names one; `more` adds faults of other fields.
 * Throws like `authorizeApp`, or INVALID_FIELD with every fault.
 */
export function checkPlace(
  frame: CallFrame,
  { appCode, roomId }: RoomPlace,
  more: (faults: FieldFaults) => void = () => undefined,
): Caller {
  const caller = authorizeApp(frame, appCode);
  const faults = createFieldFaults();
  faults.add('app_code', wideIdFault(appCode));
  faults.add('room_id', wideIdFault(roomId));
  more(faults);
  faults.throwIfAny();
  return caller;
}
