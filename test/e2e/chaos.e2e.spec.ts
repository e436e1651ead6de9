/**
 * A short run of `npm run chaos`: an owner killed, a link that falls silent, the database restarted, an
 * owner frozen beyond its lease, an owner ended in good order, each in the midst of work; judged by the
 * checkers of the simulation. Long runs are made by hand: docs/reliability.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opening } from '../chaos/plan/fault-kinds.ts';
import { runToEnd } from '../support/run-to-end.ts';

const limitMs = 300_000;
const nothingHarmed =
  /^cycles 5, acked \d+, takeovers \d+, unknown \d+, in-flight-at-fault \d+, lost 0, doubled 0, forked 0$/;

describe('npm run chaos', { timeout: limitMs + 30_000 }, () => {
  it('loses, doubles and forks nothing over one fault of each family (TST-1, TST-2, TST-13, TST-18)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roomcell-chaos-spec-'));
    const args = ['--cycles', String(opening.length), '--seed', '1', '--out', folder];
    const { code, output } = await runToEnd('scripts/chaos.js', args, process.env, limitMs);
    const lines = output.trimEnd().split('\n');
    for (const kind of opening) expect(output).toContain(`${kind} (`);
    expect(lines.at(-1), output).toMatch(nothingHarmed);
    expect(code, output).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});
