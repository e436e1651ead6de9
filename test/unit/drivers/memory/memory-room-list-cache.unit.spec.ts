/** The twin of the copy of the room list keeps its contract. */
import { MemoryLeaseServer } from '../../../../src/drivers/memory/memory-lease-server.ts';
import { MemoryRoomListCache } from '../../../../src/drivers/memory/memory-room-list-cache.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { roomListCacheContract } from '../../../contract/suites/room-list-cache-contract.ts';

roomListCacheContract('memory', () => {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const server = new MemoryLeaseServer({ clock: time, timers: time });
  const random = createSeededRandom('lists');
  const open = () => new MemoryRoomListCache({ readBudgetMs: 50 }, server, random);
  return Promise.resolve({
    nodeA: open(),
    nodeB: open(),
    empty: () => Promise.resolve(server.empty()),
    pass: (ms) => time.advance(ms),
    setServer: (kind) => Promise.resolve(server.setMode({ kind })),
    close: () => Promise.resolve(),
  });
});
