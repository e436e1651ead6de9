/**
 * Who implements an interface below src/drivers, told by the declarations alone: a class says so
 * (also by what it extends), a function or method returns it, or an object literal is declared as it.
 */
import ts from 'typescript';
import type { SourceFile } from './source-files.ts';

/** What a driver's file declares. */
interface Declared {
  readonly path: string;
  /** Class or interface to what it implements or extends. */
  readonly bases: ReadonlyMap<string, readonly string[]>;
  readonly classes: readonly string[];
  /** Types that a function returns, directly or as a promise, and types of object literals. */
  readonly given: readonly string[];
}

/** Parsing is what takes time, and the same files are asked about every port. */
const parsedFiles = new WeakMap<readonly SourceFile[], readonly Declared[]>();

/** Paths of the files below src/drivers that implement the interface of this name. */
export function implementersOf(port: string, files: readonly SourceFile[]): string[] {
  let declared = parsedFiles.get(files);
  if (declared === undefined) {
    declared = files.filter(({ path }) => /^src\/drivers\/.*\.ts$/.test(path)).map(declarationsOf);
    parsedFiles.set(files, declared);
  }
  const bases = new Map(declared.flatMap((file) => [...file.bases]));
  const is = (name: string, asked = new Set<string>()): boolean => {
    if (name === port) return true;
    if (asked.has(name)) return false;
    asked.add(name);
    return (bases.get(name) ?? []).some((base) => is(base, asked));
  };
  return declared
    .filter(({ classes, given }) => [...classes, ...given].some((name) => is(name)))
    .map(({ path }) => path);
}

function declarationsOf({ path, text }: SourceFile): Declared {
  const bases = new Map<string, readonly string[]>();
  const classes: string[] = [];
  const given: string[] = [];
  const aliases = new Map<string, string>();
  const meant = (name: string): string => aliases.get(name) ?? name;
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node) && node.propertyName !== undefined) {
      aliases.set(node.name.text, node.propertyName.text);
    }
    if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
      const name = node.name?.text ?? '';
      bases.set(name, basesOf(node).map(meant));
      if (ts.isClassDeclaration(node)) classes.push(name);
    }
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) {
      given.push(...namesOf(node.type).map(meant));
    }
    if (ts.isVariableDeclaration(node) && isObject(node.initializer)) {
      given.push(...namesOf(node.type).map(meant));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return { path, bases, classes, given };
}

function basesOf(node: ts.ClassDeclaration | ts.InterfaceDeclaration): readonly string[] {
  const types = (node.heritageClauses ?? []).flatMap(({ types: listed }) => [...listed]);
  return types
    .map(({ expression }) => expression)
    .filter(ts.isIdentifier)
    .map(({ text }) => text);
}

/** `Clock` of `Clock` and of `Promise<Clock>`, and both of `Clock & Timers`. */
function namesOf(type: ts.TypeNode | undefined): readonly string[] {
  if (type !== undefined && ts.isIntersectionTypeNode(type)) return type.types.flatMap(namesOf);
  if (type === undefined || !ts.isTypeReferenceNode(type)) return [];
  if (!ts.isIdentifier(type.typeName)) return [];
  const { text } = type.typeName;
  return text === 'Promise' ? (type.typeArguments ?? []).flatMap(namesOf) : [text];
}

function isObject(node: ts.Expression | undefined): boolean {
  return node !== undefined && ts.isObjectLiteralExpression(node);
}
