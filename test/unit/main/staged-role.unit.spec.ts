/** A role around a stage: built anew for each start, and never left half-open. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/kernel/failure.ts';
import { stagedRole, type RunningStage } from '../../../src/main/staged-role.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';

function makeRole(stage: Partial<RunningStage> = {}) {
  const story: string[] = [];
  const log = new MemoryLog();
  let waiting: (reason: string | null) => void = () => undefined;
  const say = (what: string) => (): Promise<void> => {
    story.push(what);
    return Promise.resolve();
  };
  const role = stagedRole({
    name: 'relay',
    log,
    timers: new ManualTime(),
    prepare: ({ onWaiting }, resources) => {
      waiting = onWaiting;
      story.push('prepare');
      resources.add('first', say('release first'));
      resources.add('second', say('release second'));
      return Promise.resolve({
        start: say('start'),
        drain: say('drain'),
        stop: say('stop'),
        readiness: () => ({ ready: true, reasons: [] }),
        ...stage,
      });
    },
  });
  return { role, story, log, waiting: (reason: string | null) => waiting(reason) };
}

const away = (): Failure => new Failure('retry', 'UNAVAILABLE', 'away');

describe('a staged role', () => {
  it('says what it waits for until it has started, then what its stage says (HEALTH-1, HEALTH-2, HEALTH-5)', async () => {
    let begin = (): void => undefined;
    const { role, waiting } = makeRole({
      start: () => new Promise((resolve) => (begin = resolve)),
    });
    const started = role.start();
    await settled();
    waiting('waiting for Kafka');
    expect(role.readiness()).toEqual({ ready: false, reasons: ['waiting for Kafka'] });
    begin();
    await started;
    expect(role.readiness().ready).toBe(true);
  });

  it('lets everything go, the stage first, what was made last before what was made first', async () => {
    const { role, story } = makeRole();
    await role.start();
    await role.drain();
    await role.stop();
    await role.stop();
    expect(story.slice(0, 4)).toEqual(['prepare', 'start', 'drain', 'stop']);
    expect(story.filter((step) => step.startsWith('release'))).toEqual([
      'release second',
      'release first',
    ]);
  });

  it('builds everything anew after a start that failed, and holds nothing in between', async () => {
    let tries = 0;
    const { role, story } = makeRole({
      start: () => ((tries += 1) === 1 ? Promise.reject(away()) : Promise.resolve()),
    });
    await expect(role.start()).rejects.toThrow('away');
    expect(story).toEqual(['prepare', 'stop', 'release second', 'release first']);
    await role.start();
    expect(role.readiness().ready).toBe(true);
  });

  it('that is still starting can be stopped: its stage is told first', async () => {
    let refuse = (_: Error): void => undefined;
    const { role, story } = makeRole({
      start: () => new Promise((_, reject) => (refuse = reject)),
      stop: () => {
        refuse(new Error('stopped'));
        return Promise.resolve();
      },
    });
    const started = role.start();
    await settled();
    await role.stop();
    await expect(started).rejects.toThrow('stopped');
    expect(story).toContain('release first');
  });

  it('drains nothing that never started (DRAIN-2)', async () => {
    const { role, story } = makeRole();
    await role.drain();
    expect(story).toEqual([]);
  });

  it('releases the rest when one thing does not close', async () => {
    const { role, story, log } = makeRole({ stop: () => Promise.reject(new Error('stuck')) });
    await role.start();
    await role.stop().catch(() => undefined);
    expect(story).toContain('release first');
    expect(log.messages('warn').length).toBeGreaterThan(0);
  });
});
