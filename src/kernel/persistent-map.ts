/**
 * A string-keyed map that is never changed in place: `set` and `remove` give a new map that shares
 * all untouched parts with the old one. Rooms hold their users in it, so that a draft costs
 * O(log n) and a failed commit costs nothing to forget.
 *
 * Built as a hash array mapped trie (`persistent-trie.ts` holds the nodes). Keys with one hash share
 * a node that is sorted by key, so a flood of colliding keys costs a binary search to read and one
 * array copy to write, and changes no answer.
 */
import { findInTrie, putIntoTrie, removeFromTrie, walkTrie } from './persistent-trie.ts';
import type { TrieNode } from './persistent-trie.ts';

/** See the file header. Iteration order depends on the keys alone, never on the history. */
export interface PersistentMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  has(key: string): boolean;
  /** A map with `key` bound to `value`; the same object when it already is (by identity). */
  set(key: string, value: V): PersistentMap<V>;
  /** A map without `key`; the same object when it was not there. */
  remove(key: string): PersistentMap<V>;
  values(): IterableIterator<V>;
  entries(): IterableIterator<readonly [string, V]>;
}

/** The map without entries. Every call gives the same object. */
export function emptyPersistentMap<V>(): PersistentMap<V> {
  // The one empty map holds no value of any type, so it is a map of every type.
  return emptyMap;
}

/**
 * Fields are plain (not `#private`) on purpose: two maps with equal entries then have equal shape,
 * and a deep comparison of two room states also compares their users.
 */
class HashTrieMap<V> implements PersistentMap<V> {
  readonly size: number;
  private readonly root: TrieNode<V> | null;

  constructor(root: TrieNode<V> | null, size: number) {
    this.root = root;
    this.size = size;
  }

  get(key: string): V | undefined {
    return findInTrie(this.root, key)?.value;
  }

  has(key: string): boolean {
    return findInTrie(this.root, key) !== null;
  }

  set(key: string, value: V): PersistentMap<V> {
    const before = findInTrie(this.root, key);
    // `Object.is` and not `===`, so that a NaN value also counts as bound already.
    if (before !== null && Object.is(before.value, value)) return this;
    const size = before === null ? this.size + 1 : this.size;
    return new HashTrieMap(putIntoTrie(this.root, key, value), size);
  }

  remove(key: string): PersistentMap<V> {
    if (!this.has(key)) return this;
    if (this.size === 1) return emptyPersistentMap();
    return new HashTrieMap(removeFromTrie(this.root, key), this.size - 1);
  }

  *values(): IterableIterator<V> {
    for (const leaf of walkTrie(this.root)) yield leaf.value;
  }

  *entries(): IterableIterator<readonly [string, V]> {
    for (const leaf of walkTrie(this.root)) yield [leaf.key, leaf.value];
  }
}

const emptyMap: PersistentMap<never> = new HashTrieMap<never>(null, 0);
