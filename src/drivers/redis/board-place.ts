/**
 * Where rooms stand on a board: members of a sorted set, all of one score, that sort by their bytes.
 * A member is what is missing to the largest sum, in 19 digits, and the room id: more coins come
 * first, ties by room id. Texts and no scores: a score is a double, and above 2^53 it would merge
 * sums that differ.
 */
import { coinsMax } from '../../domain/gift/gift-limits.ts';
import type { RoomId } from '../../domain/ids.ts';
import type { BoardSum } from '../../ports/board-sums.ts';

/** Digits in front of the room id; as many as `coinsMax` has. */
export const placeDigits = 19;

/** The digits of a sum. */
export function digitsOf(coins: bigint): string {
  return String(coinsMax - coins).padStart(placeDigits, '0');
}

/** The member of a room. */
export function memberOf({ roomId, coins }: BoardSum): string {
  return `${digitsOf(coins)}${roomId}`;
}

/** The room of a member that was made here, or null. */
export function sumOfMember(member: unknown): BoardSum | null {
  if (typeof member !== 'string') return null;
  const [, digits, roomId] = /^(\d{19})(.+)$/.exec(member) ?? [];
  if (digits === undefined || roomId === undefined) return null;
  return { roomId: roomId as RoomId, coins: coinsMax - BigInt(digits) };
}
