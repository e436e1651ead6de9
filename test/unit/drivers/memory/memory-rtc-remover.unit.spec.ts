/** The twin of the RTC remover keeps the contract. */
import { RtcStandIn } from '../../../../src/drivers/delivery-stand-in/rtc-stand-in.ts';
import { MemoryRtcRemover } from '../../../../src/drivers/memory/memory-rtc-remover.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { rtcUserRemoverContract } from '../../../contract/suites/rtc-user-remover-contract.ts';

rtcUserRemoverContract('memory', () => {
  const time = new VirtualTime();
  const random = createSeededRandom('rtc remover');
  const standIn = new RtcStandIn({ clock: time, timers: time, random });
  const [sdkAppId, callTimeoutMs] = [1_400_000_001, 1_000];
  return Promise.resolve({
    remover: new MemoryRtcRemover({ sdkAppId, callTimeoutMs }, standIn, time),
    standIn,
    sdkAppId,
    callTimeoutMs,
    pass: (ms) => time.advance(ms),
    close: () => Promise.resolve(),
  });
});
