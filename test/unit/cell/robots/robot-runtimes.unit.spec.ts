/** One runtime for each room, and who may take its place away. */
import { describe, expect, it } from 'vitest';
import type { RobotRuntime } from '../../../../src/cell/robots/robot-runtime.ts';
import { RobotRuntimes } from '../../../../src/cell/robots/robot-runtimes.ts';
import type { RoomKey } from '../../../../src/domain/ids.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import { RigLog } from '../../../support/rig-log.ts';
import { eventually } from '../../../support/stepped-time.ts';

const room = 'app1\0r1' as RoomKey;

/** A runtime whose loops end when the test says so. */
function fakeRuntime() {
  const done = createDeferred<void>();
  const runtime = {
    cancelled: false,
    partition: {},
    run: () => done.promise,
    cancel() {
      this.cancelled = true;
    },
  };
  return { runtime, asRuntime: runtime as unknown as RobotRuntime, end: () => done.resolve() };
}

function registry() {
  const gauges: number[] = [];
  const metrics = {
    count: () => undefined,
    gauge: (_: string, value: number) => void gauges.push(value),
    observeMs: () => undefined,
  };
  const log = new RigLog();
  return { runtimes: new RobotRuntimes({ metrics, log } as never, 'guest'), gauges };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runtimes of robots (ROBOT-2)', () => {
  it('a room has one at a time (SVC-29, SVC-31)', () => {
    const { runtimes } = registry();
    const [first, second] = [fakeRuntime(), fakeRuntime()];
    expect(runtimes.start(room, () => first.asRuntime)).toBe(true);
    expect(runtimes.start(room, () => second.asRuntime)).toBe(false);
    expect(runtimes.find(room)).toBe(first.asRuntime);
  });

  it('an old loop that ends late leaves the registration of its successor alone (SVC-33)', async () => {
    const { runtimes } = registry();
    const [first, second] = [fakeRuntime(), fakeRuntime()];
    runtimes.start(room, () => first.asRuntime);
    runtimes.stop(room);
    expect(first.runtime.cancelled).toBe(true);
    runtimes.start(room, () => second.asRuntime);
    first.end();
    await turn();
    expect(runtimes.find(room)).toBe(second.asRuntime);
    second.end();
    await eventually('the end of the second', () => runtimes.size === 0);
  });

  it('a restart waits for the end of the old one, and is done once however often it is asked for (SVC-28, SVC-32)', async () => {
    const { runtimes } = registry();
    const [first, second] = [fakeRuntime(), fakeRuntime()];
    const made: string[] = [];
    const restart = (): Promise<void> =>
      runtimes.restart(room, () => {
        made.push('second');
        return second.asRuntime;
      });
    runtimes.start(room, () => first.asRuntime);
    const both = Promise.all([restart(), restart()]);
    await turn();
    expect(first.runtime.cancelled).toBe(true);
    expect(made).toEqual([]);
    first.end();
    await both;
    expect(made).toEqual(['second']);
    expect(runtimes.find(room)).toBe(second.asRuntime);
  });

  it('a room that was stopped while its restart waited gets no other one', async () => {
    const { runtimes } = registry();
    const [first, second] = [fakeRuntime(), fakeRuntime()];
    runtimes.start(room, () => first.asRuntime);
    const restarted = runtimes.restart(room, () => second.asRuntime);
    runtimes.stop(room);
    first.end();
    await restarted;
    expect(runtimes.size).toBe(0);
  });

  it('a closed registry starts nothing, and cancels what ran in it, and nothing of another one (SVC-30)', () => {
    const { runtimes, gauges } = registry();
    const [first, second] = [fakeRuntime(), fakeRuntime()];
    const other = registry();
    const third = fakeRuntime();
    other.runtimes.start(room, () => third.asRuntime);
    runtimes.start(room, () => first.asRuntime);
    runtimes.close();
    expect(third.runtime.cancelled).toBe(false);
    expect(first.runtime.cancelled).toBe(true);
    expect(runtimes.start(room, () => second.asRuntime)).toBe(false);
    expect(gauges.at(-1)).toBe(0);
  });
});
