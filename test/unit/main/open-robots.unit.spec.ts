/** Robots of a cell: played only where they are enabled. */
import { describe, expect, it } from 'vitest';
import { openRobots } from '../../../src/main/open-robots.ts';
import type { Resources } from '../../../src/main/staged-role.ts';
import type { WiringContext } from '../../../src/main/wiring-context.ts';

function opened(enabled: boolean) {
  const made: string[] = [];
  const sink = { start: () => Promise.resolve(), stop: () => Promise.resolve() };
  const pool = {};
  const context = {
    config: { robots: { enabled } },
    driverPorts: {},
    drivers: {
      stores: { robotPool: pool },
      commandSink: () => {
        made.push('sink');
        return sink;
      },
    },
  } as unknown as WiringContext;
  const resources = { add: (name: string) => void made.push(name) } as unknown as Resources;
  return { robots: openRobots(context, resources).robots, made, sink, pool };
}

describe('the robots of a cell', () => {
  it('are played by nobody unless they are enabled, and cost no connection then (NEW-11)', () => {
    const { robots, made } = opened(false);
    expect(robots).toBeUndefined();
    expect(made).toEqual([]);
  });

  it('have the pool and a sink of their own, which is stopped with the role', () => {
    const { robots, made, sink, pool } = opened(true);
    expect(robots).toEqual({ pool, sink });
    expect(made).toEqual(['sink', 'sink of robots']);
  });
});
