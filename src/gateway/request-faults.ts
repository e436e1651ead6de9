/**
 * The rules of each request's own fields. Sizes are those of the columns, frames and messages that
 * the values end in; a new request adds one function here and one line in the dispatch.
 */
import { giftCountMax, giftTargetsMax } from '../domain/gift/gift-limits.ts';
import { giftIdFault, userIdFault, wideIdFault } from '../domain/ids.ts';
import { assertNever } from '../kernel/assert.ts';
import type { CommandRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';

/** Largest sizes, in UTF-8 bytes unless the name says otherwise. */
export const fieldSizes = {
  title: 128,
  nickname: 64,
  url: 512,
  countryCode: 8,
  roomExt: 2_048,
  profileExt: 1_024,
  password: 64,
  tagsCount: 10,
  tag: 32,
  closeReason: 64,
  closeNote: 512,
  comboId: 64,
} as const;

/** A seat number that a request may name; the room knows which of them exist. */
const seatNoMax = 1_000;
const regionIdMax = 2n ** 63n - 1n;

type RequestOf<Type extends CommandRequest['type']> = Extract<CommandRequest, { type: Type }>;

/** Notes every fault of the request's own fields. */
export function requestFaults(
  faults: FieldFaults,
  request: CommandRequest,
  rules: { readonly seatCounts: readonly number[] },
): void {
  switch (request.type) {
    case 'CreateRoom':
      return createRoomFaults(faults, request, rules.seatCounts);
    case 'JoinRoom':
      return joinRoomFaults(faults, request);
    case 'LeaveRoom':
      return;
    case 'MicUp':
      return faults.integer('seat_no', request.seatNo, 0, seatNoMax);
    case 'MicDown':
      return micDownFaults(faults, request);
    case 'ConfirmMicPublishing':
      return faults.add('mic_session_id', wideIdFault(request.micSessionId));
    case 'CloseRoom':
      faults.text('reason', request.reason, fieldSizes.closeReason);
      return faults.text('note', request.note, fieldSizes.closeNote);
    case 'SendGift':
      return sendGiftFaults(faults, request);
    default:
      return assertNever(request, 'a request without rules');
  }
}

/** '' stands for the default; a text that is neither mode comes from a newer client. */
export function isRoomMode(text: string): boolean {
  return text === '' || text === 'free' || text === 'apply';
}

function createRoomFaults(
  faults: FieldFaults,
  request: RequestOf<'CreateRoom'>,
  seatCounts: readonly number[],
): void {
  faults.label('title', request.title, fieldSizes.title);
  faults.text('cover_url', request.coverUrl, fieldSizes.url);
  faults.text('background_url', request.backgroundUrl, fieldSizes.url);
  if (!seatCounts.includes(request.seatCount)) {
    faults.add('seat_count', `not one of ${seatCounts.join(', ')}`);
  }
  if (!isRoomMode(request.mode)) faults.add('mode', 'unknown value');
  if (request.visibleRegionId < 0n || request.visibleRegionId > regionIdMax) {
    faults.add('visible_region_id', 'negative or beyond 63 bits');
  }
  faults.text('password', request.password, fieldSizes.password);
  tagFaults(faults, request.tags);
  faults.text('ext', request.ext, fieldSizes.roomExt);
}

/** Tags stand in a list entry's JSON: a control character would grow to six there. */
function tagFaults(faults: FieldFaults, tags: readonly string[]): void {
  if (tags.length > fieldSizes.tagsCount) {
    faults.add('tags', `more than ${fieldSizes.tagsCount}`);
    return;
  }
  tags.forEach((tag, index) => faults.label(`tags[${index}]`, tag, fieldSizes.tag));
  if (new Set(tags).size < tags.length) faults.add('tags', 'named twice');
}

function joinRoomFaults(faults: FieldFaults, request: RequestOf<'JoinRoom'>): void {
  faults.text('password', request.password, fieldSizes.password);
  faults.text('profile.nickname', request.nickname, fieldSizes.nickname);
  faults.text('profile.avatar_url', request.avatarUrl, fieldSizes.url);
  faults.text('profile.country_code', request.countryCode, fieldSizes.countryCode);
  faults.text('profile.ext', request.ext, fieldSizes.profileExt);
}

function micDownFaults(faults: FieldFaults, request: RequestOf<'MicDown'>): void {
  if (request.userId !== '') faults.add('user_id', userIdFault(request.userId));
  if (request.micSessionId !== '') faults.add('mic_session_id', wideIdFault(request.micSessionId));
}

function sendGiftFaults(faults: FieldFaults, request: RequestOf<'SendGift'>): void {
  faults.add('gift_id', giftIdFault(request.giftId));
  faults.integer('gift_count', request.giftCount, 1, giftCountMax);
  targetFaults(faults, request.targetUserIds);
  faults.text('combo_id', request.comboId, fieldSizes.comboId);
}

function targetFaults(faults: FieldFaults, targetUserIds: readonly string[]): void {
  if (targetUserIds.length === 0) return faults.add('target_user_ids', 'missing');
  if (targetUserIds.length > giftTargetsMax) {
    return faults.add('target_user_ids', `more than ${giftTargetsMax}`);
  }
  targetUserIds.forEach((userId, index) =>
    faults.add(`target_user_ids[${index}]`, userIdFault(userId)),
  );
  if (new Set(targetUserIds).size < targetUserIds.length) {
    faults.add('target_user_ids', 'named twice');
  }
}
