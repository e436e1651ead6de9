/** Runs a program of this project as on a machine that has Node and little else. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runToEnd, type EndedRun } from '../support/run-to-end.ts';

const limitMs = 100_000;

/**
 * Runs `dist/<script>` and waits for its end; after `limitMs` it is told to stop, and the output
 * says so. Its PATH is a folder with these `programs` (name and shell script) alone, so no other
 * Java, MySQL, Redis or Docker can be found, and its environment is what `env` holds.
 */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  programs: Readonly<Record<string, string>> = {},
): Promise<EndedRun> {
  const home = mkdtempSync(join(tmpdir(), 'roomcell-nothing-'));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const ended = await runToEnd(script, args, { PATH: home, HOME: home, ...env }, limitMs);
  rmSync(home, { recursive: true, force: true });
  return ended;
}
