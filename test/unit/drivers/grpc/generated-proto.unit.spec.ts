/** The committed gRPC code is what the schemas give: nobody runs against a stale contract. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../../scripts/generate-proto.mjs', import.meta.url));

test('the committed generated files are fresh', { timeout: 60_000 }, () => {
  const run = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect(`${run.stdout}${run.stderr}`).toBe('');
  expect(run.status).toBe(0);
});
