/**
 * The image's files without an engine: each stage is a folder, COPY lines are carried out, and what
 * RUN lines do is done with what this checkout has (its packages, its compiler).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { contextOf, type Copy, type Stage } from './dockerfile.ts';

/** What the RUN lines of the build stage are understood to do here, in this order. */
export const understoodRuns = [
  'npm ci --include=dev --no-audit --no-fund',
  'npm run build && npm prune --omit=dev --omit=optional --no-audit --no-fund',
];

/** Where a path of a stage lies on this machine. */
export type StageFolder = (pathInStage: string) => string;

/** The build stage: its copies, compiled, with the packages that are left after pruning. */
export function buildStage(root: string, stage: Stage, folder: string): StageFolder {
  const at: StageFolder = (path) => join(folder, path);
  copyAll(root, stage, at, new Map());
  const modules = at(join(stage.workdir, 'node_modules'));
  symlinkSync(join(root, 'node_modules'), modules);
  const compiler = join(modules, 'typescript', 'bin', 'tsc');
  // Types are checked elsewhere; here it counts that every file is there.
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, '-p', 'tsconfig.build.json', '--noCheck'],
    { cwd: at(stage.workdir), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the build ended with ${status}: ${stdout}`);
  rmSync(modules);
  linkProductionPackages(root, at(stage.workdir));
  return at;
}

/** A stage that only copies. */
export function copyStage(
  root: string,
  stage: Stage,
  folder: string,
  others: ReadonlyMap<string, StageFolder>,
): StageFolder {
  const at: StageFolder = (path) => join(folder, path);
  copyAll(root, stage, at, others);
  return at;
}

function copyAll(
  root: string,
  stage: Stage,
  at: StageFolder,
  others: ReadonlyMap<string, StageFolder>,
): void {
  const isInContext = contextOf(readFileSync(join(root, '.dockerignore'), 'utf8'));
  for (const copy of stage.copies) {
    const from = sourceOf(copy, root, others);
    for (const source of copy.sources) {
      const path = from(source);
      const isKept = copy.from !== undefined || isInContext(relative(root, path));
      if (!isKept || !existsSync(path)) throw new Error(`COPY finds no ${source}`);
      const target = at(join(stage.workdir, copy.target));
      const isFileIntoFolder = copy.target.endsWith('/');
      mkdirSync(isFileIntoFolder ? target : dirname(target), { recursive: true });
      cpSync(path, isFileIntoFolder ? join(target, basename(source)) : target, {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }
}

function sourceOf(copy: Copy, root: string, others: ReadonlyMap<string, StageFolder>): StageFolder {
  if (copy.from === undefined) return (path) => join(root, path);
  const stage = others.get(copy.from);
  if (stage === undefined) throw new Error(`COPY from ${copy.from}, which is no stage`);
  return stage;
}

/** As the build stage's `npm prune` leaves them: what no dependency of the product needs is gone. */
function linkProductionPackages(root: string, workdir: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path);
    if (!isTop || dev === true || devOptional === true || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(workdir, path)), { recursive: true });
    symlinkSync(join(root, path), join(workdir, path));
  }
}
