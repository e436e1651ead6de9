/**
 * CloseRoom: every seat is freed in seat order (ROOM-14), then the room closes and everybody's
 * presence with it (ROOM-13). At once by default (ROOM-6); with a configured grace the room is first
 * `closing` and the same end comes by the room's own timer (ROOM-4, ROOM-5). A command like any
 * other, so its log row, its RoomClosed and the meta rows are one transaction (ROOM-12, ROOM-15…17).
 */
import { assertDefined } from '../../kernel/assert.ts';
import { micDownOf } from '../mic/mic-down-event.ts';
import { heldSeats } from '../mic/seats.ts';
import { refuseUnlessManager, roleOf } from '../roles/role-of.ts';
import type { RoomCommand } from './commands.ts';
import type { DecideFacts, Decision } from './decision.ts';
import type { RoomEvent } from './events.ts';
import { applied, noEffect } from './outcomes.ts';
import type { CloseRoom } from './room-commands.ts';
import type { RoomClosed, RoomClosing } from './room-events.ts';
import type { CloserKind, RoomState } from './state.ts';

/** Who closes and why: the same in both events. */
type Closing = Pick<RoomClosing, 'closedByUserId' | 'closedByKind' | 'reason' | 'note'>;

/** Decides CloseRoom for a room that is active, closing or closed. */
export function decideCloseRoom(
  body: CloseRoom,
  command: RoomCommand,
  facts: DecideFacts,
  state: RoomState,
): Decision {
  // 1. Who may. Before 2 on purpose: a stranger gets one answer whether the room is open or closed,
  //    and cannot use CloseRoom to look into a room. A manager's repeat is the success of 2.
  const refusal = refuseUnlessManager(command, state);
  if (refusal !== null) return refusal;

  // 2. On its way or closed already: success without effect; the first closer's words stay (ROOM-19).
  if (state.status !== 'active') return noEffect();

  // 3. Now, or after the grace.
  const closing: Closing = {
    closedByUserId: command.actorUserId,
    closedByKind: closerKind(command, state),
    reason: body.reason,
    note: body.note,
  };
  const { closeGraceMs } = facts.times;
  if (closeGraceMs === 0) return applied(closeEvents(closing, facts.nowMs, state));
  const announced: RoomClosing = {
    type: 'RoomClosing',
    ...closing,
    closesAtMs: facts.nowMs + closeGraceMs,
  };
  return applied([announced]);
}

/** Decides FinishClosing for every room that exists: only a closing room whose grace is over closes. */
export function decideFinishClosing(nowMs: number, state: RoomState): Decision {
  if (state.status !== 'closing') return noEffect();
  const { closesAtMs, ...closing } = assertDefined(
    state.closing,
    'a closing room without a closer',
  );
  return nowMs < closesAtMs ? noEffect() : applied(closeEvents(closing, nowMs, state));
}

function closeEvents(closing: Closing, nowMs: number, state: RoomState): readonly RoomEvent[] {
  const closed: RoomClosed = {
    type: 'RoomClosed',
    ...closing,
    finalOnlineCount: state.users.size,
    finalHeat: state.heat,
  };
  return [...heldSeats(state.seats).map((held) => micDownOf(held, 'room_closed', nowMs)), closed];
}

/**
 * The role speaks first: an operator who happens to own the room closes it as an operator. A service
 * closes for the owner or an admin when it names one, and otherwise for the platform.
 */
export function closerKind(command: RoomCommand, state: RoomState): CloserKind {
  if (command.actorRole === 'system') return 'system';
  if (command.actorRole === 'operator') return 'operator';
  const role = roleOf(state, command.actorUserId);
  return role === 'member' ? 'operator' : role;
}
