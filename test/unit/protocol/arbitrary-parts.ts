/**
 * The pieces of which any value of the records is made: 64-bit numbers over their whole range, times
 * over the safe range, texts of any Unicode, and closed sets of symbols named to the last one.
 */
import fc from 'fast-check';
import type {
  AppCode,
  CommandId,
  GiftId,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { CloserKind, MicRequestKind, RoomMode } from '../../../src/domain/room/state.ts';

const wideId = fc.stringMatching(/^[A-Za-z0-9_.:-]{1,64}$/);

export const appCode = wideId.map((id) => id as AppCode);
export const roomId = wideId.map((id) => id as RoomId);
export const commandId = wideId.map((id) => id as CommandId);
export const userId = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/).map((id) => id as UserId);
export const giftId = wideId.map((id) => id as GiftId);
export const micSessionId = fc.uuid().map((id) => id as MicSessionId);
export const version = fc
  .bigInt({ min: 0n, max: 2n ** 63n - 1n })
  .map((value) => value as RoomVersion);
export const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
export const timeMs = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER - 1 });
export const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
export const text = fc.string({ unit: 'binary', maxLength: 80 });
export const tags = fc.array(text, { maxLength: 4 });
export const facts = fc
  .array(fc.tuple(text, text), { maxLength: 4 })
  .map((entries): Readonly<Record<string, string>> => Object.fromEntries(entries));

export const profile = fc.record({ nickname: text, avatarUrl: text, countryCode: text, ext: text });
export const look = { title: text, coverUrl: text, backgroundUrl: text, tags, ext: text };
export const roomProfile = fc.record({ ...look, announcement: text });

export const mode = anySymbol<RoomMode>({ free: true, apply: true });
export const micRequestKind = anySymbol<MicRequestKind>({ apply: true, invite: true });
export const closer = anySymbol<CloserKind>({
  owner: true,
  admin: true,
  operator: true,
  system: true,
});

/** The tag of one variant of a union. */
export function type<T extends string>(name: T): fc.Arbitrary<T> {
  return fc.constant(name);
}

/** Any symbol of a closed set; a symbol that is not named here does not compile. */
export function anySymbol<S extends string>(all: Readonly<Record<S, true>>): fc.Arbitrary<S> {
  return fc.constantFrom(...(Object.keys(all) as S[]));
}

/** Any row of a rocket's table of rewards. */
export const rocketReward = fc.record({
  fromRank: int,
  toRank: int,
  rewardId: text,
  quantity: long,
});
