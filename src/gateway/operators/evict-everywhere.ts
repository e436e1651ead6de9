/**
 * Takes a banned user out of every room of the app, in rounds: look where the user is, one EvictUser
 * to each of those rooms, look again. What is answered is what the last look saw and not what replies
 * said: a room from which the user's row has gone is left, whoever did it.
 *
 * Race: a join that was judged before the ban lands behind the first look.
 *   1. A gateway finds no ban and produces the join of room B.
 *   2. The ban is written; the look finds the user in room A alone, and A is told to evict.
 *   3. The join is decided: the user is in B, or in A once more.
 * The look behind the evictions [A] finds B, and the next round evicts there. For A the id of the
 * first try would only get the first result back, so that a further try has an id of its own [B].
 * Tests: "a join that lands behind the first look …", "a room that the user re-entered …".
 * Left open: a join that is decided behind the last look. It has its caller's deadline, so that none
 * is decided later than the longest deadline after the ban; the guard refuses the user meanwhile, and
 * a repeat of the call takes the user out there.
 */
import type { AppCode, RoomId, UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import { listPageSizeMax, type RoomQueries } from '../../ports/room-queries.ts';
import type { Timers } from '../../ports/timers.ts';
import { evictionCommandId } from '../../protocol/derived-ids.ts';
import type { EvictFromRoom, RoomEviction } from './evict-from-room.ts';

/** Rounds of one call; a user who is let in so often meanwhile is not kept out by a ban. */
const roundsMax = 5;
/** Rooms of one look. More are found by the next one, when these are left. */
const roomsMax = 1_000;
/** Evictions on their way at once. */
const width = 16;
/** Kept of the caller's time for the last look and the way back. */
const lookAgainMs = 50;

/** What the rounds stand on. */
export interface EvictionPorts {
  readonly clock: Pick<Clock, 'monoMs'>;
  readonly timers: Pick<Timers, 'sleep'>;
  readonly roomQueries: Pick<RoomQueries, 'roomsOfUser'>;
}

/** Until when, and how long to wait before a room that was busy is asked again. */
export interface EvictionTime {
  readonly deadlineMonoMs: number;
  readonly busyRetryMs: number;
  readonly signal: AbortSignal;
}

/** The rooms that the user left, and those where the user still is as far as is known. */
export interface RoomsLeft {
  readonly roomsEvicted: readonly RoomId[];
  readonly roomsUnknown: readonly RoomId[];
}

/** Throws a Retry failure when MySQL is out of reach. */
export async function evictEverywhere(
  ports: EvictionPorts,
  evict: EvictFromRoom,
  eviction: Omit<RoomEviction, 'roomId'>,
  time: EvictionTime,
): Promise<RoomsLeft> {
  const { appCode, userId } = eviction;
  const seen = new Set<RoomId>();
  /** Ended tries of each room, which number the id of its next one. */
  const ended = new Map<RoomId, number>();
  /** Told, and not heard of: the record is decided some time, and another one would change nothing. */
  const unheard = new Set<RoomId>();
  const leftMs = (): number => time.deadlineMonoMs - lookAgainMs - ports.clock.monoMs();

  let present = await roomsOf(ports, appCode, userId);
  for (let round = 1; ; round += 1) {
    present.forEach((roomId) => seen.add(roomId));
    const open = present.filter((roomId) => !unheard.has(roomId));
    const isOver = round > roundsMax || leftMs() <= 0 || time.signal.aborted;
    if (open.length === 0 || isOver) break;
    let isBusy = false;
    await inLanes(open, async (roomId) => {
      const remainingMs = leftMs();
      if (remainingMs <= 0) return;
      const tries = ended.get(roomId) ?? 0;
      const commandId =
        tries === 0
          ? eviction.commandId
          : evictionCommandId(appCode, roomId, eviction.commandId, tries); // [B]
      const end = await evict({ ...eviction, roomId, commandId }, remainingMs);
      if (end.kind === 'unknown') unheard.add(roomId);
      else if (end.kind === 'free') isBusy = true;
      else ended.set(roomId, tries + 1);
    });
    if (isBusy && leftMs() > 0) {
      await ports.timers.sleep(Math.min(time.busyRetryMs, leftMs()), time.signal);
    }
    present = await roomsOf(ports, appCode, userId); // [A]
  }
  const still = new Set(present);
  return {
    roomsEvicted: [...seen].filter((roomId) => !still.has(roomId)),
    roomsUnknown: [...still],
  };
}

async function roomsOf(
  { roomQueries }: EvictionPorts,
  appCode: AppCode,
  userId: UserId,
): Promise<readonly RoomId[]> {
  const rooms: RoomId[] = [];
  for (;;) {
    const page = await roomQueries.roomsOfUser(appCode, userId, {
      afterRoomId: rooms.at(-1) ?? '',
      pageSize: listPageSizeMax,
    });
    rooms.push(...page.map(({ roomId }) => roomId));
    if (page.length < listPageSizeMax || rooms.length >= roomsMax) return rooms;
  }
}

/** Runs `work` for each, so many at once; ends when all have ended. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}
