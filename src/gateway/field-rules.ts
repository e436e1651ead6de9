/**
 * What the fields of all requests have in common: their largest sizes, which are those of the
 * columns, frames and messages that the values end in, and rules that several requests share.
 */
import type { FieldFaults } from './field-faults.ts';

/** Largest sizes, in UTF-8 bytes unless the name says otherwise. */
export const fieldSizes = {
  title: 128,
  nickname: 64,
  url: 512,
  countryCode: 8,
  announcement: 1_024,
  roomExt: 2_048,
  profileExt: 1_024,
  password: 64,
  tagsCount: 10,
  tag: 32,
  reason: 64,
  note: 512,
  comboId: 64,
} as const;

/** A seat number that a request may name; the room knows which of them exist. */
const seatNoMax = 1_000;
const regionIdMax = 2n ** 63n - 1n;

/** '' stands for the default; a text that is neither mode comes from a newer client. */
export function isRoomMode(text: string): boolean {
  return text === '' || text === 'free' || text === 'apply';
}

/** A time of a caller's clock goes into a number; what no number holds exactly is no time. */
export function isTime(ms: bigint): boolean {
  return ms >= 0n && ms <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** One seat, and no other. */
export function seatFaults(faults: FieldFaults, field: string, seatNo: number): void {
  faults.integer(field, seatNo, 1, seatNoMax);
}

/** One seat, or 0 for the first free one. */
export function anySeatFaults(faults: FieldFaults, field: string, seatNo: number): void {
  faults.integer(field, seatNo, 0, seatNoMax);
}

/** One of the seat counts that the deployment allows (META-3). */
export function seatCountFaults(
  faults: FieldFaults,
  seatCount: number,
  seatCounts: readonly number[],
): void {
  if (seatCounts.includes(seatCount)) return;
  faults.add('seat_count', `not one of ${seatCounts.join(', ')}`);
}

/** A discovery region; 0 is one too. */
export function regionFaults(faults: FieldFaults, visibleRegionId: bigint): void {
  if (visibleRegionId >= 0n && visibleRegionId <= regionIdMax) return;
  faults.add('visible_region_id', 'negative or beyond 63 bits');
}

/** Tags stand in a list entry's JSON: a control character would grow to six there. */
export function tagFaults(faults: FieldFaults, tags: readonly string[]): void {
  if (tags.length > fieldSizes.tagsCount) {
    faults.add('tags', `more than ${fieldSizes.tagsCount}`);
    return;
  }
  tags.forEach((tag, index) => faults.label(`tags[${index}]`, tag, fieldSizes.tag));
  if (new Set(tags).size < tags.length) faults.add('tags', 'named twice');
}
