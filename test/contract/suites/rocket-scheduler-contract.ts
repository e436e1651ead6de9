/** What everybody promises who wakes rockets (ROCKET-5). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import {
  rocketWakeKeptMs,
  type RocketLaunchScheduler,
  type RocketWake,
} from '../../../src/ports/rocket-scheduler.ts';

/** Two processes' ends of one scheduler. */
export interface SchedulerFixture {
  readonly here: RocketLaunchScheduler;
  readonly there: RocketLaunchScheduler;
  /** Forgets all wakes. */
  empty(): Promise<void>;
  setAway(isAway: boolean): Promise<void>;
  close(): Promise<void>;
}

const nowMs = 1_900_000_000_000;

function wake(room: string, roundNo: bigint, launchAtMs: number): RocketWake {
  return { roomKey: roomKeyOf('app.1' as AppCode, room as RoomId), roundNo, launchAtMs };
}

/** Declares the suite. */
export function rocketSchedulerContract(
  name: string,
  makeFixture: () => Promise<SchedulerFixture>,
): void {
  describe(`RocketLaunchScheduler contract: ${name}`, () => {
    let fixture: SchedulerFixture;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(() => fixture.empty());
    afterAll(() => fixture.close());

    it('a wake-up is there for every process from its time on, and not before (ROCKET-5, EXT-9)', async () => {
      const { here, there } = fixture;
      expect(await here.schedule(wake('r1', 3n, nowMs))).toBe(true);
      expect(await there.due(nowMs - 1, 10)).toEqual([]);
      expect(await there.due(nowMs, 10)).toEqual([wake('r1', 3n, nowMs)]);
      // Nobody has said that the room is awake.
      expect(await here.due(nowMs + 1, 10)).toEqual([wake('r1', 3n, nowMs)]);
    });

    it('is one per round, with the time that was named first (ROCKET-5)', async () => {
      const { here, there } = fixture;
      await here.schedule(wake('r1', 3n, nowMs));
      await there.schedule(wake('r1', 3n, nowMs + 500));
      await there.schedule(wake('r1', 4n, nowMs));
      const due = await here.due(nowMs + 1_000, 10);
      expect(new Set(due)).toEqual(new Set([wake('r1', 3n, nowMs), wake('r1', 4n, nowMs)]));
      expect(due).toHaveLength(2);
    });

    it('comes no more once it is done, to nobody', async () => {
      const { here, there } = fixture;
      await here.schedule(wake('r1', 3n, nowMs));
      await there.done(wake('r1', 3n, nowMs));
      expect(await here.due(nowMs, 10)).toEqual([]);
    });

    it('comes earliest first, as many as asked for', async () => {
      const { here } = fixture;
      for (const [room, atMs] of [
        ['r3', nowMs + 3],
        ['r1', nowMs + 1],
        ['r2', nowMs + 2],
      ] as const) {
        await here.schedule(wake(room, 1n, atMs));
      }
      const due = await here.due(nowMs + 10, 2);
      expect(due).toEqual([wake('r1', 1n, nowMs + 1), wake('r2', 1n, nowMs + 2)]);
    });

    it('that nobody takes is dropped after a minute: the room has launched by itself', async () => {
      const { here } = fixture;
      await here.schedule(wake('r1', 1n, nowMs));
      expect(await here.due(nowMs + rocketWakeKeptMs, 10)).toEqual([]);
      expect(await here.due(nowMs, 10)).toEqual([]);
    });

    it('says when it cannot be reached, and throws for nothing', async () => {
      const { here } = fixture;
      await fixture.setAway(true);
      expect(await here.schedule(wake('r1', 1n, nowMs))).toBe(false);
      expect(await here.due(nowMs, 10)).toEqual([]);
      await here.done(wake('r1', 1n, nowMs));
      await fixture.setAway(false);
    });
  });
}
