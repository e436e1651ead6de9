/** Ports for servers that are started a while after they were given one. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/stack/machine.ts';

/** Picks these in turn, and the last one from then on. */
function picking(...ports: readonly number[]): () => number {
  let at = 0;
  return () => ports[Math.min(at++, ports.length - 1)] ?? 0;
}

describe('a free port', () => {
  it('is given once, though nobody listens on it yet', async () => {
    const one = await freePort();
    await expect(freePort(() => one)).rejects.toThrow('no free port');
  });

  it('is another one for each that asks at the same time', async () => {
    // Each twice in a row.
    const port = picking(...Array.from({ length: 16 }, (_, at) => 31_900 + Math.floor(at / 2)));
    const given = await Promise.all([freePort(port), freePort(port), freePort(port)]);
    expect(new Set(given).size).toBe(3);
  });

  it('is none that somebody listens on', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(freePort(() => port)).rejects.toThrow('no free port');
    await new Promise((resolve) => server.close(resolve));
  });
});
