/** The life of a process: start in order, wait for what is away, drain and stop in bounded time. */
import { describe, expect, it } from 'vitest';
import { nameTaken } from '../../../src/cell/node-watch.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import { exitCodes } from '../../../src/main/exit-codes.ts';
import { createRoleHost } from '../../../src/main/role-host.ts';
import type { Role, RoleName } from '../../../src/main/role.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';

/** A role whose steps a test can make fail or hang; all roles of a test write into one story. */
class StoryRole implements Role {
  readonly name: RoleName;
  reasons: string[] = [];
  startStep = (): Promise<void> => Promise.resolve();
  drainStep = (): Promise<void> => Promise.resolve();
  stopStep = (): Promise<void> => Promise.resolve();
  private readonly story: string[];

  constructor(name: RoleName, story: string[]) {
    this.name = name;
    this.story = story;
  }

  start(): Promise<void> {
    this.story.push(`start ${this.name}`);
    return this.startStep();
  }

  drain(): Promise<void> {
    this.story.push(`drain ${this.name}`);
    return this.drainStep();
  }

  stop(): Promise<void> {
    this.story.push(`stop ${this.name}`);
    return this.stopStep();
  }

  partitions() {
    return [];
  }

  readiness() {
    return { ready: this.reasons.length === 0, reasons: this.reasons };
  }
}

function makeHost(drainTimeoutMs = 10_000) {
  const story: string[] = [];
  const time = new ManualTime();
  const log = new MemoryLog();
  const cell = new StoryRole('cell', story);
  const gateway = new StoryRole('gateway', story);
  const host = createRoleHost({
    log,
    timers: time,
    clock: time,
    drainTimeoutMs,
    readinessLookMs: 500,
    roles: [cell, gateway],
  });
  const crash = () => host.stop({ kind: 'crashed', role: 'cell', cause: new Error('x') });
  const stop = () => host.stop({ kind: 'signal', signal: 'SIGTERM' });
  return { story, time, log, cell, gateway, host, stop, crash };
}

const never = (): Promise<void> => new Promise(() => undefined);
const away = (): Failure => new Failure('retry', 'UNAVAILABLE', 'MySQL does not answer');

describe('a process', () => {
  it('starts its roles in order and stops them in the opposite order, drained before', async () => {
    const { host, story, stop } = makeHost();
    const exit = host.run();
    await settled();
    stop();
    expect(await exit).toBe(exitCodes.ok);
    expect(story).toEqual([
      'start cell',
      'start gateway',
      'drain gateway',
      'drain cell',
      'stop gateway',
      'stop cell',
    ]);
  });

  it('is ready when every role is, and tells every reason when not', async () => {
    const { host, cell, gateway, stop } = makeHost();
    const exit = host.run();
    expect(host.readiness()).toEqual({
      ready: false,
      reasons: ['cell: starting', 'gateway: not started yet'],
    });
    await settled();
    expect(host.readiness().ready).toBe(true);
    cell.reasons = ['DB_DOWN'];
    gateway.reasons = ['no reply slot held'];
    expect(host.readiness()).toEqual({
      ready: false,
      reasons: ['cell: DB_DOWN', 'gateway: no reply slot held'],
    });
    stop();
    await exit;
  });

  it('is not ready from the moment it is told to stop, while calls in hand go on (DRAIN-3)', async () => {
    const { host, gateway, stop } = makeHost();
    let finish = (): void => undefined;
    gateway.drainStep = () => new Promise((resolve) => (finish = resolve));
    const exit = host.run();
    await settled();
    stop();
    expect(host.readiness()).toEqual({ ready: false, reasons: ['stopping'] });
    await settled();
    finish();
    expect(await exit).toBe(exitCodes.ok);
  });
});

describe('an absent dependency', () => {
  it('is waited for, is said once, shows in readiness, and needs no restart (HEALTH-1, HEALTH-4)', async () => {
    const { host, cell, story, time, log, stop } = makeHost();
    cell.startStep = () => Promise.reject(away());
    const exit = host.run();
    await time.advance(60_000);
    expect(log.messages('warn')).toEqual(['waiting for what role cell needs']);
    expect(host.readiness().reasons).toEqual([
      'cell: waiting for what role cell needs: MySQL does not answer',
      'gateway: not started yet',
    ]);
    expect(story.filter((step) => step === 'start cell').length).toBeGreaterThan(10);
    cell.startStep = () => Promise.resolve();
    await time.advance(6_000);
    expect(host.readiness().ready).toBe(true);
    stop();
    expect(await exit).toBe(exitCodes.ok);
  });

  it('does not keep a process from ending', async () => {
    const { host, cell, time, stop } = makeHost();
    cell.startStep = () => Promise.reject(away());
    const exit = host.run();
    await time.advance(1_000);
    stop();
    expect(await exit).toBe(exitCodes.ok);
  });
});

describe('a process ends with a code that says why:', () => {
  it('a start that fails for good is told, and what ran is stopped', async () => {
    const { host, gateway, story, log } = makeHost();
    gateway.startStep = () => Promise.reject(new Error('EADDRINUSE'));
    expect(await host.run()).toBe(exitCodes.failed);
    expect(log.messages('error')).toEqual(['a start failed']);
    expect(story).toEqual(['start cell', 'start gateway', 'stop gateway', 'stop cell']);
  });

  it('a role that dies ends the process, the others drained', async () => {
    const { host, story, log, crash } = makeHost();
    const exit = host.run();
    await settled();
    crash();
    expect(await exit).toBe(exitCodes.roleDied);
    expect(log.messages('error')).toEqual(['a role died']);
    expect(story).toContain('drain gateway');
  });

  it.each(['at its start', 'while it runs'])(
    'a name that is another process’s has a code of its own, %s',
    async (when) => {
      const { host, cell } = makeHost();
      const taken = new Failure('fenced', nameTaken, 'Another process lives under the name cell-a');
      if (when === 'at its start') cell.startStep = () => Promise.reject(taken);
      const exit = host.run();
      await settled();
      if (when !== 'at its start') host.stop({ kind: 'crashed', role: 'cell', cause: taken });
      expect(await exit).toBe(exitCodes.nameTaken);
    },
  );

  it('a drain that takes too long is cut and named', async () => {
    const { host, cell, time, log, stop } = makeHost(5_000);
    cell.drainStep = never;
    const exit = host.run();
    await settled();
    stop();
    await time.advance(5_000);
    expect(await exit).toBe(exitCodes.failed);
    expect(log.lines.at(-1)).toMatchObject({
      message: 'drain_timeout exceeded',
      fields: { unfinished: 'drain of cell' },
    });
  });

  it('a role that ends badly does not keep the others from being stopped', async () => {
    const { host, gateway, story, stop } = makeHost();
    gateway.drainStep = () => Promise.reject(new Error('x'));
    gateway.stopStep = () => Promise.reject(new Error('x'));
    const exit = host.run();
    await settled();
    stop();
    expect(await exit).toBe(exitCodes.ok);
    expect(story).toContain('stop cell');
  });

  it('a signal in the middle of a start stops the role that was starting too', async () => {
    const { host, cell, story, stop } = makeHost();
    cell.startStep = never;
    const exit = host.run();
    await settled();
    stop();
    expect(await exit).toBe(exitCodes.ok);
    expect(story).toContain('stop cell');
    expect(story).not.toContain('start gateway');
  });
});
