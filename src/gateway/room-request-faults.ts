/** The rules of the fields of requests about the room itself. */
import { userIdFault } from '../domain/ids.ts';
import { assertNever } from '../kernel/assert.ts';
import type { RoomRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';
import { fieldSizes, isRoomMode, regionFaults, seatCountFaults, tagFaults } from './field-rules.ts';

type RequestOf<Type extends RoomRequest['type']> = Extract<RoomRequest, { type: Type }>;

/** Notes every fault of the request's own fields. */
export function roomRequestFaults(
  faults: FieldFaults,
  request: RoomRequest,
  { seatCounts }: { readonly seatCounts: readonly number[] },
): void {
  switch (request.type) {
    case 'CreateRoom':
      return createRoomFaults(faults, request, seatCounts);
    case 'CloseRoom':
    case 'DeleteRoom':
      faults.text('reason', request.reason, fieldSizes.reason);
      return faults.text('note', request.note, fieldSizes.note);
    case 'UpdateRoomProfile':
      return updateRoomProfileFaults(faults, request);
    case 'SetSeatCount':
      return seatCountFaults(faults, request.seatCount, seatCounts);
    case 'SetRoomPassword':
      return faults.text('password', request.password, fieldSizes.password);
    case 'SetRoomMode':
      return setRoomModeFaults(faults, request.mode);
    case 'SetVisibleRegion':
      return regionFaults(faults, request.visibleRegionId);
    case 'SetAdmin':
    case 'TransferOwner':
      return faults.add('user_id', userIdFault(request.userId));
    default:
      return assertNever(request, 'a request without rules');
  }
}

function createRoomFaults(
  faults: FieldFaults,
  request: RequestOf<'CreateRoom'>,
  seatCounts: readonly number[],
): void {
  faults.label('title', request.title, fieldSizes.title);
  faults.text('cover_url', request.coverUrl, fieldSizes.url);
  faults.text('background_url', request.backgroundUrl, fieldSizes.url);
  seatCountFaults(faults, request.seatCount, seatCounts);
  if (!isRoomMode(request.mode)) faults.add('mode', 'unknown value');
  regionFaults(faults, request.visibleRegionId);
  faults.text('password', request.password, fieldSizes.password);
  tagFaults(faults, request.tags);
  faults.text('ext', request.ext, fieldSizes.roomExt);
}

/** What stays as it is has no faults; a title may be changed, never cleared. */
function updateRoomProfileFaults(
  faults: FieldFaults,
  request: RequestOf<'UpdateRoomProfile'>,
): void {
  const { title, coverUrl, announcement, backgroundUrl, tags, ext } = request;
  if (title !== null) faults.label('title', title, fieldSizes.title);
  faults.text('cover_url', coverUrl ?? '', fieldSizes.url);
  faults.text('announcement', announcement ?? '', fieldSizes.announcement);
  faults.text('background_url', backgroundUrl ?? '', fieldSizes.url);
  tagFaults(faults, tags ?? []);
  faults.text('ext', ext ?? '', fieldSizes.roomExt);
}

/** Nothing is no mode here: a forgotten field must not open the mics of a room. */
function setRoomModeFaults(faults: FieldFaults, mode: string): void {
  if (mode === '') faults.add('mode', 'missing');
  else if (!isRoomMode(mode)) faults.add('mode', 'unknown value');
}
