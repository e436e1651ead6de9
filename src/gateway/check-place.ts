/** Who asks, about which room and whom: what every read of one room checks before it goes anywhere. */
import { userIdFault, wideIdFault } from '../domain/ids.ts';
import type { UserId } from '../domain/ids.ts';
import type { ReadAsker } from '../ports/owner-reads.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import type { RoomPlace } from '../ports/room-read-api.ts';
import { askerOf } from './asker-of.ts';
import { authorizeActor, authorizeApp } from './authorize.ts';
import { createFieldFaults, type FieldFaults } from './field-faults.ts';

/** The caller, if it may ask about rooms of the app and names one. Throws like `authorizeApp`. */
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

/**
 * The user whom a read is about: the caller itself, or, asked for by a service, anybody. Throws like
 * `authorizeActor`.
 */
export function checkUser(
  frame: CallFrame,
  { userId, ...place }: RoomPlace & { readonly userId: string },
): RoomPlace & { readonly userId: UserId; readonly asker: ReadAsker } {
  const { appCode, roomId } = place;
  const { actorUserId } = authorizeActor(frame, { appCode, actorUserId: userId });
  const caller = checkPlace(frame, place, (faults) =>
    faults.add('user_id', userIdFault(actorUserId)),
  );
  return { appCode, roomId, userId: actorUserId as UserId, asker: askerOf(caller) };
}
