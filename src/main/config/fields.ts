/**
 * Kinds of configuration values: how each is read from YAML or from an environment variable, what
 * it refuses and how it is shown. `config-schema.ts` builds the tree of keys out of them, and the
 * typed configuration follows from that tree, so that no key has two descriptions.
 */
import { formatDuration, parseDuration } from '../../kernel/duration.ts';

/** A value as it came: a YAML node's value, or the text of an environment variable. */
export type RawValue =
  | { readonly from: 'file'; readonly value: unknown }
  | { readonly from: 'env'; readonly text: string };

/** The reading of a raw value; `fault` continues the sentence that begins with the key's name. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

/** The kinds there are. `duration` values get the suffix `Ms` in the typed configuration. */
export type FieldKind = 'text' | 'integer' | 'boolean' | 'duration' | 'list' | 'choice' | 'secret';

/** One key. */
export interface Field<T, Kind extends FieldKind = FieldKind> {
  readonly kind: Kind;
  /** What the key means, for people: `docs/configuration.md` shows the same sentence. */
  readonly about: string;
  /** Value when nothing names one. Undefined: something must. */
  readonly fallback: T | undefined;
  readonly parse: (raw: RawValue) => Parsed<T>;
  /** The value as YAML would have it. Secrets show whether they are set. */
  show(value: T): unknown;
}

interface Basics<T> {
  readonly about: string;
  readonly fallback?: T;
}

/** A text; `pattern` with the words that describe it. An empty text needs `fallback: ''`. */
export function text(
  options: Basics<string> & { pattern?: { expression: RegExp; words: string } },
): Field<string, 'text'> {
  const parse = (raw: RawValue): Parsed<string> => {
    const value = raw.from === 'env' ? raw.text : raw.value;
    if (typeof value !== 'string') return refuse(`must be a text, not ${nameOf(value)}`);
    if (value === options.fallback) return accept(value);
    if (value === '') return refuse('is empty');
    const pattern = options.pattern;
    if (pattern !== undefined && !pattern.expression.test(value)) {
      return refuse(`is '${value}', but must be ${pattern.words}`);
    }
    return accept(value);
  };
  return { kind: 'text', ...basicsOf(options), parse, show: (value) => value };
}

/** A whole number between two bounds. `lowMeansFallback`: values below `min` mean the default. */
export function integer(
  options: Basics<number> & { min: number; max: number; lowMeansFallback?: boolean },
): Field<number, 'integer'> {
  const { min, max, fallback } = options;
  const parse = (raw: RawValue): Parsed<number> => {
    const value = raw.from === 'env' ? numberIn(raw.text) : raw.value;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return refuse(`must be a whole number, not ${nameOf(shownRaw(raw))}`);
    }
    if (options.lowMeansFallback === true && value < min && fallback !== undefined) {
      return accept(fallback);
    }
    if (value < min || value > max) {
      return refuse(`is ${value}, but must lie between ${min} and ${max}`);
    }
    return accept(value);
  };
  return { kind: 'integer', ...basicsOf(options), parse, show: (value) => value };
}

/** true or false. */
export function boolean(options: Basics<boolean>): Field<boolean, 'boolean'> {
  const parse = (raw: RawValue): Parsed<boolean> => {
    const value = raw.from === 'env' ? { true: true, false: false }[raw.text] : raw.value;
    if (typeof value === 'boolean') return accept(value);
    return refuse(`must be true or false, not ${nameOf(shownRaw(raw))}`);
  };
  return { kind: 'boolean', ...basicsOf(options), parse, show: (value) => value };
}

/**
 * A duration in Go's notation, in milliseconds. Bounds and `fallback` are durations as well, so
 * that the schema reads like the file. `lowMeansFallback`: zero means the default.
 */
export function duration(options: {
  about: string;
  fallback?: string;
  min: string;
  max: string;
  lowMeansFallback?: boolean;
}): Field<number, 'duration'> {
  const minMs = knownMs(options.min);
  const maxMs = knownMs(options.max);
  const fallback = options.fallback === undefined ? undefined : knownMs(options.fallback);
  const parse = (raw: RawValue): Parsed<number> => {
    const value = shownRaw(raw);
    if (typeof value !== 'string') {
      return refuse(`must be a duration such as "5s" or "1h30m", not ${nameOf(value)}`);
    }
    const parsed = parseDuration(value);
    const means = options.lowMeansFallback === true ? fallback : undefined;
    if (parsed.kind === 'fault') {
      const isNegative = means !== undefined && parseDuration(value.replace('-', '')).kind === 'ok';
      return isNegative ? accept(means) : refuse(parsed.fault);
    }
    if (parsed.ms === 0 && means !== undefined) return accept(means);
    if (parsed.ms < minMs || parsed.ms > maxMs) {
      return refuse(`is ${value}, but must lie between ${options.min} and ${options.max}`);
    }
    return accept(parsed.ms);
  };
  return { kind: 'duration', about: options.about, fallback, parse, show: formatDuration };
}

/** Texts; a comma separated list in the environment. At least `min` of them. */
export function list(
  options: Basics<readonly string[]> & {
    min: number;
    item: { expression: RegExp; words: string };
  },
): Field<readonly string[], 'list'> {
  const parse = (raw: RawValue): Parsed<readonly string[]> => {
    const value = raw.from === 'env' ? itemsIn(raw.text) : raw.value;
    if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string')) {
      return refuse(`must be a list of texts, not ${nameOf(shownRaw(raw))}`);
    }
    const items = value as string[];
    if (items.length < options.min) return refuse(`needs at least ${options.min} entry`);
    const bad = items.find((entry) => !options.item.expression.test(entry));
    if (bad !== undefined) return refuse(`holds '${bad}', but wants ${options.item.words}`);
    return accept(items);
  };
  return { kind: 'list', ...basicsOf(options), parse, show: (value) => value };
}

/** One of a few words. `refusal` may say more about a word that is not among them. */
export function choice<const Word extends string>(
  options: Basics<Word> & { words: readonly Word[] },
): Field<Word, 'choice'> {
  const parse = (raw: RawValue): Parsed<Word> => {
    const value = shownRaw(raw);
    const word = options.words.find((candidate) => candidate === value);
    if (word !== undefined) return accept(word);
    return refuse(`is ${nameOf(value)}, but must be one of ${options.words.join(', ')}`);
  };
  return { kind: 'choice', ...basicsOf(options), parse, show: (value) => value };
}

/** A secret: only from the environment or a file it names, never from YAML, never shown. */
export function secret(options: { about: string; minBytes: number }): Field<string, 'secret'> {
  const parse = (raw: RawValue): Parsed<string> => {
    if (raw.from === 'file') {
      return refuse('is a secret and must not stand in the file; use the environment');
    }
    const bytes = Buffer.byteLength(raw.text);
    if (raw.text !== '' && bytes < options.minBytes) {
      return refuse(`has ${bytes} bytes, but needs at least ${options.minBytes}`);
    }
    return accept(raw.text);
  };
  const show = (value: string): unknown => (value === '' ? '(not set)' : '(set)');
  return { kind: 'secret', about: options.about, fallback: '', parse, show };
}

function accept<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

function refuse(fault: string): { readonly ok: false; readonly fault: string } {
  return { ok: false, fault };
}

function basicsOf<T>(options: Basics<T>): { about: string; fallback: T | undefined } {
  return { about: options.about, fallback: options.fallback };
}

function shownRaw(raw: RawValue): unknown {
  return raw.from === 'env' ? raw.text : raw.value;
}

function numberIn(digits: string): number | undefined {
  return /^-?\d{1,16}$/.test(digits) ? Number(digits) : undefined;
}

function itemsIn(commaList: string): string[] {
  return commaList === '' ? [] : commaList.split(',').map((entry) => entry.trim());
}

/** Bounds and defaults are ours: a bad one is a fault of the program, not of the configuration. */
function knownMs(words: string): number {
  const parsed = parseDuration(words);
  if (parsed.kind === 'fault') throw new TypeError(`schema duration ${words} ${parsed.fault}`);
  return parsed.ms;
}

/** What somebody wrote, short enough for one line. */
function nameOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const shown = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}
