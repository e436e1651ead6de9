/** The boards over rooms, as the cell and the gateway take part in them. */
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import { BoardProjector, type GivenRoom } from '../projections/board-projector.ts';
import type { Resources } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** Rooms that may wait to be brought to the boards; above it they are short until the next gift. */
const waitingRoomsMax = 10_000;

/** Given to the cell; nothing when `leaderboard.enabled` is false (NEW-11). */
export function openBoardProjection(
  context: WiringContext,
  resources: Resources,
): { readonly giftsStored?: (rooms: readonly GivenRoom[]) => void } {
  const { config, drivers, clock, timers, log, metrics } = context;
  const leaderboard = openLeaderboard(context);
  if (leaderboard === null) return {};
  const projector = new BoardProjector(
    { leaderboard, boardSums: drivers.stores.boardSums, clock, timers, log, metrics },
    { copyIntervalMs: config.leaderboard.copyIntervalMs, waitingMax: waitingRoomsMax },
  );
  resources.add('boards', async () => {
    await projector.stop();
    await leaderboard.stop();
  });
  return { giftsStored: (rooms) => projector.given(rooms) };
}

/** Null: `leaderboard.enabled` is false. Whoever asks for it stops it. */
export function openLeaderboard({
  config,
  drivers,
  driverPorts,
}: WiringContext): RoomGiftLeaderboard | null {
  return config.leaderboard.enabled ? drivers.roomGiftLeaderboard(driverPorts) : null;
}
