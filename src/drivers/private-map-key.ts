/**
 * The rights of an RTC ticket: the record that a PrivateMapKey carries inside a UserSig. Big-endian:
 * version (1: rooms named by text), account, SdkAppId, number of the room (0), absolute end in
 * seconds, bits of the rights, account type (0), room id. It lies beside the drivers' folders because
 * the signer and the stand-in need it.
 */

/** What the bits mean; a voice room uses these. */
export const rtcRights = { create: 1, enter: 2, sendAudio: 4, receiveAudio: 8 } as const;

/** One ticket's rights. */
export interface RtcRights {
  readonly account: string;
  readonly sdkAppId: number;
  readonly roomId: string;
  /** Seconds since 1970. */
  readonly expiresAtSeconds: number;
  readonly bits: number;
}

const textRoomVersion = 1;
/** Version, two lengths, and five numbers of four bytes. */
const fixedBytes = 1 + 2 + 5 * 4 + 2;

/** Account and room id are ASCII of bounded length, as the ids of this service are. */
export function encodeRtcRights(rights: RtcRights): Uint8Array {
  const account = Buffer.from(rights.account, 'ascii');
  const roomId = Buffer.from(rights.roomId, 'ascii');
  const bytes = Buffer.alloc(fixedBytes + account.length + roomId.length);
  let at = bytes.writeUInt8(textRoomVersion, 0);
  at = bytes.writeUInt16BE(account.length, at);
  at += account.copy(bytes, at);
  at = bytes.writeUInt32BE(rights.sdkAppId, at);
  at = bytes.writeUInt32BE(0, at);
  at = bytes.writeUInt32BE(rights.expiresAtSeconds, at);
  at = bytes.writeUInt32BE(rights.bits, at);
  at = bytes.writeUInt32BE(0, at);
  at = bytes.writeUInt16BE(roomId.length, at);
  roomId.copy(bytes, at);
  return bytes;
}

/** The rights in a record; null when it is none of a room named by text. */
export function decodeRtcRights(bytes: Uint8Array): RtcRights | null {
  const record = Buffer.from(bytes);
  if (record.length < fixedBytes || record.readUInt8(0) !== textRoomVersion) return null;
  const accountEnd = 3 + record.readUInt16BE(1);
  const numbers = accountEnd + 5 * 4;
  if (record.length < numbers + 2) return null;
  if (record.length !== numbers + 2 + record.readUInt16BE(numbers)) return null;
  return {
    account: record.toString('ascii', 3, accountEnd),
    sdkAppId: record.readUInt32BE(accountEnd),
    roomId: record.toString('ascii', numbers + 2),
    expiresAtSeconds: record.readUInt32BE(accountEnd + 8),
    bits: record.readUInt32BE(accountEnd + 12),
  };
}
