/** Commands of a release reach the topic only when every node can execute them. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/kernel/failure.ts';
import { createEnabledCommands } from '../../../src/gateway/enabled-commands.ts';
import type { ExchangeEnd, ExchangeRequest } from '../../../src/gateway/exchange.ts';
import { createExecuteCommand } from '../../../src/gateway/execute-command.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { createRoomWindow } from '../../../src/gateway/room-window.ts';
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import type { CommandTopicRecord } from '../../../src/protocol/records.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import {
  codec,
  CountingMetrics,
  emptyRegistry,
  frame,
  meta,
  PlainPasswords,
  resultReply,
} from './gateway-fakes.ts';

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

describe('a call to a deployment that is being upgraded', () => {
  function rig(level: number) {
    const records: CommandTopicRecord[] = [];
    const exchange = (request: ExchangeRequest): Promise<ExchangeEnd> => {
      records.push(request.record);
      return Promise.resolve({ kind: 'reply', reply: resultReply() });
    };
    const time = new ManualTime();
    const execute = createExecuteCommand(
      {
        clock: time,
        log: new MemoryLog(),
        metrics: new CountingMetrics(),
        codec,
        schemaRegistry: { ...emptyRegistry, level: () => Promise.resolve(level) },
        passwords: new PlainPasswords(),
        roomQueries: {
          passwordOf: () => Promise.resolve(null),
          isPlatformBanned: () => Promise.resolve(false),
        },
      },
      { exchange, window: createRoomWindow(8), limits: defaultGatewayLimits, partitionCount: 8 },
    );
    return { records, execute };
  }
  const unban: CommandRequest = { type: 'UnbanUser', userId: 'u2' };

  it('puts nothing of the newer release into the topic', async () => {
    const { records, execute } = rig(2);
    await expect(execute(frame(), meta(), unban)).rejects.toMatchObject({
      reason: 'NOT_YET_ENABLED',
      facts: { produced: 'no' },
    });
    await execute(frame(), meta(), { type: 'LeaveRoom' });
    expect(records).toMatchObject([{ body: { type: 'LeaveRoom' } }]);
  });

  it('is executed when the level is reached', async () => {
    const { records, execute } = rig(3);
    await execute(frame(), meta(), unban);
    expect(records).toMatchObject([{ body: { type: 'UnbanUser', userId: 'u2' } }]);
  });
});
