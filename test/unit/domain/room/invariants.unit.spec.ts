/** Every room invariant fires on a state that breaks it, and on no other (INV-26, 28, 29). */
import { describe, expect, it } from 'vitest';
import type { RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import { checkGiftSums, checkRoomInvariants } from '../../../../src/domain/room/invariants.ts';
import type {
  GiftSender,
  MicOccupancy,
  MicSeat,
  PasswordAttempts,
  RoomState,
} from '../../../../src/domain/room/state.ts';
import type { PersistentMap } from '../../../../src/kernel/persistent-map.ts';
import { assertDefined } from '../../../../src/kernel/assert.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  asSession,
  asUser,
  bob,
  carol,
  closed,
  closing,
  created,
  deleted,
  gifted,
  joined,
  kicked,
  micRequested,
  on,
  publishing,
  wentUp,
} from '../../../support/room-builders.ts';

const dave = asUser('dave');
const erin = asUser('erin');
const absent = given().state;
const active = given(
  created(),
  [joined(alice), joined(bob)],
  wentUp(on(1, alice, 3), 90_000_000),
  wentUp(on(2, bob, 4), 90_000_000),
  publishing(on(2, bob, 4)),
).state;
const giftRoom = given(
  created(),
  joined(alice),
  gifted(alice, alice, 5n),
  gifted(bob, alice, 3n),
).state;
const closedRoom = given(created(), closed()).state;
const closingRoom = given(created(), joined(alice), closing(90_000_000)).state;
const deletedRoom = given(created(), closed(), deleted()).state;
/** bob and carol are admins, dave is banned, alice applies and erin is invited. */
const managed = given(
  created({ mode: 'apply' }),
  [joined(alice), joined(erin), joined(bob)],
  [adminSet(carol), adminSet(bob)],
  kicked(dave, { expiresAtMs: 90_000_000 }),
  [micRequested(alice, 90_000_000), micRequested(erin, 90_000_000, { kind: 'invite' })],
  wentUp(on(1, bob, 6), 90_000_000),
).state;

const version = (n: bigint): RoomVersion => n as RoomVersion;

/** Users in the order of their ids. */
function crowdOf(count: number): readonly UserId[] {
  return Array.from({ length: count }, (_, n) => asUser(`user-${String(n).padStart(3, '0')}`));
}

/** A table that is asked for its size, and for nobody who is in it. */
function sized<Entry>(size: number): PersistentMap<Entry> {
  return { size, has: () => false, get: () => undefined } as unknown as PersistentMap<Entry>;
}

function seatOf(state: RoomState, index: number): MicSeat {
  return assertDefined(state.seats[index], 'the history has this seat');
}

function senderOf(userId: UserId): GiftSender {
  return assertDefined(giftRoom.giftSenders.get(userId), 'the history lets this user give');
}

function withSeat(state: RoomState, index: number, fields: Partial<MicSeat>): RoomState {
  const seats = state.seats.map((seat, at) => (at === index ? { ...seat, ...fields } : seat));
  return { ...state, seats };
}

function withHolder(index: number, fields: Partial<MicOccupancy>): RoomState {
  const held = assertDefined(seatOf(active, index).occupancy, 'the history seats somebody here');
  return withSeat(active, index, { occupancy: { ...held, ...fields } });
}

describe('checkRoomInvariants', () => {
  it('finds nothing in rooms of every status', () => {
    const rooms = [absent, active, giftRoom, managed, closingRoom, closedRoom, deletedRoom];
    expect(rooms.map(checkRoomInvariants)).toEqual(rooms.map(() => null));
  });

  it('bounds are reached and not crossed: a full table is whole', () => {
    const full = {
      ...managed,
      admins: crowdOf(20),
      passwordAttempts: sized<PasswordAttempts>(1_000),
    };
    expect(checkRoomInvariants({ ...full, bans: sized(5_000) })).toBeNull();
    const many = given(created({ mode: 'apply' }), [
      ...crowdOf(50).map((userId) => joined(userId)),
      ...crowdOf(50).map((userId) => micRequested(userId, 90_000_000)),
    ]);
    expect(checkRoomInvariants(many.state)).toBeNull();
  });

  it('the first of the admins may have the lowest id there is', () => {
    expect(checkRoomInvariants({ ...managed, admins: [asUser('-'), bob] })).toBeNull();
  });

  const occupancy = seatOf(active, 0).occupancy;
  const { closeInfo } = closedRoom;
  const firstRequest = assertDefined(managed.micRequests[0], 'alice applies');
  const ghost = 'ghost' as UserId;
  it.each<readonly [string, RegExp, RoomState]>([
    ['a version below 1', /version 1/, { ...active, version: version(0n) }],
    ['no owner', /owner/, { ...active, ownerUserId: null }],
    ['a last event before the creation', /creation/, { ...active, lastEventAtMs: 5 }],
    ['close info of an open room', /close info/, { ...active, closeInfo: closedRoom.closeInfo }],
    ['seats out of order', /1 to n/, { ...active, seats: active.seats.toReversed() }],
    ['a missing seat number', /1 to n/, { ...active, seats: active.seats.slice(1) }],
    ['a holder who is absent', /present \(INV-26\)/, withHolder(0, { userId: ghost })],
    ['a user on two seats', /one seat/, withHolder(0, { userId: bob })],
    [
      'a session on two seats',
      /session/,
      withHolder(0, { micSessionId: on(2, bob, 4).micSessionId }),
    ],
    ['a locked seat with a holder', /locked/, withSeat(active, 0, { locked: true })],
    ['a session from the future', /newer/, withHolder(0, { sessionRoomVersion: version(9n) })],
    ['a start in the future', /future/, withHolder(0, { sessionStartedAtMs: 2_000_000 })],
    ['a pending seat without a deadline', /deadline/, withHolder(0, { publishDeadlineMs: 0 })],
    ['a publishing seat with a deadline', /deadline/, withHolder(1, { publishDeadlineMs: 9 })],
    ['users of a closed room', /nobody/, { ...closedRoom, users: active.users }],
    ['seated users of a closed room', /on a seat/, withSeat(closedRoom, 0, { occupancy })],
    ['a closed room without close info', /close info/, { ...closedRoom, closeInfo: null }],
    [
      'a count below 0',
      /below 0/,
      {
        ...closedRoom,
        closeInfo: { ...assertDefined(closedRoom.closeInfo, 'closed'), finalOnlineCount: -1 },
      },
    ],
    ['an absent room with a version', /version 0/, { ...absent, version: version(1n) }],
    ['an absent room with an owner', /no owner/, { ...absent, ownerUserId: alice }],
    ['an absent room with users', /holds nothing/, { ...absent, users: active.users }],
    ['a closed room with another heat', /keeps its heat/, { ...closedRoom, heat: 1n }],
    ['an absent room with heat', /no gifts/, { ...absent, heat: 1n }],
    [
      'an absent room with senders',
      /no gifts/,
      { ...absent, giftSenders: giftRoom.giftSenders, topGiftSenders: giftRoom.topGiftSenders },
    ],
    ['a heat below the sums of the ranked', /ranked senders/, { ...giftRoom, heat: 7n }],
    ['a heat below 0', /63 bits/, { ...active, heat: -1n }],
    ['a heat beyond 63 bits', /63 bits/, { ...active, heat: 2n ** 63n }],
    ['a ranked sender too few', /as many/, { ...giftRoom, topGiftSenders: [] }],
    [
      'senders ranked in another order',
      /rank order/,
      { ...giftRoom, topGiftSenders: giftRoom.topGiftSenders.toReversed() },
    ],
    [
      'a sender ranked twice',
      /rank order/,
      { ...giftRoom, topGiftSenders: [senderOf(alice), senderOf(alice)] },
    ],
    [
      'a ranked sum that is not the sum of the table',
      /one of the table/,
      { ...giftRoom, topGiftSenders: [{ ...senderOf(alice), coins: 6n }, senderOf(bob)] },
    ],
    [
      'a table of senders beyond its bound',
      /bounded/,
      { ...giftRoom, giftSenders: { size: 10_001 } as unknown as RoomState['giftSenders'] },
    ],
    ['an absent room with seats', /holds nothing/, { ...absent, seats: closedRoom.seats }],
    ['a closing room without a closer', /exactly while/, { ...closingRoom, closing: null }],
    ['a closer of an open room', /exactly while/, { ...active, closing: closingRoom.closing }],
    ['a closer of a closed room', /exactly while/, { ...closedRoom, closing: closingRoom.closing }],
    ['close info of a closing room', /only a closed/, { ...closingRoom, closeInfo }],
    ['bans of a closed room', /no timers/, { ...closedRoom, bans: managed.bans }],
    ['requests in a closed room', /no timers/, { ...closedRoom, micRequests: managed.micRequests }],
    ['users of a deleted room', /a name and nothing/, { ...deletedRoom, users: active.users }],
    ['bans of a deleted room', /a name and nothing/, { ...deletedRoom, bans: managed.bans }],
    ['seats of a deleted room', /a name and nothing/, { ...deletedRoom, seats: active.seats }],
    ['admins of a deleted room', /a name and nothing/, { ...deletedRoom, admins: [bob] }],
    ['a secret of a deleted room', /a name and nothing/, { ...deletedRoom, passwordHash: 'h' }],
    [
      'gifts of a deleted room',
      /a name and nothing/,
      { ...deletedRoom, giftSenders: giftRoom.giftSenders },
    ],
    ['too many admins', /number of admins/, { ...managed, admins: crowdOf(21) }],
    ['the owner as an admin', /owner is no admin/, { ...managed, admins: [asUser('owner')] }],
    ['admins out of order', /in order/, { ...managed, admins: [carol, bob] }],
    ['an admin twice', /each once/, { ...managed, admins: [bob, bob] }],
    ['a banned admin', /no admin is banned/, { ...managed, admins: [dave] }],
    ['too many bans', /ban set/, { ...managed, bans: sized(5_001) }],
    ['more ends than bans', /ban set/, { ...managed, bans: sized(0) }],
    [
      'too many requests',
      /queue/,
      {
        ...managed,
        micRequests: crowdOf(51).map((userId) => ({ ...firstRequest, userId })),
      },
    ],
    ['too many counted users', /attempts/, { ...managed, passwordAttempts: sized(1_001) }],
    [
      'an absent user who asks for the mic',
      /absent asks/,
      { ...managed, micRequests: [{ ...firstRequest, userId: dave }] },
    ],
    [
      'a seated user who asks for the mic',
      /while on a seat/,
      { ...managed, micRequests: [{ ...firstRequest, userId: bob }] },
    ],
    [
      'a user who asks twice',
      /once at most/,
      { ...managed, micRequests: [firstRequest, firstRequest] },
    ],
  ])('finds %s', (_what, sentence, state) => {
    expect(checkRoomInvariants(state)).toMatch(sentence);
  });

  it('walks the seats and never users or senders, so that a full room pays no more than an empty one', () => {
    const { users } = active;
    const guarded = {
      size: users.size,
      has: (key: string) => users.has(key),
      get: (key: string) => users.get(key),
    };
    const { giftSenders } = active;
    const guardedSenders = { size: giftSenders.size, get: (key: string) => giftSenders.get(key) };
    const state = {
      ...active,
      users: guarded,
      giftSenders: guardedSenders,
    } as unknown as RoomState;
    expect(checkRoomInvariants(state)).toBeNull();
  });

  it('accepts two users whose sessions differ', () => {
    expect(checkRoomInvariants(withHolder(0, { micSessionId: asSession('other') }))).toBeNull();
  });
});

describe('checkGiftSums', () => {
  const crowd = Array.from({ length: 120 }, (_, n) => asUser(`sender-${n}`));
  const crowded = given(
    created(),
    joined(alice),
    ...crowd.map((userId, n) => gifted(userId, alice, BigInt(n + 1))),
  ).state;

  it('finds nothing in rooms with few senders and many', () => {
    expect([absent, giftRoom, crowded].map(checkGiftSums)).toEqual([null, null, null]);
  });

  it('finds a heat below the sums of all, though not of the ranked', () => {
    const state = { ...crowded, heat: crowded.heat - 1n };
    expect(checkRoomInvariants(state)).toBeNull();
    expect(checkGiftSums(state)).toMatch(/coins of every sender/);
  });

  it('finds a sender who gave nothing', () => {
    const nobody = { ...senderOf(bob), coins: 0n };
    const state = { ...giftRoom, giftSenders: giftRoom.giftSenders.set(bob, nobody) };
    expect(checkGiftSums(state)).toMatch(/has given coins/);
  });

  it('finds a sender who should be ranked and is not', () => {
    const last = assertDefined(crowded.giftSenders.get('sender-0'), 'gave');
    const state = { ...crowded, topGiftSenders: [...crowded.topGiftSenders.slice(0, -1), last] };
    expect(checkRoomInvariants(state)).toBeNull();
    expect(checkGiftSums(state)).toMatch(/all senders sorted/);
  });
});
