/**
 * Copies of the project in which a simulation can run, one as it is and one for each plant. Compiled
 * file by file, without a look at types, into a folder of their own: the working tree is not touched.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../../../src/main/project-root.ts';
import type { Plant } from '../../planted/plants.ts';
import { applyDiff, readDiff } from './unified-diff.ts';

/** Everything that a run imports lies in these. */
const sourceFolders = ['src', 'test/simulation'];
/** Read while a run lasts. */
const readFolders = ['schemas', 'config', 'migrations'];

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
  removeComments: true,
};

/** See the file header. `remove` takes all copies away. */
export class PlantedTrees {
  private readonly root = projectRoot();
  private readonly folder = mkdtempSync(join(tmpdir(), 'roomcell-plants-'));
  private healthy: string | null = null;

  /** The folder of the unchanged copy. */
  base(): string {
    if (this.healthy !== null) return this.healthy;
    const into = join(this.folder, 'as-it-is');
    for (const folder of sourceFolders) {
      for (const path of sourcesIn(this.root, folder)) {
        compileInto(into, path, readFileSync(join(this.root, path), 'utf8'));
      }
    }
    for (const folder of readFolders) {
      cpSync(join(this.root, folder), join(into, folder), { recursive: true });
    }
    cpSync(join(this.root, 'package.json'), join(into, 'package.json'));
    this.healthy = into;
    this.linkPackages(into);
    return into;
  }

  /** The folder of a copy with the plant in it. Throws when the patch does not fit the present tree. */
  with(plant: Plant): string {
    const into = join(this.folder, `plant-${plant.number}`);
    cpSync(this.base(), into, { recursive: true, verbatimSymlinks: true });
    for (const [path, text] of plantedSources(this.root, plant)) compileInto(into, path, text);
    return into;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private linkPackages(into: string): void {
    symlinkSync(join(this.root, 'node_modules'), join(into, 'node_modules'), 'dir');
  }
}

/** The sources that the plant changes, with the change in them, by path. */
export function plantedSources(root: string, plant: Plant): ReadonlyMap<string, string> {
  const patch = readFileSync(join(root, 'test', 'planted', plant.patch), 'utf8');
  return new Map(
    readDiff(patch).map((diff) => {
      return [diff.path, applyDiff(diff, readFileSync(join(root, diff.path), 'utf8'))];
    }),
  );
}

function sourcesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => join(folder, path));
}

function compileInto(folder: string, path: string, text: string): void {
  const into = join(folder, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(into), { recursive: true });
  writeFileSync(into, compiled(path, text));
}

/** The program text of one source. Throws an Error when it cannot be read as TypeScript. */
export function compiled(path: string, text: string): string {
  const { outputText, diagnostics } = ts.transpileModule(text, {
    compilerOptions,
    fileName: path,
    reportDiagnostics: true,
  });
  const [fault] = diagnostics ?? [];
  if (fault === undefined) return outputText;
  throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`);
}
