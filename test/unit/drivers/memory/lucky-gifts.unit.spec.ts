/** The twins of the lucky gift client and of the users' locks keep their contracts. */
import { LuckyStandIn } from '../../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import { createMemoryLuckyGiftClient } from '../../../../src/drivers/memory/memory-lucky-gift-client.ts';
import { MemoryLuckyGiftLocks } from '../../../../src/drivers/memory/memory-lucky-gift-send-locker.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { luckyGiftClientContract } from '../../../contract/suites/lucky-gift-client-contract.ts';
import { luckyGiftSendLockerContract } from '../../../contract/suites/lucky-gift-send-locker-contract.ts';

luckyGiftClientContract('in memory', () => {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const standIn = new LuckyStandIn({ timers: time, random: createSeededRandom('lucky') });
  const client = createMemoryLuckyGiftClient(standIn, time);
  return Promise.resolve({
    client,
    standIn,
    async ended(call) {
      await time.advance(10_000);
      return call;
    },
    async close() {
      await client.stop();
      standIn.stop();
    },
  });
});

luckyGiftSendLockerContract('in memory', () => {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const locks = new MemoryLuckyGiftLocks(time);
  const [here, there] = [locks.open(), locks.open()];
  return Promise.resolve({
    here,
    there,
    pass: (ms) => time.advance(ms),
    goAway() {
      locks.isAway = true;
    },
    async close() {
      await Promise.all([here.stop(), there.stop()]);
    },
  });
});
