/** The life of one process beside its work: waiting for what is away, ending with its parent. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/main/exit-codes.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet } from './support/fleet.ts';
import { RoomPlayer } from './support/play.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.open('life');
});
afterAll(async () => {
  await fleet.close();
});

describe('a process', () => {
  it('that starts before its database waits, says so once, and then works without a restart', async () => {
    await fleet.mysqlProxy.refuse();
    const relay = await fleet.start('relay-1', ['relay']);
    const isWaiting = (line: Readonly<Record<string, unknown>>): boolean =>
      line['msg'] === 'waiting for MySQL';
    await relay.logged('waiting for MySQL', isWaiting);
    const seen = await waitUntil('readiness names MySQL', async () => {
      const answer = await relay.readyz();
      return answer !== null && answer.body.includes('waiting for MySQL') ? answer : null;
    });
    expect(seen.status).toBe(503);
    // Several tries later there is still one line.
    await waitUntil('three seconds of waiting', () =>
      Promise.resolve(sinceFirst(relay.lines, isWaiting) > 3_000),
    );
    await relay.readyz();
    expect(relay.lines.filter(isWaiting)).toHaveLength(1);
    await fleet.mysqlProxy.accept();
    await relay.ready();
    expect(await relay.terminate()).toEqual({ code: exitCodes.ok, signal: null });
  });

  it('with every role uses no metric that the page does not list', async () => {
    const all = await fleet.start('all-1', [
      'sandbox',
      'adapter-im',
      'adapter-activity',
      'relay',
      'cell',
      'gateway',
    ]);
    await all.ready();
    const player = new RoomPlayer(fleet, fleet.connect(all), 'life-room');
    await player.create('c1');
    await player.join('j1', 'u1');
    await waitUntil(
      'both events are delivered',
      async () => {
        const rows = await fleet.sql(
          "SELECT COUNT(*) AS n FROM room_outbox WHERE status = 'delivered'",
        );
        return Number(rows[0]?.['n']) === 4;
      },
      { limitMs: 30_000, everyMs: 100 },
    );
    const page = await (await fetch(`http://127.0.0.1:${all.opsPort}/metrics`)).text();
    expect(page).toMatch(/^roomcell_ready 1$/m);
    expect(page).toMatch(/^roomcell_cell_command_ms_count\{outcome="applied"\} 2$/m);
    expect(page.match(/^roomcell_metric_faults_total\{.*$/gm)).toBeNull();
    expect((await all.terminate()).code).toBe(exitCodes.ok);
  });

  it('under the name of a cell that lives is refused with a code of its own, and the other goes on', async () => {
    const [first, second] = [
      await fleet.start('cell-a', ['cell']),
      await fleet.start('cell-a', ['cell']),
    ];
    const loser = await Promise.race([first, second].map(async (it) => (await it.exited, it)));
    expect((await loser.exited).code).toBe(exitCodes.nameTaken);
    expect(JSON.stringify(loser.lines)).toContain('Another process lives under the name cell-a');
    const winner = loser === first ? second : first;
    await winner.ready();
    // Frozen for longer than its name lasts, and its name taken: it ends when it thaws.
    winner.freeze();
    const next = await (await fleet.start('cell-a', ['cell'])).ready();
    winner.thaw();
    expect((await winner.exited).code).toBe(exitCodes.nameTaken);
    expect((await next.terminate()).code).toBe(exitCodes.ok);
  });

  it('under the name of a cell that was killed does not wait until its lease is over', async () => {
    const killed = await (await fleet.start('cell-k', ['cell'])).ready();
    await killed.kill();
    // Nobody waits that long: the successor has seen that its predecessor is dead.
    await fleet.sql(
      "UPDATE cell_nodes SET lease_until_ms = lease_until_ms + 600000 WHERE node_id = 'cell-k'",
    );
    const next = await (await fleet.start('cell-k', ['cell'])).ready();
    expect((await next.terminate()).code).toBe(exitCodes.ok);
  });

  it('started with --exit-with-stdin ends in order when its parent is gone', async () => {
    const cli = new URL('../../dist/src/main/cli.js', import.meta.url).pathname;
    const child = spawn(process.execPath, [cli, 'sandbox', '--exit-with-stdin'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        ROOMCELL_OPS_LISTEN: '127.0.0.1:0',
        ROOMCELL_SANDBOX_IM_LISTEN: '127.0.0.1:0',
        ROOMCELL_SANDBOX_RTC_LISTEN: '127.0.0.1:0',
        ROOMCELL_SANDBOX_ACTIVITY_LISTEN: '127.0.0.1:0',
        ROOMCELL_SANDBOX_WALLET_LISTEN: '127.0.0.1:0',
        ROOMCELL_SANDBOX_CONTROL_LISTEN: '127.0.0.1:0',
        ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'a secret key of tests',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await waitUntil('it is ready', () => Promise.resolve(output.includes('"ready":true')), {
      limitMs: 30_000,
      seen: () => output,
    });
    child.stdin.end();
    expect(await exited).toBe(exitCodes.ok);
  });
});

/** Time between the first line that matches and now, by the line's own clock. */
function sinceFirst(
  lines: readonly Readonly<Record<string, unknown>>[],
  matches: (line: Readonly<Record<string, unknown>>) => boolean,
): number {
  const first = lines.find(matches);
  return first === undefined ? 0 : Date.now() - Date.parse(String(first['time']));
}
