/**
 * The checks that need no running program: format, lint, types, the map of requirements.
 * `npm run checks` runs them all and fails when one fails, after the others had their say.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../src/main/project-root.ts';

const CHECKS = [
  { name: 'format', nodeArguments: [packaged('prettier/bin/prettier.cjs'), '--check', '.'] },
  { name: 'lint', nodeArguments: [packaged('eslint/bin/eslint.js'), '.'] },
  { name: 'typecheck', nodeArguments: [packaged('typescript/bin/tsc'), '--noEmit'] },
  { name: 'requirements', nodeArguments: [join('dist', 'scripts', 'check-requirements.js')] },
];

/** Runs the checks one after another; the names of those that failed. */
export async function runChecks(): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, nodeArguments } of CHECKS) {
    console.log(`== ${name}`);
    if ((await runNode(nodeArguments)) !== 0) failed.push(name);
  }
  return failed;
}

function packaged(program: string): string {
  return join('node_modules', program);
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
