/** Commands of a release reach the topic only when every node can execute them. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/kernel/failure.ts';
import { createEnabledCommands } from '../../../src/gateway/enabled-commands.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';

function registryAt(level: number) {
  const registry = {
    stored: level,
    asked: [] as number[],
    level: (begin: number) => {
      registry.asked.push(begin);
      return Promise.resolve(registry.stored);
    },
  };
  return registry;
}

describe('a deployment that is being upgraded', () => {
  it('takes what the former release knows without a look', () => {
    const registry = registryAt(2);
    const enabled = createEnabledCommands(registry);
    expect(enabled.isKnown('JoinRoom')).toBe(true);
    expect(enabled.isKnown('KickUser')).toBe(false);
    expect(registry.asked).toEqual([]);
  });

  it('refuses what came later; the id stays free and nothing was produced', async () => {
    const enabled = createEnabledCommands(registryAt(2));
    const refused = await enabled.require('KickUser').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Failure);
    expect(refused).toMatchObject({
      kind: 'retry',
      reason: 'NOT_YET_ENABLED',
      facts: { produced: 'no', level: '2', needed_level: '3' },
    });
    await enabled.require('SendGift');
  });

  it('takes it as soon as the level is raised, and does not ask again', async () => {
    const registry = registryAt(2);
    const enabled = createEnabledCommands(registry);
    await expect(enabled.require('KickUser')).rejects.toMatchObject({ reason: 'NOT_YET_ENABLED' });
    registry.stored = 3;
    await enabled.require('KickUser');
    expect(enabled.isKnown('KickUser')).toBe(true);
    // What it would begin with is the level of this release.
    expect(registry.asked).toEqual([schemaLevel, schemaLevel]);
  });

  it('asks once for calls that come together', async () => {
    const registry = registryAt(3);
    const enabled = createEnabledCommands(registry);
    await Promise.all([enabled.require('KickUser'), enabled.require('SetAdmin')]);
    expect(registry.asked).toHaveLength(1);
  });

  it('asks again after the registry was away', async () => {
    let isAway = true;
    const enabled = createEnabledCommands({
      level: () =>
        isAway ? Promise.reject(new Failure('retry', 'UNAVAILABLE', 'away')) : Promise.resolve(3),
    });
    await expect(enabled.require('KickUser')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    isAway = false;
    await enabled.require('KickUser');
  });
});
