/** What the relay tells of rooms that wait behind failed rows. */
import { expect, it } from 'vitest';
import { MemoryMetrics } from '../../../src/drivers/memory/memory-metrics.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import { BlockedWatch } from '../../../src/relay/blocked-watch.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';

it('rooms that wait behind failed rows are counted at every look, and told once until none waits', async () => {
  const time = new ManualTime();
  const log = new MemoryLog();
  const metrics = new MemoryMetrics();
  const answers: (number | null)[] = [2, 3, null, 0, 1];
  const store = {
    blockedRooms: () => {
      const rooms = answers.shift() ?? null;
      if (rooms === null) return Promise.reject(new Failure('retry', 'UNAVAILABLE', 'away'));
      return Promise.resolve([{ destination: 'im' as const, rooms }]);
    },
  };
  const watch = new BlockedWatch({ store, timers: time, log, metrics }, 1_000);
  const shown = (): number | null => metrics.gaugeOf('relay_blocked_rooms', { destination: 'im' });
  await watch.start();
  await settled();
  const seen = [shown()];
  for (let at = 0; at < 4; at += 1) {
    await time.advance(1_000);
    await settled();
    seen.push(shown());
  }
  expect(seen).toEqual([2, 3, 3, 0, 1]);
  expect(log.messages('warn')).toHaveLength(2);
  expect(metrics.sumOf('relay_troubles_total', { what: 'blocked rooms' })).toBe(1);
  await watch.stop();
});
