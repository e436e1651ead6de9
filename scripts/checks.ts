/**
 * The checks that need no running program: format, lint, types, the map of requirements.
 * `npm run checks` runs them all and fails when one fails, after the others had their say.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../src/main/project-root.ts';

/** The longest first: the others are done beside it. */
const CHECKS = [
  { name: 'lint', nodeArguments: [packaged('eslint/bin/eslint.js'), '.'] },
  { name: 'format', nodeArguments: [packaged('prettier/bin/prettier.cjs'), '--check', '.'] },
  { name: 'typecheck', nodeArguments: [packaged('typescript/bin/tsc'), '--noEmit'] },
  { name: 'requirements', nodeArguments: [join('dist', 'scripts', 'check-requirements.js')] },
];
/** Each holds the whole project in memory. */
const SIDE_BY_SIDE = 2;

/** Runs the checks, a few at a time, each one's output in one piece; the names of those that failed. */
export async function runChecks(): Promise<string[]> {
  const failed: string[] = [];
  const waiting = [...CHECKS];
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const { code, output } = await runQuietly(check.nodeArguments);
      console.log(`== ${check.name}\n${output.trimEnd()}`);
      if (code !== 0) failed.push(check.name);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  return failed;
}

function packaged(program: string): string {
  return join('node_modules', program);
}

/** Runs Node on a script of this project; its exit code and what it wrote. */
function runQuietly(
  nodeArguments: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, nodeArguments, {
    cwd: projectRoot(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle({ code: code ?? 1, output }));
  });
}

/** Runs Node on a script of this project, its output on ours; the exit code. */
export function runNode(nodeArguments: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, nodeArguments, {
    cwd: projectRoot(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => settle(code ?? 1));
  });
}
