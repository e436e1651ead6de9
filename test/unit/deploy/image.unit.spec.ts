/**
 * The image without an engine: a folder that holds exactly what the Dockerfile copies runs the
 * program; and its first process is node itself, so that a signal arrives.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../../src/main/exit-codes.ts';
import { projectRoot } from '../../../src/main/project-root.ts';
import { contextOf, readDockerfile, type Stage } from '../../support/deploy/dockerfile.ts';
import {
  buildStage,
  copyStage,
  understoodRuns,
  type StageFolder,
} from '../../support/deploy/image-folders.ts';
import { secrets } from '../../support/config-cases.ts';

/** It compiles the program. */
const buildTimeoutMs = 90_000;
const root = projectRoot();
const dockerfile = readFileSync('Dockerfile', 'utf8');
const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: { build: string };
  engines: { node: string };
};
const development = '/opt/roomcell/config/development.yaml';

const { build, final } = stagesOf(dockerfile);

let temporary: string;
let built: StageFolder;
let image: StageFolder;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'roomcell-image-'));
  built = buildStage(root, build, join(temporary, 'build'));
  image = copyStage(root, final, join(temporary, 'image'), new Map([['build', built]]));
}, buildTimeoutMs);
afterAll(() => rmSync(temporary, { recursive: true, force: true }), buildTimeoutMs);

function stagesOf(text: string): { build: Stage; final: Stage } {
  const [first, second, ...more] = readDockerfile(text);
  if (first?.name !== 'build' || second === undefined || more.length > 0) {
    throw new Error('two stages are understood here, the first is called build');
  }
  return { build: first, final: second };
}

/** What `docker run roomcell <args>` starts, with paths of the image where they lie here. */
function command(args: readonly string[], env: Environment = {}): Command {
  const inImage = (value: string | undefined): string | undefined =>
    value?.startsWith(final.workdir) === true ? image(value) : value;
  const variables = Object.entries<string | undefined>({ ...final.env, ...env });
  return {
    args: [...(final.entrypoint ?? []).slice(1), ...args],
    options: {
      cwd: image(final.workdir),
      env: Object.fromEntries(variables.map(([name, value]) => [name, inImage(value)])),
    },
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Command {
  readonly args: string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
}

function run({ args, options }: Command): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...options,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('the image', { timeout: buildTimeoutMs }, () => {
  it('is built by commands that this test stands in for', () => {
    expect(build.runs).toEqual(understoodRuns);
    expect(packageJson.scripts.build).toBe('tsc -p tsconfig.build.json');
    expect(final.runs).toEqual([]);
  });

  it('runs on one long-term Node that the package allows', () => {
    const major = Number(/^node:(\d+)-/.exec(final.base)?.[1]);
    expect(final.base).toBe(build.base);
    expect(major % 2).toBe(0);
    expect(packageJson.engines.node).toBe('>=20.19.0');
    expect(major).toBeGreaterThan(20);
  });

  it('starts node itself, as an ordinary user given by number', () => {
    expect(final.entrypoint?.[0]).toBe('node');
    expect(final.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('holds every file that the program reads', () => {
    const env = { ...secrets, ROOMCELL_CONFIG: development };
    const { status, output } = run(command(['config', 'check', '--role', 'gateway'], env));
    expect(output).toContain('environment: development');
    expect(status).toBe(0);
    const migrations = readdirSync(image(join(final.workdir, 'migrations')));
    expect(migrations).toEqual(readdirSync('migrations'));
  });

  it('is production unless it is told otherwise', () => {
    const { status, output } = run(command(['config', 'check']));
    expect(output).toContain('config/production.yaml');
    expect(output).toContain('kafka.brokers: is missing');
    expect(status).toBe(exitCodes.badConfig);
  });

  it('stops in order when it gets SIGTERM', async () => {
    const { args, options } = command(['sandbox'], {
      ...secrets,
      ROOMCELL_CONFIG: development,
      ROOMCELL_OPS_LISTEN: '127.0.0.1:0',
      ROOMCELL_SANDBOX_IM_LISTEN: '127.0.0.1:0',
      ROOMCELL_SANDBOX_ACTIVITY_LISTEN: '127.0.0.1:0',
      ROOMCELL_SANDBOX_WALLET_LISTEN: '127.0.0.1:0',
      ROOMCELL_SANDBOX_CONTROL_LISTEN: '127.0.0.1:0',
    });
    const child = spawn(process.execPath, args, {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('role started')) child.kill('SIGTERM');
    }
    expect(await ended).toEqual([exitCodes.ok, null]);
  });

  it.each([
    ['configuration', 'config', exitCodes.badConfig],
    ['packages', 'node_modules', 1],
    ['program', 'dist/src', 1],
    // Its folder is where configuration is looked for when nothing names a file.
    ['package.json', 'package.json', exitCodes.fault],
  ])('does not run without its %s', (_, path, status) => {
    const there = image(join(final.workdir, path));
    const away = join(temporary, 'away');
    renameSync(there, away);
    try {
      const env = path === 'package.json' ? { ROOMCELL_CONFIG: undefined } : {};
      expect(run(command(['config', 'check'], { ...secrets, ...env })).status).toBe(status);
    } finally {
      renameSync(away, there);
    }
  });

  it('is not built from files that .dockerignore leaves out', () => {
    const isInContext = contextOf('*\n!src\n');
    expect(isInContext('src/main/cli.ts')).toBe(true);
    expect(isInContext('config/production.yaml')).toBe(false);
    const broken = stagesOf(dockerfile.replace('COPY config', 'COPY docs')).final;
    const copy = () =>
      copyStage(root, broken, join(temporary, 'broken'), new Map([['build', built]]));
    expect(copy).toThrow(/finds no docs/);
  });
});
