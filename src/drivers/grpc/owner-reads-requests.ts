/** Reads between nodes on the wire, on the way to the owner. What arrives is checked, once, here. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { roomKeyOf, splitRoomKey, userIdFault, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, RoomId, UserId } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { OwnerQuestion, OwnerRead, PageQuestion, ReadAsker } from '../../ports/owner-reads.ts';
import { AskerRole } from './generated/roomcell/v1/owner_reads_pb.ts';
import type {
  OwnerReadRequest,
  OwnerReadRequestSchema,
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
  const { roomKey, asker, question, forwardedBy } = read;
  return {
    ...splitRoomKey(roomKey),
    askerRole: roles[asker.role],
    askerUserId: asker.userId ?? '',
    forwardedBy,
    question: questionMessage(question),
  };
}

/** A read as the server takes it. Throws INVALID_FIELD for what no node of ours sends. */
export function ownerReadOf(request: OwnerReadRequest): OwnerRead {
  const { appCode, roomId, askerUserId, forwardedBy } = request;
  if (wideIdFault(appCode) !== null) throw invalid('app_code');
  if (wideIdFault(roomId) !== null) throw invalid('room_id');
  const asker = {
    role: roleOf(request.askerRole),
    userId: askerUserId === '' ? null : userIdOf(askerUserId, 'asker_user_id'),
  };
  const roomKey = roomKeyOf(appCode as AppCode, roomId as RoomId);
  return { roomKey, asker, question: questionOf(request), forwardedBy };
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
