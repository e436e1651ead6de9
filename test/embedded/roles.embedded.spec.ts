/** `roomcell` with embedded drivers: which processes make sense, and how such a one lives and ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/main/exit-codes.ts';
import type { LogLine } from '../../src/main/sample/log-lines.ts';
import { startRoleChild } from '../../src/main/sample/role-child.ts';
import { secrets } from '../support/config-cases.ts';
import { waitUntil } from '../support/wait-until.ts';
import { runScript } from './run-script.ts';

const program = new URL('../../dist/src/main/cli.js', import.meta.url).pathname;
const embedded = { ...secrets, ROOMCELL_DRIVERS: 'embedded' };
const anyPort = '127.0.0.1:0';
const freePorts = {
  ROOMCELL_GATEWAY_GRPC_LISTEN: anyPort,
  ROOMCELL_OPS_LISTEN: anyPort,
  ROOMCELL_SANDBOX_IM_LISTEN: anyPort,
  ROOMCELL_SANDBOX_RTC_LISTEN: anyPort,
  ROOMCELL_SANDBOX_ACTIVITY_LISTEN: anyPort,
  ROOMCELL_SANDBOX_CONTROL_LISTEN: anyPort,
  ROOMCELL_SANDBOX_WALLET_LISTEN: anyPort,
};

/** Else the start warns that nobody is put out of RTC. */
const rtcAccount = {
  ROOMCELL_RTC_APPS_DEMO_API_SECRET_ID: 'an account of tests',
  ROOMCELL_RTC_APPS_DEMO_API_SECRET_KEY: 'a secret key of tests',
};

const startLimitMs = 30_000;

/** The page once it says yes. */
async function readyPage(url: string): Promise<unknown> {
  const answer = await fetch(url);
  return answer.ok ? answer.json() : null;
}

describe('roomcell with embedded drivers', () => {
  it.each([
    [
      'in production',
      ['all'],
      { ROOMCELL_ENVIRONMENT: 'production' },
      /^ {2}drivers: .*keeps noth/m,
    ],
    ['for one role alone', ['cell'], {}, /^ {2}drivers: .* cell alone would meet nobody; run/m],
    [
      'for a command on servers',
      ['partitions'],
      {},
      /^partitions: drivers is embedded, so there a/m,
    ],
    ['for migrations', ['migrate'], {}, /^migrate: drivers is embedded/m],
  ])('is refused %s', async (_, args, env, sentence) => {
    const { code, output } = await runScript('src/main/cli.js', args, { ...embedded, ...env });
    expect(output).toMatch(sentence);
    expect(code, output).toBe(exitCodes.badConfig);
  });

  it('becomes ready, shows in /readyz that nothing is kept, and ends in order when told', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roomcell-embedded-'));
    const lines: LogLine[] = [];
    const texts: string[] = [];
    const child = startRoleChild({
      program,
      args: ['all', '--exit-with-stdin'],
      env: { PATH: process.env['PATH'], ...embedded, ...freePorts, ...rtcAccount },
      logFile: join(folder, 'log'),
      onLine: (line) => lines.push(line),
      onText: (text) => texts.push(text),
    });
    try {
      const seen = (): unknown => ({ lines: lines.slice(-3), texts });
      const ops = await waitUntil(
        'the operations port is told',
        () => Promise.resolve(lines.find(({ fields }) => fields['what'] === 'ops') ?? null),
        { limitMs: startLimitMs, seen },
      );
      const readyz = `http://127.0.0.1:${String(ops.fields['port'])}/readyz`;
      const ready = await waitUntil('it is ready', () => readyPage(readyz), {
        limitMs: startLimitMs,
        seen,
      });
      expect(ready).toEqual({
        ready: true,
        reasons: [],
        warning: expect.stringContaining('NOTHING IS KEPT') as string,
      });
      expect(await child.stop(20_000)).toEqual({ code: exitCodes.ok, signal: null });
      expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
      expect(texts).toEqual([]);
    } finally {
      await child.stop(1_000);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
