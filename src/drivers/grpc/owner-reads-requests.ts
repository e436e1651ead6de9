/** Reads and watches between nodes on the wire, on the way to the owner. What arrives is checked, once, here. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { roomKeyOf, splitRoomKey, userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomVersion, UserId } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { OwnerQuestion, OwnerRead, PageQuestion, ReadAsker } from '../../ports/owner-reads.ts';
import type { OwnerWatch } from '../../ports/room-watch.ts';
import { AskerRole } from './generated/roomcell/v1/owner_reads_pb.ts';
import type {
  OwnerReadRequest,
  OwnerReadRequestSchema,
  OwnerWatchRequest,
  OwnerWatchRequestSchema,
  PageQuestion as WirePage,
} from './generated/roomcell/v1/owner_reads_pb.ts';

type WireRequest = MessageInitShape<typeof OwnerReadRequestSchema>;

const roles: Readonly<Record<ReadAsker['role'], AskerRole>> = {
  user: AskerRole.USER,
  service: AskerRole.SERVICE,
  operator: AskerRole.OPERATOR,
};

/** A read as the client sends it. */
export function ownerReadRequest(read: OwnerRead): WireRequest {
  return { ...placeMessage(read), question: questionMessage(read.question) };
}

/** A read as the server takes it. Throws INVALID_FIELD for what no node of ours sends. */
export function ownerReadOf(request: OwnerReadRequest): OwnerRead {
  return { ...placeOf(request), question: questionOf(request) };
}

/** A watch as the client sends it. */
export function ownerWatchRequest(
  watch: OwnerWatch,
): MessageInitShape<typeof OwnerWatchRequestSchema> {
  return { ...placeMessage(watch), afterVersion: watch.afterVersion };
}

/** A watch as the server takes it. Throws like `ownerReadOf`. */
export function ownerWatchOf(request: OwnerWatchRequest): OwnerWatch {
  if (request.afterVersion < 0n) throw invalid('after_version');
  return { ...placeOf(request), afterVersion: request.afterVersion as RoomVersion };
}

/** Which room, for whom, and by which way. */
type Place = Pick<OwnerRead, 'roomKey' | 'asker' | 'forwardedBy'>;

function placeMessage({ roomKey, asker, forwardedBy }: Place) {
  return {
    ...splitRoomKey(roomKey),
    askerRole: roles[asker.role],
    askerUserId: asker.userId ?? '',
    forwardedBy,
  };
}

function placeOf(
  request: Pick<
    OwnerReadRequest,
    'appCode' | 'roomId' | 'askerRole' | 'askerUserId' | 'forwardedBy'
  >,
): Place {
  const { appCode, roomId, askerUserId, forwardedBy } = request;
  if (wideIdFault(appCode) !== null) throw invalid('app_code');
  if (wideIdFault(roomId) !== null) throw invalid('room_id');
  const asker = {
    role: roleOf(request.askerRole),
    userId: askerUserId === '' ? null : userIdOf(askerUserId, 'asker_user_id'),
  };
  return { roomKey: roomKeyOf(appCode as AppCode, roomId as RoomId), asker, forwardedBy };
}

function questionMessage(question: OwnerQuestion): NonNullable<WireRequest['question']> {
  switch (question.kind) {
    case 'view':
      return { case: 'view', value: {} };
    case 'guard':
      return { case: 'guard', value: { userId: question.userId } };
    case 'audience':
      return { case: 'audience', value: pageMessage(question) };
    case 'bans':
      return { case: 'bans', value: pageMessage(question) };
    case 'micRequests':
      return { case: 'micRequests', value: {} };
    case 'giftRank':
      return { case: 'giftRank', value: { places: question.places } };
  }
}

function questionOf({ question }: OwnerReadRequest): OwnerQuestion {
  switch (question.case) {
    case 'view':
      return { kind: 'view' };
    case 'guard':
      return { kind: 'guard', userId: userIdOf(question.value.userId, 'guard.user_id') };
    case 'audience':
      return { kind: 'audience', ...pageOf(question.value) };
    case 'bans':
      return { kind: 'bans', ...pageOf(question.value) };
    case 'micRequests':
      return { kind: 'micRequests' };
    case 'giftRank':
      return { kind: 'giftRank', places: question.value.places };
    case undefined:
      // A question of a newer release: its node asks another owner, or waits for this one's release.
      throw invalid('question');
  }
}

function pageMessage({ afterUserId, pageSize }: PageQuestion) {
  return { afterUserId, pageSize };
}

function pageOf({ afterUserId, pageSize }: WirePage): PageQuestion {
  return {
    afterUserId: afterUserId === '' ? '' : userIdOf(afterUserId, 'after_user_id'),
    pageSize,
  };
}

function roleOf(role: AskerRole): ReadAsker['role'] {
  for (const [name, number] of Object.entries(roles)) {
    if (number === role) return name as ReadAsker['role'];
  }
  throw invalid('asker_role');
}

function userIdOf(text: string, field: string): UserId {
  if (userIdFault(text) !== null) throw invalid(field);
  return text as UserId;
}

function invalid(field: string): Failure {
  const facts = { field, fault: 'malformed' };
  return new Failure('reject', 'INVALID_FIELD', `malformed: ${field}`, { facts });
}
