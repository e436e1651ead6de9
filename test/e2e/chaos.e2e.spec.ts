/**
 * `npm run chaos` with as many cycles as a run of all tests has time for: processes killed, frozen, ended
 * and added, servers restarted, links cut, held and sliced, each in the midst of work; judged by the
 * checkers of the simulation. Longer runs are made by hand: docs/reliability.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scheduleOf } from '../chaos/plan/schedule.ts';
import { runToEnd } from '../support/run-to-end.ts';

const cycles = 20;
const seed = 1;
/** Less than half of the usual load: other suites want the processors as well, and faults take the time. */
const troupes = 3;
/** A cycle takes a quarter of a minute; of a machine that others load as well, twice that. */
const limitMs = cycles * 30_000;
const nothingHarmed =
  /^cycles 20, acked \d+, takeovers \d+, unknown \d+, in-flight-at-fault \d+, lost 0, doubled 0, forked 0$/;

describe('npm run chaos', { timeout: limitMs + 30_000 }, () => {
  it('loses, doubles and forks nothing over twenty faults of every kind (TST-1, TST-2, TST-13, TST-18)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roomcell-chaos-spec-'));
    const run = ['--cycles', String(cycles), '--seed', String(seed), '--troupes', String(troupes)];
    const args = [...run, '--out', folder];
    const { code, output } = await runToEnd('scripts/chaos.js', args, process.env, limitMs);
    const lines = output.trimEnd().split('\n');
    for (const { kind } of scheduleOf(seed, cycles)) expect(output).toContain(`${kind} (`);
    expect(lines.at(-1), output).toMatch(nothingHarmed);
    expect(code, output).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});
