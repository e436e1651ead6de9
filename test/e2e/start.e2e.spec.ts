/**
 * `npm start -- --once` tells the truth: exit 0 only when every event of the sample room arrived at
 * each destination, exit 1 as soon as a part of the path is missing or one event is lost.
 */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const startScript = new URL('../../dist/scripts/start.js', import.meta.url).pathname;
const limitMs = 170_000;

/** Runs it on the stack of this test run, with a database and key space of its own. */
async function start(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { ROOMCELL_MYSQL_DATABASE: _, ROOMCELL_REDIS_KEY_PREFIX: __, ...env } = process.env;
  const child = spawn(process.execPath, [startScript, '--once', ...args], {
    env: { ...env, ROOMCELL_STACK: 'given' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const timer = setTimeout(() => {
    output += `\nstill running after ${limitMs} ms`;
    child.kill('SIGTERM');
  }, limitMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { code, output };
}

describe('npm start -- --once', { timeout: limitMs + 30_000 }, () => {
  it('ends with 0 when everything arrived, and tells the story', async () => {
    const { code, output } = await start();
    expect(output).toContain('replayed: the stored answer');
    expect(output).toMatch(/publish timeout +v8 .* ms \(idempotency .* commit .*\)/);
    expect(output).toMatch(/RoomClosed .* → im \(message and notification\), activity/);
    expect(output).not.toMatch(/missing:|extra:|ERROR/);
    expect(code, output).toBe(0);
  });

  it('ends with 1 without the relay, naming what is missing at both destinations', async () => {
    const { code, output } = await start('--without', 'relay', '--wait', '3s');
    expect(output).toMatch(/^im: missing: RoomCreated/m);
    expect(output).toMatch(/^activity: missing: RoomClosed/m);
    expect(code, output).toBe(1);
  });

  it('ends with 1 without an adapter, naming what is missing at its destination alone', async () => {
    const { code, output } = await start('--without', 'adapter-im', '--wait', '15s');
    expect(output).toMatch(/^im: missing: RoomUserJoined/m);
    expect(output).not.toMatch(/^activity: /m);
    expect(code, output).toBe(1);
  });

  it('ends with 1 when one single event is lost on its way, naming that one', async () => {
    const { code, output } = await start('--lose-one-event', '--wait', '15s');
    expect(output.match(/^(im|activity): .*/gm)).toEqual([
      expect.stringMatching(/^im: missing: RoomUserJoined .* \(of join-alice\)$/),
    ]);
    expect(code, output).toBe(1);
  });
});
