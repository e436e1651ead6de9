/**
 * The checks that need no running program: format, lint, types. `npm run checks` runs them all and
 * fails when one fails, after the others had their say.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../src/main/project-root.ts';

const CHECKS = [
  { name: 'format', program: 'prettier/bin/prettier.cjs', programArguments: ['--check', '.'] },
  { name: 'lint', program: 'eslint/bin/eslint.js', programArguments: ['.'] },
  { name: 'typecheck', program: 'typescript/bin/tsc', programArguments: ['--noEmit'] },
];

/** Runs the checks one after another; the names of those that failed. */
export async function runChecks(): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, program, programArguments } of CHECKS) {
    console.log(`== ${name}`);
    const code = await runNode([join('node_modules', program), ...programArguments]);
    if (code !== 0) failed.push(name);
  }
  return failed;
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
