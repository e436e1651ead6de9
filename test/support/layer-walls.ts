/**
 * The layer walls over real import statements: imports go down only, stages and drivers never
 * import their neighbours, libraries stay in drivers and main. The table is layers.json, which
 * eslint.config.js reads as well; a stage may import owners, ports, protocol, domain and kernel.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.ts';

interface LayerRow {
  readonly stage?: boolean;
  /** Its sub-folders are neighbours that must not import each other; files beside them are shared. */
  readonly parts?: boolean;
  /** Sub-folders that their neighbours may import all the same. They import no neighbour. */
  readonly sharedParts?: readonly string[];
  readonly imports?: readonly string[] | 'any';
  readonly packages?: readonly string[] | 'any';
  readonly builtins?: readonly string[] | 'any';
}

const TABLE = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, LayerRow>
>;
const STAGE_IMPORTS = ['owners', 'ports', 'protocol', 'domain', 'kernel'];

/** Folders under src that are stages of the flow. */
export const STAGES: readonly string[] = Object.keys(TABLE).filter((name) => TABLE[name]?.stage);

/** One sentence per import that crosses a wall. Files outside src may import anything. */
export function layerViolations(files: readonly SourceFile[]): string[] {
  const violations: string[] = [];
  for (const file of files.filter(({ path }) => path.startsWith('src/'))) {
    for (const imported of importsOf(file.text)) {
      const reason = whyForbidden(file.path, imported);
      if (reason !== undefined) violations.push(`${file.path} imports ${imported}: ${reason}`);
    }
  }
  return violations;
}

/** Every module the file names: import, import type, export from, import(), import('x').T. */
export function importsOf(text: string): string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, false);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = moduleSpecifierOf(node);
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.push(specifier.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function moduleSpecifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  }
  const isImportCall =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImportCall ? node.arguments[0] : undefined;
}

function whyForbidden(path: string, imported: string): string | undefined {
  const layer = layerOf(path);
  const row = TABLE[layer];
  if (row === undefined) return `the folder src/${layer} is not in layers.json`;
  if (!imported.startsWith('.')) return whyPackageForbidden(layer, row, imported);
  const target = posix.join(posix.dirname(path), imported);
  if (!target.startsWith('src/')) return `${layer} may not leave src`;
  const targetLayer = layerOf(target);
  if (targetLayer === layer) return whyNeighbourForbidden(row, path, target);
  const allowed = row.imports ?? STAGE_IMPORTS;
  if (allowed === 'any' || allowed.includes(targetLayer)) return undefined;
  return `${layer} may import ${listed(allowed)}`;
}

function whyPackageForbidden(layer: string, row: LayerRow, imported: string): string | undefined {
  const allowed = (isBuiltin(imported) ? row.builtins : row.packages) ?? [];
  if (allowed === 'any' || allowed.includes(imported)) return undefined;
  return `libraries and node: modules stay in drivers and main (${layer}: ${listed(allowed)})`;
}

function whyNeighbourForbidden(row: LayerRow, path: string, target: string): string | undefined {
  if (row.parts !== true) return undefined;
  const [from, to] = [partOf(path), partOf(target)];
  if (to === undefined || from === to || row.sharedParts?.includes(to)) return undefined;
  return 'neighbours do not import each other';
}

/** `cell` for src/cell/lane/lane.ts. */
function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** `im` for src/adapters/im/…, undefined for src/adapters/shared.ts. */
function partOf(path: string): string | undefined {
  const [, , part, deeper] = path.split('/');
  return deeper === undefined ? undefined : part;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}
