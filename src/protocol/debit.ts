/**
 * The names under which the wallet keeps a payment of ours. Wire formats: a key or a purpose that
 * changes between two tries of one command takes the coins twice (A15).
 */
import { createHash } from 'node:crypto';
import type { AppCode, CommandId, RoomId } from '../domain/ids.ts';
import type { PayloadHash } from './payload-hash.ts';

/** What a purpose of ours says. */
export interface GiftPurpose {
  /** Hash of the command that the coins were taken for, hex. */
  readonly payloadHashHex: string;
  readonly payloadHashVersion: number;
  readonly catalogueVersion: bigint;
}

const purposePattern = /^gift\/(\d{1,9})\/([0-9a-f]{64})\/(\d{1,19})$/;

/** The debit key of a command: 64 hex digits, SHA-256 over app, room, command id and `debit`. */
export function debitKeyOf(appCode: AppCode, roomId: RoomId, commandId: CommandId): string {
  const name = [appCode, roomId, commandId, 'debit'].join('\0');
  return createHash('sha256').update(name, 'utf8').digest('hex');
}

/** The key of what a lucky gift draws for the target at this place of its list, from 0. */
export function drawKeyOf(debitKey: string, targetIndex: number): string {
  return keyBeside(debitKey, 'draw', targetIndex);
}

/** The key under which the wallet pays that draw's prize. */
export function prizeKeyOf(debitKey: string, targetIndex: number): string {
  return keyBeside(debitKey, 'prize', targetIndex);
}

function keyBeside(debitKey: string, what: string, targetIndex: number): string {
  const name = [debitKey, what, String(targetIndex)].join('\0');
  return createHash('sha256').update(name, 'utf8').digest('hex');
}

/** The purpose of a gift's debit: `gift/<hash version>/<payload hash>/<catalogue version>`. */
export function giftPurpose(payload: PayloadHash, catalogueVersion: bigint): string {
  const hash = Buffer.from(payload.hash).toString('hex');
  return `gift/${payload.version}/${hash}/${catalogueVersion}`;
}

/** Reads a purpose back; null when it is none of ours. */
export function readGiftPurpose(purpose: string): GiftPurpose | null {
  const [, hashVersion, payloadHashHex, catalogueVersion] = purposePattern.exec(purpose) ?? [];
  if (hashVersion === undefined || payloadHashHex === undefined || catalogueVersion === undefined) {
    return null;
  }
  return {
    payloadHashHex,
    payloadHashVersion: Number.parseInt(hashVersion, 10),
    catalogueVersion: BigInt(catalogueVersion),
  };
}
