/**
 * When a script compiles: after each change of a source and each compile that did not come to a good
 * end, and otherwise not. The compiler is a stand-in that copies, in a folder of its own.
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
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

type CompileIfChanged = (root: string, compile: () => Promise<boolean>) => Promise<void>;
const { compileIfChanged } = (await import(
  pathToFileURL(join(import.meta.dirname, '../../../scripts/compiled-sources.mjs')).href
)) as { compileIfChanged: CompileIfChanged };

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'compiled-sources-'));
  write('tsconfig.build.json', '{ "include": ["src", "scripts"] }');
  for (const settings of ['tsconfig.json', 'package.json', 'package-lock.json']) {
    write(settings, '{}');
  }
  write('src/one.ts', '1');
  write('scripts/deep/two.ts', '2');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('compileIfChanged', () => {
  it('compiles a folder that was never compiled, and then no more', async () => {
    expect(await compiles()).toBe(true);
    expect(read('dist/scripts/deep/two.js')).toBe('2');
    expect(await compiles()).toBe(false);
  });

  it.each([
    ['a changed source', () => write('scripts/deep/two.ts', '3')],
    ['an added source', () => write('src/three.ts', '3')],
    ['a removed source', () => rmSync(join(root, 'src/one.ts'))],
    ['a moved source', () => (rmSync(join(root, 'src/one.ts')), write('src/uno.ts', '1'))],
    ['another compiler', () => write('package-lock.json', '{ "other": true }')],
    ['other settings of the compiler', () => write('tsconfig.json', '{ "other": true }')],
    ['a removed dist', () => rmSync(join(root, 'dist'), { recursive: true })],
    // As `npm run build` does, perhaps from other sources than the present ones.
    ['a build by the compiler itself', () => write('dist/.tsbuildinfo', '{ "version": "6" }')],
  ])('compiles again after %s, once', async (_, change) => {
    await compiles();
    change();
    expect(await compiles()).toBe(true);
    expect(await compiles()).toBe(false);
  });

  it('does not compile for a file that is no source', async () => {
    await compiles();
    write('src/README.md', 'words');
    expect(await compiles()).toBe(false);
  });

  it('leaves no program of a removed source', async () => {
    await compiles();
    rmSync(join(root, 'src/one.ts'));
    write('dist/keep.txt', 'no program');
    await compiles();
    expect(readdirSync(join(root, 'dist/src'))).toEqual([]);
    expect(readdirSync(join(root, 'dist/scripts/deep'))).toEqual(['two.js', 'two.js.map']);
    expect(existsSync(join(root, 'dist/keep.txt'))).toBe(true);
  });

  it('does not take what a failed compile left for good, whatever was there before', async () => {
    await compiles();
    write('src/one.ts', 'broken');
    expect(await compiles(() => false)).toBe(true);
    expect(await compiles(() => false)).toBe(true);
    write('src/one.ts', '1');
    expect(await compiles()).toBe(true);
    expect(read('dist/src/one.js')).toBe('1');
  });

  it('does not take what a killed compile left for good', async () => {
    await compiles();
    write('src/one.ts', 'changed');
    const killed = compiles(() => {
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    write('src/one.ts', '1');
    expect(await compiles()).toBe(true);
  });

  it('compiles again when a source was changed under the compiler', async () => {
    await compiles(() => {
      write('src/one.ts', 'changed meanwhile');
      return true;
    });
    expect(await compiles()).toBe(true);
    expect(read('dist/src/one.js')).toBe('changed meanwhile');
  });
});

describe('the compiler', () => {
  // A start compiles without looking into the packages. With these on, what comes out of one file
  // depends on no other: what does not hold to that is an error wherever types are checked.
  it.each(['isolatedModules', 'verbatimModuleSyntax', 'erasableSyntaxOnly'])(
    'is told that files are compiled alone: %s',
    (option) => {
      const text = readFileSync(join(import.meta.dirname, '../../../tsconfig.json'), 'utf8');
      const { compilerOptions } = JSON.parse(text) as { compilerOptions: Record<string, unknown> };
      expect(compilerOptions[option]).toBe(true);
    },
  );
});

/** Whether the compiler was called; `end` happens when it has written its output. */
async function compiles(end: () => boolean = () => true): Promise<boolean> {
  let wasCalled = false;
  await compileIfChanged(root, () => {
    wasCalled = true;
    for (const folder of ['src', 'scripts']) {
      for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!path.endsWith('.ts')) continue;
        const output = join('dist', folder, path.replace(/\.ts$/, '.js'));
        write(output, read(join(folder, path)));
        write(`${output}.map`, '{}');
      }
    }
    return Promise.resolve(end());
  });
  return wasCalled;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
