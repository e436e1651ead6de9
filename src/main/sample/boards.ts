/** The boards over rooms, on which the sample room stands with what was given in it. */
import { LeaderboardPeriod } from '../../drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { StoryFault, tellRead } from './stage.ts';
import type { Stage } from './stage.ts';

const boards = [
  ['day', LeaderboardPeriod.DAY],
  ['week', LeaderboardPeriod.WEEK],
  ['all', LeaderboardPeriod.ALL],
] as const;
const pageSize = 100;
const pollMs = 100;
/** Boards come behind the commits: so long they may take. */
const pollsMax = 300;

/** Each board must come to show these coins. */
export async function showBoards(stage: Stage, coins: bigint): Promise<void> {
  for (const [name, period] of boards) {
    const shown = await untilShown(stage, period, coins);
    await tellRead(
      stage,
      `GetLeaderboard(${name}) by alice`,
      `place ${shown.rank}, ${coins} coins`,
    );
  }
}

async function untilShown(
  stage: Stage,
  period: LeaderboardPeriod,
  coins: bigint,
): Promise<{ readonly rank: number }> {
  let seen = 0n;
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const present = await placeOf(stage, period, false);
    // A story that is told over midnight has gifts on two boards.
    const isAll = period === LeaderboardPeriod.ALL;
    const before = isAll ? null : await placeOf(stage, period, true);
    seen = (present?.coins ?? 0n) + (before?.coins ?? 0n);
    const place = present ?? before;
    if (seen === coins && place !== null) return place;
    await stage.timers.sleep(pollMs);
  }
  throw new StoryFault(`a board shows ${seen} coins of the room, and ${coins} were given`);
}

/** Where the room stands, or null: it may be on any page of a database that others use, too. */
async function placeOf(
  { scene }: Stage,
  period: LeaderboardPeriod,
  previous: boolean,
): Promise<{ readonly rank: number; readonly coins: bigint } | null> {
  let cursor = '';
  do {
    const page = await scene.queries.getLeaderboard(
      { appCode: scene.appCode, period, previous, pageSize, cursor },
      scene.by('alice'),
    );
    const place = page.places.find(({ roomId }) => roomId === scene.roomId);
    if (place !== undefined) return place;
    cursor = page.nextCursor;
  } while (cursor !== '');
  return null;
}
