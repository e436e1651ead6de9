/** Which packages a script finds missing, and that a start needs none of development's. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

type Npm = (npmArguments: readonly string[]) => Promise<void>;
type InstallMissing = (root: string, forDevelopment: boolean, npm: Npm) => Promise<void>;
const project = resolve(import.meta.dirname, '../../..');
const { installMissing } = (await import(
  pathToFileURL(join(project, 'scripts/packages.mjs')).href
)) as { installMissing: InstallMissing };

const npmRecord = 'node_modules/.package-lock.json';
const product = { 'node_modules/zod': {}, 'node_modules/typescript': { devOptional: true } };
const all = { ...product, 'node_modules/vitest': { dev: true } };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'packages-'));
  write('package-lock.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('installMissing', () => {
  it('lets a start install the product and the compiler alone', async () => {
    expect(await start()).toMatch(/^ci --omit=dev --include=optional /);
    expect(await start()).toBe('nothing');
  });

  it('lets every other script install all, and a start use that', async () => {
    expect(await test()).toMatch(/^ci --include=dev --include=optional /);
    expect(await test()).toBe('nothing');
    expect(await start()).toBe('nothing');
  });

  it('adds what development needs to what a start installed, and removes nothing for it', async () => {
    await start();
    expect(await test()).toMatch(/^install --include=dev --no-save /);
    expect(await test()).toBe('nothing');
    expect(await start()).toBe('nothing');
  });

  it('repairs what was cut short while it was added, and a start need not wait for that', async () => {
    await start();
    await expect(test(killed)).rejects.toThrow('killed');
    expect(await start()).toBe('nothing');
    expect(await test()).toMatch(/^ci --include=dev /);
    expect(await test()).toBe('nothing');
  });

  it('adds again what npm removed by itself', async () => {
    await test();
    write(npmRecord, JSON.stringify({ packages: product }));
    expect(await test()).toMatch(/^install /);
  });

  it('installs again after another lock file', async () => {
    await test();
    write('package-lock.json', '{ "other": true }');
    expect(await start()).toMatch(/^ci /);
    write('package-lock.json', '{ "third": true }');
    expect(await test()).toMatch(/^ci /);
  });

  it.each([
    ['npm did not finish', npmRecord],
    ['lacks the compiler, which npm may leave out', 'node_modules/typescript/package.json'],
  ])('does not take an install for good that %s', async (_, path) => {
    await test();
    rmSync(join(root, path));
    expect(await start()).toMatch(/^ci /);
  });

  it('takes an install by npm itself that is newer than the lock file', async () => {
    putPackages(product);
    expect(await start()).toBe('nothing');
    expect(await test()).toMatch(/^install /);
  });

  it('does not take an install by npm itself that is older than the lock file', async () => {
    putPackages(all);
    utimesSync(join(root, npmRecord), 0, 0);
    expect(await start()).toMatch(/^ci /);
  });
});

describe('what npm start runs', () => {
  it('imports no package that is there for development alone', () => {
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const imported = packagesImportedFrom(['scripts/start.ts', 'src/main/cli.ts']);
    expect(imported).toContain('kafkajs');
    // Imported when `npm test` starts containers, and by nobody else.
    expect(imported.filter((name) => !(name in dependencies))).toEqual(['testcontainers']);
  });
});

function start(npm?: Npm): Promise<string> {
  return installed(false, npm);
}

function test(npm?: Npm): Promise<string> {
  return installed(true, npm);
}

/** The arguments that npm was called with. */
async function installed(forDevelopment: boolean, npm: Npm = putWanted): Promise<string> {
  let calls = 'nothing';
  await installMissing(root, forDevelopment, (npmArguments) => {
    calls = npmArguments.join(' ');
    return npm(npmArguments);
  });
  return calls;
}

const putWanted: Npm = (npmArguments) => {
  putPackages(npmArguments.includes('--include=dev') ? all : product);
  return Promise.resolve();
};

const killed: Npm = () => Promise.reject(new Error('killed'));

/** What npm leaves behind, as far as it is looked at. */
function putPackages(packages: object): void {
  write('node_modules/typescript/package.json', '{}');
  write(npmRecord, JSON.stringify({ packages }));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Names of the packages that these files import, or any file that they import. */
function packagesImportedFrom(entries: readonly string[]): string[] {
  const files = new Set(entries.map((path) => join(project, path)));
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/^import type [^;]*;$/gm, '');
    for (const [, target = ''] of text.matchAll(
      /(?:(?<!')\bfrom|\bimport\(?|^import)\s*'([^']+)'/gm,
    )) {
      if (target.startsWith('.')) files.add(resolve(dirname(file), target));
      else if (!target.startsWith('node:')) packages.add(packageOf(target));
    }
  }
  return [...packages];
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}
