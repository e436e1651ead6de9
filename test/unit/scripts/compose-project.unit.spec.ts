/**
 * The containers of a run as the `docker` program is told of them: a stand-in on the PATH writes
 * down every call with the ports it was given, and fails where a test wants it to.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startByCommandLine, type ComposePlan } from '../../../scripts/stack/compose-project.ts';
import { probeEngine } from '../../../scripts/stack/docker.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import { StackUnavailableError } from '../../../scripts/stack/stack-types.ts';
import { projectRoot } from '../../../src/main/project-root.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** $FAILS is a pattern of calls that fail; $HANGS one of calls that last until they are ended. */
const standIn = `#!/bin/sh
echo "$* kafka=$STACK_KAFKA_PORT mysql=$STACK_MYSQL_PORT redis=$STACK_REDIS_PORT" >> "$CALLS"
case "$*" in
  $FAILS) echo "the engine says no" >&2; exit 7 ;;
  $HANGS) trap 'exit 130' INT; while :; do sleep 0.05; done ;;
esac
`;
const compose = `compose --file ${join(projectRoot(), 'docker-compose.yml')} --project-name`;
const ports = { STACK_KAFKA_PORT: '20001', STACK_MYSQL_PORT: '20002', STACK_REDIS_PORT: '20003' };
const shownPorts = 'kafka=20001 mysql=20002 redis=20003';

let folder: string;
let environment: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roomcell-docker-'));
  writeFileSync(join(folder, 'docker'), standIn, { mode: 0o755 });
  environment = {
    PATH: [folder, '/usr/bin', '/bin', dirname(process.execPath)].join(delimiter),
    CALLS: join(folder, 'calls'),
    FAILS: 'nothing',
    HANGS: 'nothing',
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function calls(): string[] {
  if (!existsSync(join(folder, 'calls'))) return [];
  return readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
}

function plan(): ComposePlan {
  return {
    project: 'roomcell-0a',
    services: ['kafka', 'mysql', 'redis'],
    environment: { ...environment, ...ports },
    cacheFolder: join(folder, 'cache'),
  };
}

const records = (): string[] => readdirSync(join(folder, 'cache', 'compose-runs'));

describe('containers of a run', () => {
  it('start by the servers’ names, on the ports of this run, and go with their data', async () => {
    const project = await startByCommandLine(plan());
    expect(calls()).toEqual([
      `${compose} roomcell-0a up --detach --wait --wait-timeout=300 kafka mysql redis ${shownPorts}`,
    ]);
    expect(records()).toEqual(['roomcell-0a.json']);
    await project.stop();
    expect(calls().slice(1)).toEqual([
      `${compose} roomcell-0a down --volumes --timeout 1 ${shownPorts}`,
    ]);
    expect(records()).toEqual([]);
  });

  it('are taken away when not all of them come up, and the engine’s words are told', async () => {
    environment['FAILS'] = '*up*';
    await expect(startByCommandLine(plan())).rejects.toThrow(
      /ended with 7\n {2}the engine says no/,
    );
    expect(calls().at(-1)).toContain('roomcell-0a down --volumes');
    expect(records()).toEqual([]);
  });

  it('are taken away when the start is interrupted', async () => {
    environment['HANGS'] = '*up*';
    const ending = new AbortController();
    const start = startByCommandLine({ ...plan(), signal: ending.signal });
    const refused = expect(start).rejects.toThrow(/interrupted/);
    await waitUntil('the engine is at work', () => Promise.resolve(calls().length === 1));
    ending.abort();
    await refused;
    expect(calls().at(-1)).toContain('roomcell-0a down --volumes');
  });

  it('of a run that died are taken away by the next one, those of a living one are not', async () => {
    const runs = join(folder, 'cache', 'compose-runs');
    mkdirSync(runs, { recursive: true });
    // Above every process number of Linux.
    writeFileSync(
      join(runs, 'a.json'),
      JSON.stringify({ project: 'roomcell-dead', pid: 5_000_000 }),
    );
    writeFileSync(
      join(runs, 'b.json'),
      JSON.stringify({ project: 'roomcell-bed', pid: process.pid }),
    );
    writeFileSync(join(runs, 'c.json'), JSON.stringify({ project: 'shop', pid: 5_000_000 }));
    await startByCommandLine(plan());
    const downs = calls().filter((call) => call.includes(' down '));
    expect(downs).toEqual([expect.stringContaining('--project-name roomcell-dead down')]);
    expect(records()).toEqual(['b.json', 'c.json', 'roomcell-0a.json']);
  });
});

describe('the engine', () => {
  it.each([
    ['answers', 'nothing'],
    ['no engine', 'version*'],
    ['no compose', 'compose*'],
  ])('is found as: %s', async (found, fails) => {
    environment['FAILS'] = fails;
    expect(await probeEngine(environment)).toBe(found);
  });

  it('is none where no docker is installed', async () => {
    expect(await probeEngine({ PATH: join(folder, 'empty') })).toBe('no engine');
  });
});

describe('startStack', () => {
  const start = () => startStack({ environment, log: () => undefined });

  it('says why the containers that were asked for did not start, and starts nothing else', async () => {
    Object.assign(environment, { ROOMCELL_STACK: 'compose', FAILS: '*up*' });
    const refusal = await start().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StackUnavailableError);
    expect((refusal as Error).message).toMatch(/The containers did not start: .*ended with 7/);
    const [, , up, down] = calls();
    expect(up).toMatch(/up --detach --wait .* kafka mysql redis kafka=\d+ mysql=\d+ redis=\d+$/);
    expect(down).toContain('down --volumes');
  });

  it('goes native when containers that nobody asked for do not start, and says why', async () => {
    const lines: string[] = [];
    // A Java that is too old: the native stack is refused before it starts anything.
    mkdirSync(join(folder, 'java', 'bin'), { recursive: true });
    const java = `#!/bin/sh\necho 'openjdk version "11.0.2"' >&2\n`;
    writeFileSync(join(folder, 'java', 'bin', 'java'), java, { mode: 0o755 });
    Object.assign(environment, { FAILS: '*up*', JAVA_HOME: join(folder, 'java') });
    const started = startStack({ environment, log: (line) => lines.push(line) });
    await expect(started).rejects.toThrow(/found Java 11/);
    expect(lines.at(-1)).toMatch(/^stack: compose did not start \(docker .*ended with 7/);
    expect(lines.at(-1)).toMatch(/going native$/);
  });

  it('starts nothing else for whoever interrupted the start', async () => {
    environment['HANGS'] = '*up*';
    const lines: string[] = [];
    const ending = new AbortController();
    const log = (line: string): unknown => lines.push(line);
    const started = startStack({ environment, log, signal: ending.signal });
    const refused = expect(started).rejects.toThrow('The start was interrupted.');
    await waitUntil('the engine is at work', () => Promise.resolve(calls().length === 3));
    ending.abort();
    await refused;
    expect(lines).toEqual([expect.stringMatching(/^stack: starting containers/)]);
  });

  it('asks no engine where configuration names a server', async () => {
    Object.assign(environment, {
      ROOMCELL_MYSQL_PORT: '1',
      ROOMCELL_REDIS_URL: 'redis://127.0.0.1:1',
    });
    await expect(start()).rejects.toThrow(/MySQL at 127\.0\.0\.1:1/);
    expect(calls()).toEqual([]);
  });
});
