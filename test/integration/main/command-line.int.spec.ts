/** The command line as a person meets it: what it prints and how it exits. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../src/main/exit-codes.ts';
import { openTestSpace, type TestSpace } from '../../support/stack-env.ts';

const cli = new URL('../../../dist/src/main/cli.js', import.meta.url).pathname;

let space: TestSpace;
beforeAll(async () => {
  space = await openTestSpace('cli');
});
afterAll(() => space.close());

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `roomcell`; the environment holds nothing of ours but what is given. */
async function roomcell(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...ended };
}

describe('roomcell', () => {
  it('explains itself, each command too, with examples', async () => {
    const { code, stdout } = await roomcell(['--help']);
    expect(code).toBe(exitCodes.ok);
    expect(stdout).toContain('Examples:');
    for (const name of ['gateway', 'cell', 'relay', 'adapter-im', 'migrate', 'partitions']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
    expect((await roomcell(['token', '--help'])).stdout).toContain('Example:');
  });

  it.each([
    ['an unknown command', ['celll']],
    ['an unknown option', ['cell', '--fast']],
    ['an unknown role', ['all', '--without', 'celll']],
    ['a missing option', ['token']],
    ['no command at all', []],
  ])('exits with 2 for %s', async (_, args) => {
    expect((await roomcell(args)).code).toBe(exitCodes.usage);
  });

  it('exits with 3 for a refused configuration, every fault on a line of its own', async () => {
    const { code, stdout, stderr } = await roomcell(['cell'], {
      ROOMCELL_OUTBOX_WORKER_BATCH_SIZE: '0',
      ROOMCELL_OUTBOX_WORKER_POLL_INTERVAL: 'soon',
      ROOMCELL_NO_SUCH_KEY: '1',
    });
    expect(code).toBe(exitCodes.badConfig);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('3 faults'),
      expect.stringMatching(/^ {2}outbox_worker\.poll_interval: soon is not a duration/),
      expect.stringMatching(/^ {2}outbox_worker\.batch_size: is 0/),
      expect.stringMatching(/^ {2}ROOMCELL_NO_SUCH_KEY: is not the variable of any key/),
    ]);
  });

  it('exits with 4 when a server is out of reach', async () => {
    const { code, stderr } = await roomcell(['migrate'], { ROOMCELL_MYSQL_PORT: '1' });
    expect(code).toBe(exitCodes.unavailable);
    expect(stderr).toMatch(/^migrate: .*ECONNREFUSED/);
  });

  it('migrates once and then finds nothing to do', async () => {
    const first = await roomcell(['migrate', '--json'], space.env);
    const { applied } = JSON.parse(first.stdout) as { applied: string[] };
    expect(applied[0]).toBe('0001_partitions.sql');
    const second = await roomcell(['migrate', '--json'], space.env);
    expect(JSON.parse(second.stdout)).toEqual({ applied: [] });
  });

  it('creates topics, and exits with 1 when an existing one differs', async () => {
    const env = {
      ...space.env,
      ROOMCELL_KAFKA_TOPIC_PREFIX: space.topic('cli'),
      ROOMCELL_KAFKA_COMMANDS_PARTITIONS: '2',
      ROOMCELL_KAFKA_REPLY_PARTITIONS: '2',
      ROOMCELL_KAFKA_EVENT_PARTITIONS: '1',
    };
    const created = await roomcell(['topics'], env);
    expect(created.code, created.stderr).toBe(exitCodes.ok);
    expect(created.stdout).toContain(`${space.topic('cli')}.commands: 2 partitions (created)`);
    const differs = await roomcell(['topics'], { ...env, ROOMCELL_KAFKA_COMMANDS_PARTITIONS: '3' });
    expect(differs.code).toBe(exitCodes.failed);
    expect(differs.stdout).toContain('differs, 3 partitions are configured');
  });

  it('lists partitions for people and for programs', async () => {
    await roomcell(['migrate'], space.env);
    expect((await roomcell(['partitions'], space.env)).stdout).toContain('was ever owned');
    expect(JSON.parse((await roomcell(['partitions', '--json'], space.env)).stdout)).toEqual([]);
  });

  it('makes tokens in development only', async () => {
    const secret = { ROOMCELL_AUTH_HS256_SECRET: 'a secret of tests, long enough for HS256' };
    const args = ['token', '--app', 'demo', '--user', 'alice'];
    expect((await roomcell(args, secret)).stdout.split('.')).toHaveLength(3);
    expect((await roomcell(args)).code).toBe(exitCodes.failed);
    const inProduction = {
      ...secret,
      ROOMCELL_ENVIRONMENT: 'production',
      ROOMCELL_ADVERTISE_ADDR: '',
    };
    const refused = await roomcell(args, inProduction);
    expect(refused.code).toBe(exitCodes.failed);
    expect(refused.stderr).toContain('environment is production');
  });

  it('shows the effective configuration without secrets', async () => {
    const secret = 'a secret of tests, long enough for HS256';
    const env = { ROOMCELL_AUTH_HS256_SECRET: secret, ROOMCELL_MYSQL_PASSWORD: 'hunter2' };
    const { code, stdout } = await roomcell(['config', 'check'], env);
    expect(code).toBe(exitCodes.ok);
    expect(stdout).toContain('snapshot_every_n: 10');
    expect(stdout).toContain('hs256_secret: (set)');
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain('hunter2');
  });
});
