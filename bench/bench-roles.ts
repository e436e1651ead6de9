/** The roles of a bench as processes of their own: gateway, cell, and everything that carries events. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SampleEnv } from '../scripts/start/sample-env.ts';
import { untilReady } from '../scripts/start/start-roles.ts';
import { freePort } from '../scripts/stack/machine.ts';
import { projectRoot } from '../src/main/project-root.ts';
import { startRoleChild, type RoleChild } from '../src/main/sample/role-child.ts';
import type { Timers } from '../src/ports/timers.ts';
import { topOfProfile, type ProfileRow } from './profile.ts';

/** One process with the folder of its CPU profile; null: not profiled. */
export interface BenchRole {
  readonly name: string;
  readonly child: RoleChild;
  /** Where it serves its metrics. */
  readonly opsAddress: string;
  readonly profileFolder: string | null;
}

const stopLimitMs = 40_000;

/** One process and the roles that it runs. */
export interface BenchProcess {
  readonly name: string;
  readonly args: readonly string[];
  /** Beside the environment of all. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The whole service. */
export const serviceProcesses: readonly BenchProcess[] = [
  { name: 'gateway', args: ['gateway'] },
  { name: 'cell', args: ['cell'] },
  { name: 'carriers', args: ['all', '--without', 'gateway', '--without', 'cell'] },
];

/** Starts them and waits until all are ready. */
export async function startBenchRoles(
  processes: readonly BenchProcess[],
  sample: SampleEnv,
  timers: Timers,
  options: { readonly withProfiles: boolean; readonly signal: AbortSignal },
): Promise<readonly BenchRole[]> {
  const logs = join(projectRoot(), '.roomcell', 'logs');
  mkdirSync(logs, { recursive: true });
  const program = fileURLToPath(new URL('../src/main/cli.js', import.meta.url));
  const roles: BenchRole[] = [];
  for (const { name, args, env = {} } of processes) {
    const opsAddress = `127.0.0.1:${await freePort()}`;
    const profileFolder = options.withProfiles
      ? mkdtempSync(join(tmpdir(), 'roomcell-prof-'))
      : null;
    const nodeArgs =
      profileFolder === null
        ? []
        : ['--cpu-prof', '--cpu-prof-interval=1000', `--cpu-prof-dir=${profileFolder}`];
    const child = startRoleChild({
      program,
      nodeArgs,
      args: [...args, '--exit-with-stdin'],
      env: {
        ...sample.env,
        ROOMCELL_OPS_LISTEN: opsAddress,
        ROOMCELL_NODE_ID: `bench-${name}`,
        // Callers that wait long must not lose their seats meanwhile.
        ROOMCELL_MIC_PUBLISH_TIMEOUT: '5m',
        // A line per command is a cost of its own; the bench measures without it.
        ROOMCELL_LOG_LEVEL: 'warn',
        ...env,
      },
      logFile: join(logs, `bench-${name}-${process.pid}.log`),
      onLine: ({ level, msg, fields }) => {
        if (level === 'error')
          console.log(`    ${name}: ${msg} ${JSON.stringify(fields['error'] ?? '')}`);
      },
      onText: (text) => console.log(`    ${name}: ${text}`),
    });
    roles.push({ name, child, opsAddress, profileFolder });
    await untilReady({ child, logFile: '' }, opsAddress, timers, options.signal);
  }
  return roles;
}

/** Ends them in order; says when one does not end well. */
export async function stopBenchRoles(roles: readonly BenchRole[]): Promise<void> {
  for (const { name, child } of roles) {
    const { code, signal } = await child.stop(stopLimitMs);
    if (code !== 0) console.log(`    ${name} ended with ${signal ?? code}`);
  }
}

/** Where the time of ended processes went, by process; of those that were not profiled nothing. */
export function profilesOf(
  roles: readonly BenchRole[],
  rows: number,
): Readonly<Record<string, readonly ProfileRow[]>> {
  return Object.fromEntries(
    roles.flatMap(({ name, profileFolder }) => {
      const top = profileFolder === null ? null : topOfProfile(profileFolder, rows);
      if (profileFolder !== null) rmSync(profileFolder, { recursive: true, force: true });
      return top === null ? [] : [[name, top]];
    }),
  );
}
