/** The twin of the boards keeps its contract. */
import { MemoryLeaseServer } from '../../../../src/drivers/memory/memory-lease-server.ts';
import { MemoryRoomGiftLeaderboard } from '../../../../src/drivers/memory/memory-room-gift-leaderboard.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { roomGiftLeaderboardContract } from '../../../contract/suites/room-gift-leaderboard-contract.ts';

roomGiftLeaderboardContract('memory', () => {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const server = new MemoryLeaseServer({ clock: time, timers: time });
  const open = () => new MemoryRoomGiftLeaderboard({ readBudgetMs: 50 }, server);
  return Promise.resolve({
    nodeA: open(),
    nodeB: open(),
    empty: () => Promise.resolve(server.empty()),
    pass: (ms) => time.advance(ms),
    setServer: (kind) => Promise.resolve(server.setMode({ kind })),
    close: () => Promise.resolve(),
  });
});
