/** The command line as a person meets it: what it prints and how it exits. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pooledSession } from '../../../src/drivers/mysql/connection-settings.ts';
import { openSession } from '../../../src/drivers/mysql/session.ts';
import { exitCodes } from '../../../src/main/exit-codes.ts';
import { openTestSpace, type TestSpace } from '../../support/stack-env.ts';

const cli = new URL('../../../dist/src/main/cli.js', import.meta.url).pathname;

const asKim = ['--as', 'kim'];

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

/** One statement on the space's database. */
async function runSql(sql: string, values: readonly unknown[]): Promise<void> {
  const session = await openSession({ ...space.mysql, tls: null }, pooledSession);
  await session.run(sql, values).finally(() => session.end());
}

describe('roomcell', () => {
  it('explains itself, each command too, with examples', async () => {
    const { code, stdout } = await roomcell(['--help']);
    expect(code).toBe(exitCodes.ok);
    expect(stdout).toContain('Examples:');
    for (const name of [
      'gateway',
      'cell',
      'relay',
      'adapter-im',
      'migrate',
      'partitions',
      'outbox',
      'dead-letters',
      'schema-level',
      'gifts',
      'boards',
      'rocket',
      'robots',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
    expect((await roomcell(['token', '--help'])).stdout).toContain('Example:');
  });

  it.each([
    ['an unknown command', ['celll']],
    ['an unknown option', ['cell', '--fast']],
    ['an unknown role', ['all', '--without', 'celll']],
    ['an unknown role before a known one', ['all', '--without', 'celll', '--without', 'cell']],
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

  it.each(['migrate', 'settlements'])('exits with 4 when %s meets no server', async (name) => {
    const { code, stderr } = await roomcell([name], { ROOMCELL_MYSQL_PORT: '1' });
    expect(code).toBe(exitCodes.unavailable);
    expect(stderr).toContain(`${name}: `);
    expect(stderr).toContain('ECONNREFUSED');
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

  it('shows the schema level and raises it to that of this release', async () => {
    await runSql('REPLACE INTO schema_level (id, level, raised_at_ms) VALUES (1, 2, 0)', []);
    const before = await roomcell(['schema-level'], space.env);
    expect(before.stdout).toContain('The deployment is at level 2, this release at 4: raise it');
    expect((await roomcell(['schema-level', 'raise'], space.env)).code).toBe(exitCodes.ok);
    const after = await roomcell(['schema-level', 'show', '--json'], space.env);
    expect(JSON.parse(after.stdout)).toEqual({ level: 4, release: 4 });
  });

  it('lists partitions for people and for programs', async () => {
    await roomcell(['migrate'], space.env);
    expect((await roomcell(['partitions'], space.env)).stdout).toContain('was ever owned');
    expect(JSON.parse((await roomcell(['partitions', '--json'], space.env)).stdout)).toEqual([]);
  });

  it('says once how a partition goes on that stands still, and of no other', async () => {
    await roomcell(['migrate'], space.env);
    const env = { ...space.env, ROOMCELL_KAFKA_TOPIC_PREFIX: 'standing' };
    const topic = 'standing.commands';
    await runSql(
      'REPLACE INTO partition_owner (topic, partition_id, epoch, owner_node_id, incarnation, lane, ' +
        'advertise_addr, applied_offset, commit_seq, released, updated_at_ms) ' +
        "VALUES (?, 3, 7, 'cell-1', 'a', 0, '10.0.0.1:7000', 56, 0, 0, 1)",
      [topic],
    );
    await runSql(
      'REPLACE INTO partition_stops (topic, partition_id, state, expected_offset, ' +
        'log_start_offset, log_end_offset, committed_offset, epoch, owner_node_id, ' +
        "stopped_at_ms) VALUES (?, 3, 'GAP', 57, 80, 90, -1, 7, 'cell-1', 1)",
      [topic],
    );
    expect((await roomcell(['partitions'], env)).stdout).toContain('GAP@57');
    const word = ['--partition', '3', '--state', 'GAP', '--choice', 'skip', '--as', 'kim'];
    const accept = (...args: string[]) => roomcell(['partitions', 'accept', ...word, ...args], env);
    expect((await accept('--expected', '56')).code).toBe(exitCodes.failed);
    expect((await accept('--expected', '57', '--choice', 'restart')).code).toBe(exitCodes.usage);
    expect((await accept('--expected', 'x')).code).toBe(exitCodes.usage);
    expect((await accept('--expected', '57')).code).toBe(exitCodes.ok);
    expect((await roomcell(['partitions'], env)).stdout).toContain('GAP@57 (skip)');
  });

  it('lists what was set aside, and refuses to send again what is not there', async () => {
    await roomcell(['migrate'], space.env);
    const none = await roomcell(['outbox', 'list', '--app', 'shop'], space.env);
    expect(none.stdout).toContain('No row of shop is failed.');
    const replay = ['outbox', 'replay', '--app', 'shop', '--as', 'kim'];
    const dry = await roomcell([...replay, '--dry-run'], space.env);
    expect(dry.stdout).toContain('0 rows would begin anew.');
    expect((await roomcell([...replay, '--to', 'mars'], space.env)).code).toBe(exitCodes.usage);
    expect((await roomcell(['outbox', 'replay', '--app', 'shop'], space.env)).code).toBe(
      exitCodes.usage,
    );
    const letters = await roomcell(['dead-letters', 'list', '--json'], space.env);
    expect(JSON.parse(letters.stdout)).toEqual([]);
    const where = ['--partition', '3', '--offset', '57', '--as', 'kim'];
    const gone = await roomcell(['dead-letters', 'replay', ...where], space.env);
    expect(gone.code).toBe(exitCodes.failed);
    expect(gone.stderr).toContain('was set aside at 3/57');
  });

  it('stores rocket rules as the next version, shows them, and refuses bad ones with all faults', async () => {
    const rules = '{"levels":[{"fuel_target":"9007199254740993","countdown_ms":5000}]}';
    const set = await roomcell(['rocket', 'set', 'shop', rules, ...asKim], space.env);
    expect(set.stdout).toContain('shop: rules version 1 stored.');
    const shown = await roomcell(['rocket', 'show', 'shop'], space.env);
    expect(shown.stdout).toContain('"fuel_target":"9007199254740993"');
    const none = await roomcell(['rocket', 'show', 'elsewhere'], space.env);
    expect(none.stdout).toContain('elsewhere has no rocket.');
    const bad = await roomcell(['rocket', 'set', 'shop', '{"reset":"week"}', ...asKim], space.env);
    expect(bad.code).toBe(2);
  });

  it('stores robots, rules and quotas, shows them, and refuses bad ones with all faults', async () => {
    await roomcell(['migrate'], space.env);
    const mia = '[{"user_id":"bot1","nickname":"Mia","country_code":"DE"}]';
    const added = await roomcell(['robots', 'add', 'shop', mia], space.env);
    expect(added.stdout, added.stderr).toContain('shop: 1 robots added or changed.');
    await roomcell(['robots', 'quota', 'shop', 'DE', '5'], space.env);
    await roomcell(['robots', 'set', 'shop', '{"robots_per_room_max":3}'], space.env);
    const shown = await roomcell(['robots', 'show', 'shop', '--json'], space.env);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      rules: { robotsPerRoomMax: 3, quotas: { DE: 5 } },
      robots: 1,
    });
    expect((await roomcell(['robots', 'remove', 'shop', 'bot1'], space.env)).stdout).toContain(
      'bot1 is no robot any more',
    );
    for (const bad of [
      ['add', 'shop', '[{"user_id":"a b"}]'],
      ['set', 'shop', '{"robots_per_room_max":999}'],
      ['quota', 'shop', 'DE', '-1'],
    ]) {
      expect((await roomcell(['robots', ...bad], space.env)).code, bad.join(' ')).toBe(2);
    }
  });

  it('sells gifts at whole prices and lists them for people and for programs', async () => {
    await roomcell(['migrate'], space.env);
    const price = '9007199254740993';
    const set = await roomcell(
      ['gifts', 'set', 'shop', 'car', '--price', price, ...asKim],
      space.env,
    );
    expect(set.code, set.stderr).toBe(exitCodes.ok);
    expect(set.stdout).toContain(`costs ${price} coins (version 1)`);
    const off = ['gifts', 'set', 'shop', 'rose', '--price', '7', '--off-sale', '--json', ...asKim];
    const gift = {
      giftId: 'rose',
      coinPrice: '7',
      onSale: false,
      lucky: false,
      catalogueVersion: '1',
    };
    expect(JSON.parse((await roomcell(off, space.env)).stdout)).toEqual(gift);
    const listed = (await roomcell(['gifts', 'list', 'shop'], space.env)).stdout.split('\n');
    expect(listed[1]).toMatch(/^car +1 +9007199254740993 +on sale +plain$/);
    expect(listed[2]).toMatch(/^rose +1 +7 +off sale +plain$/);
    const json = (await roomcell(['gifts', 'list', 'shop', '--json'], space.env)).stdout;
    expect(JSON.parse(json)).toMatchObject([{ giftId: 'car', coinPrice: price }, gift]);
  });

  it('rebuilds the boards from MySQL where they are kept, and says so where they are not (LB-4)', async () => {
    await roomcell(['migrate'], space.env);
    const off = await roomcell(['boards', 'rebuild'], space.env);
    expect(off.code).toBe(exitCodes.badConfig);
    expect(off.stderr).toContain('leaderboard.enabled is false');
    const env = { ...space.env, ROOMCELL_LEADERBOARD_ENABLED: 'true' };
    const none = await roomcell(['boards', 'rebuild'], env);
    expect(none.stdout).toContain('No app has gifts');
    await runSql('INSERT INTO room_week_contributions VALUES (?, ?, ?, ?, 1, 1)', [
      ...['shop', 'r1', '2000-W01'],
      9_007_199_254_740_993n,
    ]);
    const rebuilt = await roomcell(['boards', 'rebuild', '--app', 'shop'], env);
    expect(rebuilt.code, rebuilt.stderr).toBe(exitCodes.ok);
    expect(rebuilt.stdout).toMatch(/^shop +all +1$/m);
  });

  it('counts and lists debits that wait to be given back', async () => {
    await roomcell(['migrate'], space.env);
    await runSql(
      'INSERT INTO wallet_settlement (debit_key, app_code, room_id, command_id, payer_user_id, ' +
        'partition_id, reason, status, tries, last_error, next_try_at_ms, created_at_ms) VALUES ' +
        "(?, 'shop', 'r1', 'c1', 'alice', 3, 'GIFT_NOT_CHARGED', 'open', 2, 'no\nanswer', 60000, 1000), " +
        "(?, 'shop', 'r2', 'c2', 'bob', 3, 'GIFT_NOT_CHARGED', 'settled', 1, '', 0, 500)",
      ['a'.repeat(64), 'b'.repeat(64)],
    );
    const shown = await roomcell(['settlements'], space.env);
    expect(shown.code).toBe(exitCodes.ok);
    const lines = shown.stdout.trim().split('\n');
    expect(lines[0]).toBe('1 open, the oldest since 1970-01-01T00:00:01.000Z:');
    expect(lines.slice(2)).toEqual([expect.stringMatching(/r1 .*c1 .*alice .*1970.*no answer$/)]);
    const json = JSON.parse(
      (await roomcell(['settlements', '--json'], space.env)).stdout,
    ) as object;
    expect(json).toMatchObject({
      open: 1,
      oldestCreatedAtMs: 1_000,
      rows: [{ debitKey: 'a'.repeat(64), partition: 3, tries: 2, lastError: 'no\nanswer' }],
    });
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
