/** Probes and metrics over real HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { startOpsServer, type OpsServer } from '../../../../src/drivers/http/ops-server.ts';

const servers: OpsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(ready = true, metricsText = (): Promise<string> => Promise.resolve('m 1\n')) {
  const server = await startOpsServer(
    { host: '127.0.0.1', port: 0 },
    {
      readiness: () => ({ ready, reasons: ready ? [] : ['cell: MySQL does not answer'] }),
      partitions: () => [{ partition: 3, state: 'GAP', appliedOffset: 9_007_199_254_740_993n }],
      metricsContentType: 'text/plain; version=0.0.4',
      metricsText,
    },
  );
  servers.push(server);
  return (path: string, init?: RequestInit) => fetch(`http://${server.address}${path}`, init);
}

describe('the operations port', () => {
  it('says that it lives, also when it is not ready (HEALTH-6, DRAIN-3)', async () => {
    const get = await start(false);
    expect((await get('/livez')).status).toBe(200);
  });

  it('answers readiness with 200, or 503 and every reason (HEALTH-6)', async () => {
    expect((await (await start(true))('/readyz')).status).toBe(200);
    const notReady = await (await start(false))('/readyz');
    expect(notReady.status).toBe(503);
    expect(await notReady.json()).toEqual({
      ready: false,
      reasons: ['cell: MySQL does not answer'],
    });
  });

  it('shows how each partition stands, with 64-bit numbers as text', async () => {
    const answer = await (await start(false))('/partitions');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      partitions: [{ partition: 3, state: 'GAP', appliedOffset: '9007199254740993' }],
    });
  });

  it('serves metrics in Prometheus’ format, and 500 when they cannot be had', async () => {
    const good = await (await start())('/metrics');
    expect(good.headers.get('content-type')).toContain('version=0.0.4');
    expect(await good.text()).toBe('m 1\n');
    const bad = await (await start(true, () => Promise.reject(new Error('no'))))('/metrics');
    expect(bad.status).toBe(500);
  });

  it('refuses other paths and methods', async () => {
    const get = await start();
    expect((await get('/')).status).toBe(404);
    expect((await get('/readyz', { method: 'POST' })).status).toBe(405);
  });

  it('stops although a connection is kept open, and may be stopped twice', async () => {
    const get = await start();
    await (await get('/livez')).text();
    await servers[0]?.stop();
    await servers[0]?.stop();
    await expect(get('/livez')).rejects.toThrow();
  });

  it('says at once when its address is taken', async () => {
    await start();
    const taken = Number(servers[0]?.address.split(':')[1]);
    const readiness = () => ({ ready: true, reasons: [] });
    const pages = { readiness, partitions: () => [], metricsContentType: '' };
    const again = startOpsServer(
      { host: '127.0.0.1', port: taken },
      { ...pages, metricsText: () => Promise.resolve('') },
    );
    await expect(again).rejects.toThrow(/EADDRINUSE/);
  });
});
