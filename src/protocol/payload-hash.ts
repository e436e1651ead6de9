/**
 * What makes two commands with one id the same command: a hash over who asks and what is asked.
 * The cell computes it and stores it with the log row; a repeat with another hash is refused, never
 * answered with a foreign result.
 *
 * Form 1, which never changes (a new form gets a new number, and old rows are compared in theirs):
 * SHA-256 over the texts `roomcell payload 1`, command type, actor and the body. Each text has its
 * byte length in front. An object lists its fields sorted by name, and leaves out those that hold
 * the empty value ('', 0, false, null, [], {}). So a field that a later release adds changes no hash
 * of a command that does not use it, and a retry through an older gateway is still the same command.
 * UpdateRoomProfile alone leaves out only what is null, because there an empty value says something.
 *
 * A list is hashed in its order, because the order of a SendGift's targets is the order of its events:
 * the same users in another order are another command.
 *
 * Not in the hash: the caller's clock, the snapshot mode, and facts that a gateway attached.
 */
import { createHash } from 'node:crypto';
import { InvariantError } from '../kernel/assert.ts';
import type { UserId } from '../domain/ids.ts';
import type { CommandBody, CommandType } from '../domain/room/commands.ts';

/** The form that this release computes. */
export const payloadHashVersion = 1;

/** A hash with the number of the form in which it was computed. */
export interface PayloadHash {
  readonly version: typeof payloadHashVersion;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/** The part of a command that the hash covers. Both CommandRecord and RoomCommand have it. */
export interface HashedCommand {
  readonly actorUserId: UserId;
  readonly body: CommandBody;
}

/** Fields that a gateway attached on its own account: a retry may carry other ones. */
const attachedFacts: { readonly [T in CommandType]?: ReadonlySet<string> } = {
  JoinRoom: new Set<keyof Extract<CommandBody, { type: 'JoinRoom' }>>([
    'password',
    'isPlatformBanned',
  ]),
};

/**
 * Commands in which an empty value is something else than none: null leaves a part of the profile
 * as it is, '' clears it. Only null is left out of their hash.
 */
const emptyIsMeant: ReadonlySet<CommandType> = new Set(['UpdateRoomProfile']);

/** The hash of a command. Equal for every try of one command, in every release. */
export function payloadHash(command: HashedCommand): PayloadHash {
  const { type, ...fields } = command.body;
  const left = attachedFacts[type];
  const business = Object.entries(fields).filter(([name]) => left?.has(name) !== true);
  const parts = [
    text('roomcell payload 1'),
    text(type),
    text(command.actorUserId),
    canonicalFields(
      business.filter(([, held]) => !(emptyIsMeant.has(type) ? held === null : isEmptyValue(held))),
    ),
  ];
  const hash = createHash('sha256').update(parts.join(''), 'utf8').digest();
  return { version: payloadHashVersion, hash };
}

/** One value in canonical form; each kind has its own first letter, so kinds are never mixed up. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `s${text(value)}`;
  if (typeof value === 'boolean') return value ? 'b1' : 'b0';
  if (typeof value === 'bigint') return `i${text(String(value))}`;
  // A whole number hashes as the bigint of the same value: a field may grow from int to long.
  if (Number.isSafeInteger(value)) return `i${text(String(value))}`;
  if (value === null) return 'n';
  if (Array.isArray(value)) return `l${value.length}:${value.map(canonical).join('')}`;
  if (typeof value === 'object') return canonicalObject(value);
  throw new InvariantError('a command holds a value that has no canonical form', {
    kind: typeof value,
  });
}

function canonicalObject(value: object): string {
  return canonicalFields(Object.entries(value).filter(([, held]) => !isEmptyValue(held)));
}

function canonicalFields(used: readonly (readonly [string, unknown])[]): string {
  const sorted = [...used].sort(([left], [right]) => (left < right ? -1 : 1));
  const fields = sorted.map(([name, held]) => text(name) + canonical(held));
  return `o${used.length}:${fields.join('')}`;
}

function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (value === 0 || value === 0n) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every(isEmptyValue);
}

/** Byte length, colon, text: no text can run into the next one. */
function text(value: string): string {
  return `${Buffer.byteLength(value, 'utf8')}:${value}`;
}
