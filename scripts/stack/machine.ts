/**
 * Questions the stack asks the machine it runs on: folders, programs on the PATH, free ports.
 */
import { accessSync, constants } from 'node:fs';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Below the range that the system hands out for outgoing connections, so nobody takes them. */
const PORT_RANGE = { min: 20_000, max: 31_999 };
const PORT_TRIES_MAX = 200;
/** Where servers live when the PATH of an ordinary user doesn't name the folder. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/libexec', '/opt/homebrew/bin'];

/** The user's cache folder for roomcell; may not exist yet. */
export function cacheFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'roomcell');
}

/** Full path of the first of `names` that is an executable file, or undefined. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS];
  for (const name of names) {
    for (const folder of folders.filter((entry) => entry !== '')) {
      const candidate = join(folder, name);
      if (isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Never given again by this process: one of them may not be listened on yet. */
const given = new Set<number>();

/**
 * A port of 127.0.0.1 that nobody listens on and that nobody was given here before; picked at random, so
 * that two runs differ.
 */
export async function freePort(
  pick = (): number => randomInt(PORT_RANGE.min, PORT_RANGE.max + 1),
): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES_MAX; tries += 1) {
    const port = pick();
    if (given.has(port)) continue;
    given.add(port);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port in ${PORT_TRIES_MAX} tries`);
}

/** Whether nobody listens on the port of 127.0.0.1 right now. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const server = createServer();
    server.once('error', () => settle(false));
    server.listen(port, '127.0.0.1', () => server.close(() => settle(true)));
  });
}
