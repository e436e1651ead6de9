/**
 * `npm run hostile`: the ordinary suites of features in worlds that are as bad as the contracts allow
 * (`test/e2e/processes/hostile-modes.ts`). It takes a few minutes per mode.
 *
 *   npm run hostile                       all modes
 *   npm run hostile -- --mode no-redis   one
 *   npm run hostile -- --list             which there are
 *
 * Ends with `modes N, passed N, failed N`; exit code 1 when one failed.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../src/main/project-root.ts';
import {
  featureSpecs,
  hostileModes,
  hostileVariable,
  type HostileMode,
} from '../test/e2e/processes/hostile-modes.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { mode: { type: 'string' }, list: { type: 'boolean', default: false } },
  });
  const modes = hostileModes.filter(({ name }) => (values.mode ?? name) === name);
  if (values.list || modes.length === 0) {
    for (const { name, about } of hostileModes) console.log(`${name.padEnd(22)} ${about}`);
    return values.list ? 0 : 2;
  }
  const failed: string[] = [];
  for (const mode of modes) {
    console.log(`== ${mode.name}: ${mode.about}`);
    if ((await runIn(mode)) !== 0) failed.push(mode.name);
  }
  for (const name of failed) console.log(`failed: ${name}`);
  console.log(
    `modes ${modes.length}, passed ${modes.length - failed.length}, failed ${failed.length}`,
  );
  return failed.length === 0 ? 0 : 1;
}

function runIn(mode: HostileMode): Promise<number> {
  const tests = [
    join('scripts', 'bootstrap.mjs'),
    'test',
    '--project',
    'e2e',
    ...featureSpecs(mode),
  ];
  const child = spawn(process.execPath, tests, {
    cwd: projectRoot(),
    env: { ...process.env, [hostileVariable]: mode.name },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => settle(code ?? 1));
  });
}
