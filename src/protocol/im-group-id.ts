/**
 * The instant-messaging group of a room. It is derived and never stored as the truth, so that every
 * process names the same group without asking. The vendor's rule: printable ASCII, at most 48 bytes,
 * not beginning with `@TGS#`; ids are case-sensitive.
 */
import { createHash } from 'node:crypto';
import type { AppCode, RoomId } from '../domain/ids.ts';

/** The vendor's limit, in bytes. */
export const imGroupIdBytesMax = 48;

const digestHexDigits = 40;

/**
 * `rc_<app>_<room>` where that is short enough and can be read in one way only, else `rc_` and 40
 * hex digits of SHA-256 over both.
 *
 * Two rooms never get one plain id: `_` may stand in either part, so an app code with `_` always
 * takes the hashed form, and without it the first `_` after the prefix ends the app code. A plain id
 * never equals a hashed one, which has no second `_`. Two hashed ids are equal only if 160 bits of
 * SHA-256 are. Existing groups hang on this rule: never change it.
 */
export function imGroupId(app: AppCode, room: RoomId): string {
  const plain = `rc_${app}_${room}`;
  if (!app.includes('_') && plain.length <= imGroupIdBytesMax) return plain;
  const digest = createHash('sha256').update(`${app}\0${room}`, 'utf8').digest('hex');
  return `rc_${digest.slice(0, digestHexDigits)}`;
}
