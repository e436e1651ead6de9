/** A view with something in every part of it, for tests that carry views from one place to another. */
import type { AppCode, MicSessionId, RoomId, RoomVersion, UserId } from '../../src/domain/ids.ts';
import type { RoomView } from '../../src/domain/room/room-view.ts';

/** See the file header. */
export const sampleView: RoomView = {
  appCode: 'app1' as AppCode,
  roomId: 'r1' as RoomId,
  status: 'closing',
  version: 9n as RoomVersion,
  ownerUserId: 'owner' as UserId,
  title: '音乐',
  coverUrl: 'c',
  announcement: 'a',
  backgroundUrl: 'b',
  tags: ['x', 'y'],
  ext: '{}',
  mode: 'apply',
  visibleRegionId: 3n,
  locked: true,
  createdAtMs: 1_700_000_000_000,
  seats: [
    { seatNo: 1, locked: true, muted: false, state: 'idle', holder: null },
    {
      seatNo: 2,
      locked: false,
      muted: true,
      state: 'publishing',
      holder: { userId: 'u2' as UserId, nickname: 'n', avatarUrl: 'v' },
    },
  ],
  counts: { online: 3, onSeat: 1, robots: 0 },
  roomHeat: 2n ** 60n,
  giftRank: [{ userId: 'u2' as UserId, coins: 2n ** 60n, rank: 1 }],
  rocket: {
    roundNo: 3n,
    level: 2,
    status: 'ignited',
    fuel: 2n ** 60n,
    fuelTarget: 2n ** 60n,
    startedAtMs: 1_700_000_000_500,
    igniterUserId: 'u2' as UserId,
    launchAtMs: 1_700_000_030_000,
    contributors: [{ userId: 'u2' as UserId, coins: 2n ** 59n, rank: 1 }],
  },
  closesAtMs: 1_700_000_100_000,
  close: { kind: 'operator', reason: 'r', closedAtMs: 1_700_000_200_000 },
  me: {
    role: 'admin',
    present: true,
    seatNo: 2,
    micSessionId: 's1' as MicSessionId,
    muted: true,
  },
};
