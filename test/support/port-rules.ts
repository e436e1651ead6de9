/**
 * Every port has a suite, a real driver and a twin, and both run the suite. Each breach is one
 * sentence, so that the failure of the test is its own explanation. What a port is comes from the
 * files: an exported interface of `src/ports` that has a method.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { implementersOf } from './port-implementers.ts';
import type { SourceFile } from './source-files.ts';

/** Where one port is held to its promises. Paths are below `test`. */
export interface HeldPort {
  /** Files of `contract/suites`, without `.ts`. */
  readonly suites: readonly string[];
  /** Specs that run them on the real driver: together, all of them. */
  readonly real: readonly string[];
  /** Specs that run them on the twin: together, all of them. */
  readonly twin: readonly string[];
  /** Interfaces of the file that lack a real driver or a twin, with the reason for that. */
  readonly exempt?: Readonly<Record<string, string>>;
}

/** By the name of the port's file; a text is the reason why nobody below `src/drivers` has it. */
export type PortTable = Readonly<Record<string, HeldPort | string>>;

/** One sentence per breach. */
export function portViolations(files: readonly SourceFile[], table: PortTable): string[] {
  const portFiles = files.filter(({ path }) => /^src\/ports\/[^/]+\.ts$/.test(path));
  const names = portFiles.map(({ path }) => posix.basename(path, '.ts'));
  const gone = Object.keys(table).filter((name) => !names.includes(name));
  return [
    ...gone.map((name) => `the table names the port ${name}, which is no file of src/ports`),
    ...portFiles.flatMap((file) => violationsOf(file, files, table)),
  ];
}

function violationsOf(
  portFile: SourceFile,
  files: readonly SourceFile[],
  table: PortTable,
): string[] {
  const name = posix.basename(portFile.path, '.ts');
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  if (row === undefined) return [`${portFile.path} has no entry in test/contract/ports.ts`];
  const lacks = interfacesWithMethods(portFile).map((port) => ({
    port,
    sides: sidesWithout(port, files),
  }));
  if (typeof row === 'string') {
    if (row.trim() === '') return [`${portFile.path} is exempt without a reason`];
    return lacks.some(({ sides }) => sides.length > 0)
      ? []
      : [`${portFile.path} is exempt, but nothing of it lacks a driver or a twin`];
  }
  return [
    ...lacks.flatMap(({ port, sides }) => unlessExempt(portFile.path, port, sides, row)),
    ...staleExemptions(
      portFile.path,
      row,
      lacks.map(({ port }) => port),
    ),
    ...suiteViolations(name, row, files),
  ];
}

function unlessExempt(
  path: string,
  port: string,
  sides: readonly string[],
  { exempt = {} }: HeldPort,
): string[] {
  const reason = Object.hasOwn(exempt, port) ? exempt[port] : undefined;
  if (reason === undefined) return sides.map((side) => `${path}: ${port} has no ${side}`);
  if (reason.trim() === '') return [`${path}: ${port} is exempt without a reason`];
  return sides.length > 0 ? [] : [`${path}: ${port} is exempt, but has both driver and twin`];
}

function staleExemptions(path: string, { exempt = {} }: HeldPort, ports: readonly string[]) {
  return Object.keys(exempt)
    .filter((name) => !ports.includes(name))
    .map((name) => `${path}: ${name} is exempt, but is no port`);
}

function sidesWithout(port: string, files: readonly SourceFile[]): string[] {
  const found = implementersOf(port, files);
  const isTwin = (path: string): boolean => path.startsWith('src/drivers/memory/');
  return [
    ...(found.some((path) => !isTwin(path)) ? [] : ['real driver']),
    ...(found.some(isTwin) ? [] : ['twin in src/drivers/memory']),
  ];
}

function suiteViolations(name: string, row: HeldPort, files: readonly SourceFile[]): string[] {
  if (row.suites.length === 0) return [`the port ${name} has no suite`];
  return row.suites.flatMap((suite) => {
    const path = `test/contract/suites/${suite}.ts`;
    if (!files.some((file) => file.path === path)) return [`${path} (port ${name}) is missing`];
    return (['real', 'twin'] as const)
      .filter((side) => !row[side].some((spec) => runsSuite(`test/${spec}`, path, files)))
      .map((side) => `no ${side} spec of the port ${name} runs ${suite}: ${listed(row[side])}`);
  });
}

/** True when the spec imports something from the suite and calls it. */
function runsSuite(specPath: string, suitePath: string, files: readonly SourceFile[]): boolean {
  const spec = files.find(({ path }) => path === specPath);
  if (spec === undefined) return false;
  const source = parsed(spec);
  const names = source.statements.flatMap((statement) =>
    ts.isImportDeclaration(statement) ? importedValues(statement, specPath, suitePath) : [],
  );
  let isCalled = false;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      isCalled ||= names.includes(node.expression.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return isCalled;
}

function importedValues(
  statement: ts.ImportDeclaration,
  specPath: string,
  suitePath: string,
): string[] {
  const { importClause, moduleSpecifier } = statement;
  if (!ts.isStringLiteral(moduleSpecifier)) return [];
  const target = posix.join(posix.dirname(specPath), moduleSpecifier.text);
  const bindings = importClause?.namedBindings;
  if (target !== suitePath || bindings === undefined || !ts.isNamedImports(bindings)) return [];
  return bindings.elements.map(({ name }) => name.text);
}

/** Exported interfaces of a file that somebody can implement. */
function interfacesWithMethods(file: SourceFile): string[] {
  return parsed(file)
    .statements.filter(ts.isInterfaceDeclaration)
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .filter(({ members }) => members.some((member) => ts.isMethodSignature(member)))
    .map(({ name }) => name.text);
}

/** One spec runs the suites of many ports. */
const parsedFiles = new WeakMap<SourceFile, ts.SourceFile>();

function parsed(file: SourceFile): ts.SourceFile {
  let source = parsedFiles.get(file);
  if (source === undefined) {
    source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest);
    parsedFiles.set(file, source);
  }
  return source;
}

function listed(specs: readonly string[]): string {
  return specs.length === 0 ? 'none is named' : specs.join(', ');
}
