/**
 * The deadlines that a room's state holds and the system commands that fall due with them
 * (architecture section 6): publish windows of pending seats (MIC-13), requests for the mic, bans
 * with an end, the launch of an ignited rocket (ROCKET-7), the grace of a closing room. The earliest is stored with the room's meta row, so that
 * a room that is not in memory is woken too.
 */
import type { SystemCommandBody } from './commands.ts';
import type { MicSeat, RoomState } from './state.ts';

/** One deadline: at `atMs` or later, `command` is due. The command is judged again when it runs. */
export interface RoomDeadline {
  readonly atMs: number;
  readonly command: SystemCommandBody;
}

/**
 * The earliest deadline, or null when nothing waits. Of equal ones the lower seat comes first, then
 * requests, bans, rocket and closing: one order, so that two nodes do the same.
 */
export function nextDeadline(state: RoomState): RoomDeadline | null {
  let earliest: RoomDeadline | null = null;
  for (const deadline of deadlinesOf(state)) {
    // Strictly earlier: a tie stays with the one that stands first.
    if (earliest === null || deadline.atMs < earliest.atMs) earliest = deadline;
  }
  return earliest;
}

/** Every kind of deadline with its earliest one; at most one per seat and one per other kind. */
function* deadlinesOf(state: RoomState): Generator<RoomDeadline> {
  for (const seat of state.seats) {
    const deadline = publishDeadlineOf(seat);
    if (deadline !== null) yield deadline;
  }
  if (state.micRequests.length > 0) {
    const atMs = Math.min(...state.micRequests.map(({ expiresAtMs }) => expiresAtMs));
    yield { atMs, command: { type: 'ExpireMicRequests' } };
  }
  const [firstBan] = state.temporaryBans;
  if (firstBan !== undefined) {
    yield { atMs: firstBan.expiresAtMs, command: { type: 'ExpireBans' } };
  }
  const { rocket } = state;
  if (rocket !== null && rocket.ignition !== null) {
    const { roundNo, ignition } = rocket;
    yield { atMs: ignition.launchAtMs, command: { type: 'LaunchRocket', roundNo } };
  }
  if (state.closing !== null) {
    yield { atMs: state.closing.closesAtMs, command: { type: 'FinishClosing' } };
  }
}

function publishDeadlineOf(seat: MicSeat): RoomDeadline | null {
  const { occupancy, seatNo } = seat;
  if (occupancy === null || occupancy.state !== 'pending_publish') return null;
  const { micSessionId, publishDeadlineMs } = occupancy;
  return {
    atMs: publishDeadlineMs,
    command: { type: 'ExpireMicPublish', seatNo, micSessionId, publishDeadlineMs },
  };
}
