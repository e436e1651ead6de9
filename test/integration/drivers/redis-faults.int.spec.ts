/** A Redis that is frozen, cut or gone: every call ends in time, and nothing piles up (A7). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedisLeaseDirectory } from '../../../src/drivers/redis/redis-lease-directory.ts';
import { createRedisWake } from '../../../src/drivers/redis/redis-wake.ts';
import type { RoomKey } from '../../../src/domain/ids.ts';
import type { LeaseDirectory } from '../../../src/ports/lease-directory.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import type { DriverDeps } from '../../support/driver-deps.ts';
import { openRedisSpace } from '../../support/redis-space.ts';
import type { RedisSpace } from '../../support/redis-space.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitUntil } from '../../support/wait-until.ts';

const budgetMs = 20;
/** What the event loop of a busy machine may add to a budget. */
const slackMs = 150;
const claim = { roomKey: 'app1\0r1' as RoomKey, epoch: 7n, token: '' };

describe('the lease directory over a bad network', () => {
  let space: RedisSpace;
  let proxy: TcpProxy;
  let deps: DriverDeps;
  let leases: LeaseDirectory;

  beforeEach(async () => {
    space = openRedisSpace();
    proxy = await startTcpProxy({ targetHost: space.host, targetPort: space.port });
    deps = driverDeps();
    leases = createRedisLeaseDirectory(
      {
        redis: { url: `redis://127.0.0.1:${proxy.port}`, keyPrefix: space.keyPrefix },
        nodeId: 'node-a',
        leaseTtlMs: 30_000,
        breaker: { failuresToOpen: 3, openMs: 700 },
      },
      deps,
    );
    await waitUntil('connected', () => Promise.resolve(leases.isHealthy()));
  });
  afterEach(async () => {
    await leases.stop();
    await proxy.close();
    await space.close();
  });

  const ensure = async (budget = budgetMs) => {
    const startedAt = performance.now();
    const [verdict] = await leases.ensure([claim], budget);
    return { verdict, tookMs: performance.now() - startedAt };
  };

  it('a frozen Redis costs its budget three times, then nothing, and recovers by itself (EXT-8, A7)', async () => {
    expect((await ensure(500)).verdict).toEqual({ kind: 'held', token: '7.1' });
    proxy.setMode({ kind: 'hold', direction: 'both' });
    for (let call = 1; call <= 3; call += 1) {
      const { verdict, tookMs } = await ensure();
      expect(verdict).toMatchObject({ kind: 'unreachable', cause: 'no answer within 20 ms' });
      expect(tookMs).toBeLessThan(budgetMs + slackMs);
    }
    const { verdict, tookMs } = await ensure();
    expect(verdict).toEqual({ kind: 'unreachable', cause: 'the breaker is open' });
    expect(tookMs).toBeLessThan(budgetMs);
    expect(leases.isHealthy()).toBe(false);
    expect(deps.metrics.sumOf('roomcell_redis_breaker_opened_total')).toBe(1);
    const told = deps.log.messages('warn').filter((line) => line.includes('does not answer'));
    expect(told).toHaveLength(1);

    proxy.setMode({ kind: 'pass' });
    await waitUntil(
      'the lease held again after the breaker closed',
      async () => (await ensure()).verdict?.kind === 'held',
      { limitMs: 8_000 },
    );
    expect(leases.isHealthy()).toBe(true);
  });

  it('a call whose answer is swallowed and whose connection is cut still ends (A7)', async () => {
    const swallow = proxy.swallow({
      watch: 'toServer',
      matches: (chunk) => chunk.includes('EVALSHA') || chunk.includes('evalsha'),
    });
    const pending = ensure(300);
    await swallow.swallowed;
    swallow.cutMatched();
    const { verdict, tookMs } = await pending;
    expect(verdict?.kind).toBe('unreachable');
    expect(tookMs).toBeLessThan(300 + slackMs);
    // The script had run: doing it again gives the token that is stored, not a second owner.
    const again = await waitUntil('an answer after the cut', async () => {
      const { verdict: next } = await ensure(300);
      return next?.kind === 'held' ? next : null;
    });
    expect(await leases.ownerOf(claim.roomKey)).toEqual({
      ownerNodeId: 'node-a',
      token: again.token,
    });
  });

  it('a Redis that is gone queues nothing and is said once (A7)', async () => {
    await proxy.refuse();
    for (let call = 0; call < 200; call += 1) {
      expect((await ensure()).verdict?.kind).toBe('unreachable');
    }
    const told = () => deps.log.messages('warn').filter((line) => line.includes('be reached'));
    await waitUntil('the outage told', () => Promise.resolve(told().length > 0));
    expect(told()).toHaveLength(1);
    await proxy.accept();
    await waitUntil('held again', async () => (await ensure(300)).verdict?.kind === 'held');
    expect(deps.log.messages('info')).toEqual(['Redis can be reached again']);
  });

  it('scripts that the server has forgotten are taught again within the call', async () => {
    await ensure(500);
    await space.observer.script('FLUSH');
    expect((await ensure(500)).verdict).toEqual({ kind: 'held', token: '7.1' });
  });
});

describe('the wake without its Redis', () => {
  it('keeps waking its own process, and hints never wait', async () => {
    const deps = driverDeps();
    const wake = createRedisWake(
      {
        redis: { url: 'redis://127.0.0.1:1', keyPrefix: 'roomcell_t_none:' },
        topic: 'outbox',
        incarnation: 'one',
      },
      deps,
    );
    let woken = 0;
    wake.subscribe(() => (woken += 1));
    for (let hint = 0; hint < 1_000; hint += 1) wake.hint();
    expect(woken).toBe(1_000);
    await waitUntil('lost hints counted', () =>
      Promise.resolve(
        deps.metrics.sumOf('roomcell_wake_hints_total', { topic: 'outbox', outcome: 'lost' }) > 0,
      ),
    );
    await wake.stop();
  });
});
