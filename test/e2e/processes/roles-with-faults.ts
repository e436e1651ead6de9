/**
 * A process of the product with one thing exchanged: the trace. At the point that FAULT_AT names it
 * kills or stops itself, as a crash or a frozen machine would, in the middle of whatever runs there.
 * Everything else is the product's own composition, unless HOSTILE_MODE names one of
 * `hostile-drivers.ts`.
 *
 * FAULT_AT=<point>:<n>:<kill|stop>; n counts passes from 1. A file named by FAULT_ARMED, if given,
 * must exist for a pass to count, so that a test decides when it begins; with FAULT_ABOUT, only
 * passes for that one count.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../src/main/config/load-config.ts';
import { roleNames } from '../../../src/main/role.ts';
import { runRoles } from '../../../src/main/run-roles.ts';
import { projectRoot } from '../../../src/main/project-root.ts';
import { tracePoints, type Trace } from '../../../src/ports/trace.ts';
import { hostileDrivers } from './hostile-drivers.ts';

const wanted = process.argv.slice(2);
const roles = roleNames.filter((name) => wanted.includes(name));
const file = join(projectRoot(), 'config', 'development.yaml');
const loaded = loadConfig({ file, env: process.env, roles, localAddresses: ['127.0.0.1'] });
if (!loaded.ok) throw new Error(loaded.faults.join('\n'));
const hostile = hostileDrivers(process.env['HOSTILE_MODE'] ?? '');
process.exitCode = await runRoles(loaded.config, roles, () => faultyTrace(), hostile);

function faultyTrace(): Trace {
  const [point, count, action] = (process.env['FAULT_AT'] ?? '').split(':');
  const armedFile = process.env['FAULT_ARMED'] ?? '';
  const wantedAbout = process.env['FAULT_ABOUT'] ?? '';
  if (!tracePoints.some((name) => name === point)) throw new Error(`no trace point ${point}`);
  let left = Number.parseInt(count ?? '1', 10);
  return {
    at(passed, about) {
      if (passed !== point || (armedFile !== '' && !existsSync(armedFile))) return;
      if (wantedAbout !== '' && about !== wantedAbout) return;
      left -= 1;
      // Both signals take effect before the next statement runs.
      if (left === 0) process.kill(process.pid, action === 'stop' ? 'SIGSTOP' : 'SIGKILL');
    },
  };
}
