/**
 * The deadlines that a room's state holds and the system commands that fall due with them
 * (architecture section 6). The earliest is stored with the room's meta row, so that a room that is
 * not in memory is woken too. Today: the publish windows of pending seats (MIC-13).
 */
import type { ExpireMicPublish } from './commands.ts';
import type { MicSeat, RoomState } from './state.ts';

/** One deadline: at `atMs` or later, `command` is due. The command is judged again when it runs. */
export interface RoomDeadline {
  readonly atMs: number;
  readonly command: ExpireMicPublish;
}

/** The earliest deadline, or null when nothing waits. Of equal ones the lower seat comes first. */
export function nextDeadline(state: RoomState): RoomDeadline | null {
  let earliest: RoomDeadline | null = null;
  for (const seat of state.seats) {
    const deadline = publishDeadlineOf(seat);
    if (deadline === null) continue;
    // Strictly earlier: seats come in ascending order, so a tie stays with the lower one.
    if (earliest === null || deadline.atMs < earliest.atMs) earliest = deadline;
  }
  return earliest;
}

/** The commands due at `nowMs`, earliest deadline first, then by seat. At most one per seat. */
export function dueCommands(state: RoomState, nowMs: number): readonly ExpireMicPublish[] {
  return state.seats
    .map(publishDeadlineOf)
    .filter((deadline) => deadline !== null)
    .filter((deadline) => deadline.atMs <= nowMs)
    .sort((left, right) => left.atMs - right.atMs || left.command.seatNo - right.command.seatNo)
    .map((deadline) => deadline.command);
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
