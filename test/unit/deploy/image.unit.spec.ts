/**
 * The image without an engine: a folder that holds exactly what the Dockerfile copies runs the
 * program; and its first process is node itself, so that a signal arrives.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

let temporary: string;
let built: StageFolder;
let imageCount = 0;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'roomcell-image-'));
  built = buildStage(root, stagesOf(dockerfile).build, join(temporary, 'build'));
}, buildTimeoutMs);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

function stagesOf(text: string): { build: Stage; final: Stage } {
  const [build, final, ...more] = readDockerfile(text);
  if (build?.name !== 'build' || final === undefined || more.length > 0) {
    throw new Error('two stages are understood here, the first is called build');
  }
  return { build, final };
}

/** A container of the image, as far as files, variables and the command go. */
function imageOf(text: string): {
  at: StageFolder;
  command: (args: readonly string[], env?: Readonly<Record<string, string>>) => Command;
} {
  const { final } = stagesOf(text);
  imageCount += 1;
  const folder = join(temporary, `image-${imageCount}`);
  const at = copyStage(root, final, folder, new Map([['build', built]]));
  const inImage = (value: string): string => (value.startsWith(final.workdir) ? at(value) : value);
  return {
    at,
    command: (args, env = {}) => ({
      args: [...(final.entrypoint ?? []).slice(1), ...args],
      options: {
        cwd: at(final.workdir),
        env: Object.fromEntries(
          Object.entries({ ...final.env, ...env }).map(([name, value]) => [name, inImage(value)]),
        ),
      },
    }),
  };
}

interface Command {
  readonly args: string[];
  readonly options: { readonly cwd: string; readonly env: Record<string, string> };
}

function run({ args, options }: Command): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...options,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('the image', { timeout: buildTimeoutMs }, () => {
  const { build, final } = stagesOf(dockerfile);

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
    const { at, command } = imageOf(dockerfile);
    expect(run(command(['--help']))).toMatchObject({ status: 0 });
    const env = { ...secrets, ROOMCELL_CONFIG: development };
    const check = run(command(['config', 'check', '--role', 'gateway'], env));
    expect(check.output).toContain('environment: development');
    expect(check.status).toBe(0);
    expect(readdirSync(at(join(final.workdir, 'migrations')))).toEqual(readdirSync('migrations'));
  });

  it('is production unless it is told otherwise', () => {
    const { status, output } = run(imageOf(dockerfile).command(['config', 'check']));
    expect(output).toContain('config/production.yaml');
    expect(output).toContain('kafka.brokers: is missing');
    expect(status).toBe(3);
  });

  it('stops in order when it gets SIGTERM', async () => {
    const env = {
      ...secrets,
      ROOMCELL_CONFIG: development,
      ...{ ROOMCELL_OPS_LISTEN: '127.0.0.1:0', ROOMCELL_SANDBOX_IM_LISTEN: '127.0.0.1:0' },
      ROOMCELL_SANDBOX_ACTIVITY_LISTEN: '127.0.0.1:0',
      ROOMCELL_SANDBOX_CONTROL_LISTEN: '127.0.0.1:0',
    };
    const { args, options } = imageOf(dockerfile).command(['sandbox'], env);
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 2] });
    const ended = new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('role started')) child.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });

  it.each([
    ['configuration', 'COPY config ./config\n', ['config', 'check'], 3],
    ['packages', 'COPY --from=build /build/node_modules ./node_modules\n', ['--help'], 1],
    ['program', 'COPY --from=build /build/dist/src ./dist/src\n', ['--help'], 1],
    ['package.json', 'COPY package.json ./\n', ['--help'], 1],
  ])('does not run without its %s', (_, line, args, status) => {
    expect(dockerfile).toContain(line);
    const { command } = imageOf(dockerfile.replace(line, ''));
    expect(run(command(args, { ...secrets, ROOMCELL_CONFIG: development })).status).toBe(status);
  });

  it('is not built from files that .dockerignore leaves out', () => {
    const isInContext = contextOf('*\n!src\n');
    expect(isInContext('src/main/cli.ts')).toBe(true);
    expect(isInContext('config/production.yaml')).toBe(false);
    expect(() => imageOf(dockerfile.replace('COPY config', 'COPY docs'))).toThrow(/finds no docs/);
  });
});
