/**
 * What follows from a command by rules that are written formats, computed by the checkers anew: ids,
 * the hash chain, the payload hash, the wallet's key. The rules stand in ADRs 1 and 9 and in the
 * headers of the product's files; here they are written a second time on purpose.
 */
import { createHash, hash } from 'node:crypto';

const namespace = Buffer.from('b2f0c6d47a534e199c0851d3e86fa27b', 'hex');

/** The chain before a room's first event. */
export const chainBefore: Uint8Array = Buffer.alloc(32);

/** h(v): SHA-256 over h(v − 1) and the logged bytes. */
export function linkOf(previous: Uint8Array, eventBytes: Uint8Array): Buffer {
  return sha256(previous, eventBytes);
}

/** SHA-256 over the parts. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Buffer {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest();
}

/** Id of the `index`-th event of a command. */
export function eventIdOf(app: string, room: string, commandId: string, index: number): string {
  return uuid5('event', app, room, commandId, String(index));
}

/** Id of the mic session that a command opens. */
export function sessionIdOf(app: string, room: string, commandId: string): string {
  return uuid5('mic-session', app, room, commandId);
}

/** Id of a room whose creator named none. */
export function roomIdOf(app: string, actor: string, commandId: string): string {
  return `r${uuid5('room', app, actor, commandId).replaceAll('-', '')}`;
}

/** Id of the command that an RTC callback becomes. */
export function rtcIdOf(app: string, room: string, user: string, facts: readonly string[]): string {
  return `rtc:${uuid5('rtc', app, room, user, ...facts)}`;
}

/** The wallet's name of a command's payment. */
export function debitKeyOf(app: string, room: string, commandId: string): string {
  return sha256([app, room, commandId, 'debit'].join('\0')).toString('hex');
}

/** The name of a draw, or of its prize, for the target at this place of a gift. */
export function keyBesideDebit(debitKey: string, what: 'draw' | 'prize', at: number): string {
  return sha256([debitKey, what, String(at)].join('\0')).toString('hex');
}

/** The payload hash in its form 1, over a body without the facts that a gateway attached. */
export function payloadHashOf(type: string, actor: string, body: object): Buffer {
  // Of a profile's parts an empty one is cleared, and only one that is null is left alone.
  const isOut = type === 'UpdateRoomProfile' ? (held: unknown) => held === null : isEmpty;
  const fields = canonicalFields(body, isOut);
  return sha256(`${text('roomcell payload 1')}${text(type)}${text(actor)}${fields}`);
}

function uuid5(...parts: readonly string[]): string {
  const name = Buffer.concat([namespace, Buffer.from(parts.join('\0'))]);
  const hex = hash('sha1', name, 'hex').slice(0, 32).split('');
  hex[12] = '5';
  hex[16] = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  const all = hex.join('');
  return [0, 8, 12, 16, 20].map((at, n) => all.slice(at, [8, 12, 16, 20, 32][n])).join('-');
}

function canonical(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `s${text(value)}`;
    case 'boolean':
      return value ? 'b1' : 'b0';
    case 'bigint':
    case 'number':
      return `i${text(String(value))}`;
    default:
      break;
  }
  if (value === null || value === undefined) return 'n';
  if (Array.isArray(value)) return `l${value.length}:${value.map(canonical).join('')}`;
  return canonicalFields(value, isEmpty);
}

function canonicalFields(value: object, isOut: (held: unknown) => boolean): string {
  const used = Object.entries(value)
    .filter(([, held]) => !isOut(held))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `o${used.length}:${used.map(([name, held]) => text(name) + canonical(held)).join('')}`;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    const parts = Array.isArray(value) ? value : Object.values(value);
    return Array.isArray(value) ? parts.length === 0 : parts.every(isEmpty);
  }
  return value === undefined || value === null || ['', false, 0, 0n].some((none) => none === value);
}

function text(value: string): string {
  return `${Buffer.byteLength(value)}:${value}`;
}
