/**
 * The proxy's promises, against a server that answers every line with the same line in capitals.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

let server: Server;
let proxy: TcpProxy;
let received: string;
const clients: Socket[] = [];

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      socket.write(chunk.toString().toUpperCase());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  proxy = await startTcpProxy({ targetPort: address.port });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  server.close();
});

describe('TCP proxy', () => {
  it('passes both ways', async () => {
    const client = await open();
    expect(await ask(client, 'hello')).toBe('HELLO');
  });

  it('holds the answer and delivers it in order when it passes again', async () => {
    const client = await open();
    await ask(client, 'x');
    proxy.setMode({ kind: 'hold', direction: 'toClient' });
    client.socket.write('one ');
    await until(() => received.includes('one '));
    client.socket.write('two');
    await until(() => received.includes('two'));
    expect(client.read()).toBe('X');
    proxy.setMode({ kind: 'pass' });
    await until(() => client.read() === 'XONE TWO');
  });

  it('slices both ways into pieces, in order, and counts what met a fault', async () => {
    const client = await open();
    await ask(client, 'x');
    expect(proxy.metCount).toBe(0);
    let chunks = 0;
    client.socket.on('data', () => (chunks += 1));
    proxy.setMode({ kind: 'slice', bytesMax: 2 });
    client.socket.write('abcdefghij');
    await until(() => client.read() === 'XABCDEFGHIJ');
    expect(chunks).toBeGreaterThan(1);
    expect(proxy.metCount).toBeGreaterThan(1);
    proxy.setMode({ kind: 'pass' });
    const before = proxy.metCount;
    await ask(client, 'y');
    expect(proxy.metCount).toBe(before);
    proxy.cut();
    expect(proxy.metCount).toBe(before + 1);
  });

  it('holds the request only, when told so', async () => {
    const client = await open();
    await ask(client, 'x');
    proxy.setMode({ kind: 'hold', direction: 'toServer' });
    client.socket.write('lost');
    const other = await open();
    other.socket.write('also');
    expect(received).toBe('x');
    proxy.setMode({ kind: 'pass' });
    await until(() => client.read() === 'XLOST' && other.read() === 'ALSO');
  });

  it('delays every chunk', async () => {
    const client = await open();
    proxy.setMode({ kind: 'delay', delayMs: 40 });
    const startedAtMs = performance.now();
    expect(await ask(client, 'slow')).toBe('SLOW');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(80);
  });

  it('cuts open connections and welcomes new ones', async () => {
    const client = await open();
    await ask(client, 'x');
    proxy.cut();
    await client.closed;
    expect(await ask(await open(), 'again')).toBe('AGAIN');
  });

  it('refuses connections until it accepts again on the same port', async () => {
    const client = await open();
    await ask(client, 'x');
    await proxy.refuse();
    await client.closed;
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.accept();
    expect(await ask(await open(), 'back')).toBe('BACK');
  });

  it('swallows the answer to a matching request, on that connection only', async () => {
    const victim = await open();
    const other = await open();
    await ask(victim, 'begin ');
    const rule = proxy.swallow({
      watch: 'toServer',
      matches: (chunk) => chunk.includes('commit'),
    });
    victim.socket.write('commit');
    await rule.matched;
    await rule.swallowed;
    expect(received).toBe('begin commit');
    expect(await ask(other, 'commit')).toBe('COMMIT');
    rule.cutMatched();
    await victim.closed;
    expect(victim.read()).toBe('BEGIN ');
  });

  it('swallows a matching request itself, when told so', async () => {
    const client = await open();
    await ask(client, 'a');
    const rule = proxy.swallow({ watch: 'toServer', matches: () => true, swallow: 'toServer' });
    client.socket.write('b');
    await rule.swallowed;
    expect(received).toBe('a');
  });

  it('passes a half-close on', async () => {
    const client = await open();
    await ask(client, 'x');
    client.socket.end();
    await client.closed;
    await until(() => proxy.connectionCount === 0);
  });
});

interface Client {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  read(): string;
}

async function open(): Promise<Client> {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const closed = new Promise<void>((settle) => socket.once('close', () => settle()));
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return { socket, closed, read: () => text };
}

/** Sends `text` and waits until as many characters came back. */
async function ask(client: Client, text: string): Promise<string> {
  const before = client.read().length;
  client.socket.write(text);
  await until(() => client.read().length >= before + text.length);
  return client.read().slice(before);
}

/** Waits for a condition at every turn of the event loop; the test's own time limit ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((settle) => setImmediate(settle));
}
