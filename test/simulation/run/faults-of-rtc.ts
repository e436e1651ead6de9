/** Faults of the RTC service that users are put out of: with an effect and without one. */
import type { rtcFaultKinds as standInKinds } from '../../../src/drivers/fault-board.ts';
import type { rtcFaultKinds } from '../plan/fault-kinds.ts';
import { chosen, type FaultTable } from './fault-effect.ts';

/** `slow` takes longer than a call waits, now and then: done, and not heard of. */
const kinds: readonly (typeof standInKinds)[number][] = [
  'http_500',
  'hang',
  'cut_after_remove',
  'internal_error',
  'throttle',
  'refuse',
  'slow',
  'twice',
];
const timesMax = 3;
const delayMaxMs = 2_000;

/** See the file header. */
export const rtcFaults: FaultTable<keyof typeof rtcFaultKinds> = {
  rtc(world, { choice, target }) {
    const kind = chosen(kinds, choice) ?? 'http_500';
    const delayMs = 1 + (target % delayMaxMs);
    return world.servers.rtc.faults.add({ kind, times: 1 + (target % timesMax), delayMs });
  },
  rtcDown(world) {
    world.servers.rtc.faults.add({ kind: 'http_500', times: null });
    return () => world.servers.rtc.faults.clear();
  },
};
