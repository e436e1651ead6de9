/**
 * The values that stand between Avro and the domain. They have the domain's own field names and
 * symbols, with three differences: unions of records are wrapped in the name of their branch, a
 * symbol may be UNKNOWN (a newer release wrote one that we do not have), and sets are lists.
 */
import type { Brand } from '../kernel/brand.ts';
import { WireFault } from './wire-fault.ts';

/** What every enum reads when its writer knew more symbols. Never written. */
export const unknownSymbol = 'UNKNOWN';

type Unknown = typeof unknownSymbol;

/**
 * A domain type as it comes out of a decoder: each closed set of symbols may be UNKNOWN. The types
 * force every reader to say what it does then, so that no such symbol gets into the domain.
 */
export type Wire<T> = T extends bigint | number | boolean | null | '' | Uint8Array
  ? T
  : T extends Brand<string, string>
    ? T
    : T extends string
      ? string extends T
        ? T
        : T | Unknown
      : T extends readonly (infer Item)[]
        ? readonly Wire<Item>[]
        : { readonly [Field in keyof T]: Wire<T[Field]> };

/** The fields of one variant of a union, without the tag, which is the branch's name on the wire. */
export type WireVariant<Union extends { readonly type: string }, Type extends Union['type']> = Wire<
  Omit<Extract<Union, { readonly type: Type }>, 'type'>
>;

/** The symbol, when this release has it; else a fault. For symbols that decide something. */
export function known<Symbol extends string>(
  symbol: Symbol,
  field: string,
): Exclude<Symbol, Unknown> {
  if (symbol === unknownSymbol) throw new WireFault(`${field} is a symbol of a newer release`);
  return symbol as Exclude<Symbol, Unknown>;
}

const namespace = 'roomcell.';

/** A value in the branch of a union, as the encoder takes it. */
export function branchOf(name: string, value: unknown): unknown {
  return { [namespace + name]: value };
}

/** The branch that a decoded union holds, or null for the null branch. */
export function openBranch(
  union: unknown,
): { readonly name: string; readonly value: unknown } | null {
  if (union === null) return null;
  const [entry] = Object.entries(union as object);
  if (entry === undefined) throw new WireFault('a union without a branch');
  const [name, value] = entry as [string, unknown];
  return { name: name.slice(name.lastIndexOf('.') + 1), value };
}

/** Named facts as a list sorted by name: equal facts are equal bytes. */
export function factsToWire(facts: Readonly<Record<string, string>>): readonly NamedFact[] {
  const list = Object.entries(facts).map(([name, value]) => ({ name, value }));
  return list.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** The inverse of `factsToWire`. Any name is safe, also one that objects give a meaning to. */
export function factsFromWire(facts: readonly NamedFact[]): Readonly<Record<string, string>> {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
}

/** One fact on the wire. */
export interface NamedFact {
  readonly name: string;
  readonly value: string;
}
