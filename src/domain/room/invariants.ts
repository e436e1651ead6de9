/**
 * What must hold of a room after every command, checked in production. A violation is a fault of
 * ours: the cell drops the room instead of committing it. The cost grows with the seats and the first
 * places of the gift rank, and not with users or senders, so that a room of 10,000 pays it on every
 * join without noticing. What only a walk over all senders shows has a check of its own.
 */
import { coinsMax, giftSendersMax, topGiftSendersMax } from '../gift/gift-limits.ts';
import { compareGiftSenders, topOfGiftSenders } from '../gift/gift-rank.ts';
import { checkRocket } from '../rocket/rocket-invariants.ts';
import { adminsMax, bansMax, micRequestsMax, passwordAttemptsMax } from './room-limits.ts';
import type { MicOccupancy, MicSeat, RoomState } from './state.ts';

/** The first broken invariant as a sentence for the log, or null when all hold. */
export function checkRoomInvariants(state: RoomState): string | null {
  return (
    checkLifecycle(state) ??
    checkSeats(state) ??
    checkPeople(state) ??
    checkTopGiftSenders(state) ??
    checkRocket(state)
  );
}

/**
 * The same for the gifts as a whole: the kept first places are those of all senders sorted anew, and
 * heat holds at least their sums (more, once somebody has left a full table). Walks every sender: for
 * tests and repair, too dear for every command.
 */
export function checkGiftSums(state: RoomState): string | null {
  let sum = 0n;
  for (const { coins } of state.giftSenders.values()) {
    if (coins <= 0n) return 'every sender has given coins (GIFT-6)';
    sum += coins;
  }
  if (sum > state.heat) return 'heat holds the coins of every sender (GIFT-6)';
  const sorted = topOfGiftSenders(state.giftSenders.values());
  const isSorted = sorted.every((sender, place) => sender === state.topGiftSenders[place]);
  if (!isSorted) return 'the kept first places are those of all senders sorted (GIFT-6)';
  return checkTopGiftSenders(state);
}

function checkLifecycle(state: RoomState): string | null {
  if (state.status === 'absent') return checkAbsent(state);
  if (state.version < 1n) return 'a room that exists has version 1 or more (INV-5)';
  if (state.ownerUserId === null) return 'a room that exists has an owner';
  if (state.createdAtMs > state.lastEventAtMs) return 'no event is older than the creation';
  if ((state.status === 'closing') !== (state.closing !== null)) {
    return 'a room has a closer on the way exactly while it is closing';
  }
  if (state.status === 'closed') return checkClosed(state);
  if (state.status === 'deleted') return checkDeleted(state);
  return state.closeInfo === null ? null : 'only a closed room has close info';
}

function checkAbsent(state: RoomState): string | null {
  if (state.version !== 0n) return 'an absent room has version 0 (INV-5)';
  if (state.ownerUserId !== null) return 'an absent room has no owner';
  if (state.users.size !== 0 || state.seats.length !== 0) return 'an absent room holds nothing';
  if (state.heat !== 0n || state.giftSenders.size !== 0) return 'an absent room has no gifts';
  return null;
}

function checkClosed(state: RoomState): string | null {
  if (state.closeInfo === null) return 'a closed room has close info';
  if (state.closeInfo.finalOnlineCount < 0) return 'a count is never below 0 (INV-29)';
  if (state.closeInfo.finalHeat !== state.heat) return 'a closed room keeps its heat (META-5)';
  if (state.users.size !== 0) return 'a closed room holds nobody (INV-28)';
  if (state.bans.size !== 0 || state.micRequests.length !== 0) return 'a closed room has no timers';
  if (state.rocket !== null) return 'a closed room has no rocket (ROCKET-8)';
  const isEmpty = state.seats.every((seat) => seat.occupancy === null);
  return isEmpty ? null : 'a closed room has no one on a seat (INV-28)';
}

function checkDeleted(state: RoomState): string | null {
  const isEmpty =
    state.users.size === 0 &&
    state.bans.size === 0 &&
    state.giftSenders.size === 0 &&
    state.rocket === null &&
    state.seats.length === 0 &&
    state.admins.length === 0 &&
    state.passwordHash === '';
  return isEmpty ? null : 'a deleted room is a name and nothing else (ROOM-18)';
}

/** Bounded lists are walked, tables of users are only asked. */
function checkPeople(state: RoomState): string | null {
  const { admins, bans, temporaryBans, micRequests } = state;
  if (state.robotCount < 0 || state.robotCount > state.users.size) {
    return 'robots are some of the users (INV-29)';
  }
  if (admins.length > adminsMax) return 'a room has a bounded number of admins';
  if (state.ownerUserId !== null && admins.includes(state.ownerUserId)) {
    return 'the owner is no admin beside it';
  }
  if (admins.some((userId, place) => (admins[place - 1] ?? '') >= userId)) {
    return 'admins stand in order, each once';
  }
  if (admins.some((userId) => bans.has(userId))) return 'no admin is banned (PRES-16)';
  if (bans.size > bansMax || temporaryBans.length > bans.size) return 'the ban set is bounded';
  if (micRequests.length > micRequestsMax) return 'the queue for the mic is bounded';
  if (state.passwordAttempts.size > passwordAttemptsMax) return 'remembered attempts are bounded';
  return checkMicRequests(state);
}

function checkMicRequests({ micRequests, users, seats }: RoomState): string | null {
  const seated = new Set(seats.map(({ occupancy }) => occupancy?.userId));
  const asked = new Set<string>();
  for (const { userId } of micRequests) {
    if (!users.has(userId)) return 'nobody who is absent asks for the mic';
    if (seated.has(userId)) return 'nobody asks for the mic while on a seat';
    if (asked.has(userId)) return 'a user asks once at most';
    asked.add(userId);
  }
  return null;
}

function checkSeats(state: RoomState): string | null {
  const holders = new Set<string>();
  const sessions = new Set<string>();
  for (const [index, seat] of state.seats.entries()) {
    if (seat.seatNo !== index + 1) return 'seats are numbered 1 to n in order';
    const { occupancy } = seat;
    if (occupancy === null) continue;
    if (holders.has(occupancy.userId)) return 'a user sits on one seat at most (INV-26)';
    if (sessions.has(occupancy.micSessionId)) return 'a mic session holds one seat (MIC-11)';
    holders.add(occupancy.userId);
    sessions.add(occupancy.micSessionId);
    const fault = checkHolder(seat, occupancy, state);
    if (fault !== null) return fault;
  }
  return null;
}

function checkHolder(seat: MicSeat, occupancy: MicOccupancy, state: RoomState): string | null {
  if (seat.locked) return 'a locked seat is empty (INV-26)';
  if (!state.users.has(occupancy.userId)) return 'a seat holder is present (INV-26)';
  if (occupancy.sessionRoomVersion > state.version) return 'no session is newer than its room';
  if (occupancy.sessionStartedAtMs > state.lastEventAtMs) return 'no session starts in the future';
  const isPending = occupancy.state === 'pending_publish';
  if (isPending !== occupancy.publishDeadlineMs > 0) {
    return 'a seat has a publish deadline exactly while it is pending (MIC-18)';
  }
  return null;
}

function checkTopGiftSenders({ heat, giftSenders, topGiftSenders }: RoomState): string | null {
  if (heat < 0n || heat > coinsMax) return 'heat is a sum of coins within 63 bits';
  if (giftSenders.size > giftSendersMax) return 'the table of senders is bounded';
  const places = Math.min(giftSenders.size, topGiftSendersMax);
  if (topGiftSenders.length !== places)
    return 'as many senders are ranked as there are, or the most';
  let sum = 0n;
  for (const [index, sender] of topGiftSenders.entries()) {
    if (giftSenders.get(sender.userId) !== sender) return 'a ranked sender is one of the table';
    const above = topGiftSenders[index - 1];
    if (above !== undefined && compareGiftSenders(above, sender) >= 0) {
      return 'ranked senders stand in rank order';
    }
    sum += sender.coins;
  }
  return sum <= heat ? null : 'heat holds the coins of the ranked senders (GIFT-6)';
}
