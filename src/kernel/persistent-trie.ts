/**
 * The nodes of `persistent-map.ts` and the four walks over them. Each level of the trie looks at
 * five bits of the key's hash, lowest first. The shape is canonical: it depends on the keys that are
 * in, never on the order in which they came or on keys that were removed; that is what makes the
 * iteration order a function of the keys and two equal maps equal in structure.
 *
 * Canonical means: no branch has one child that is not itself a branch, and keys with one hash lie
 * in one collision node as high up as no other hash needs the place.
 */
import { hashText } from './hash-text.ts';

/** One entry. */
export interface TrieLeaf<V> {
  readonly kind: 'leaf';
  readonly hash: number;
  readonly key: string;
  readonly value: V;
}

/** Two or more entries whose keys have one hash, sorted by key. */
interface TrieCollision<V> {
  readonly kind: 'collision';
  readonly hash: number;
  readonly leaves: readonly TrieLeaf<V>[];
}

/** Up to 32 children; bit i of `bitmap` tells whether slot i is there. */
interface TrieBranch<V> {
  readonly kind: 'branch';
  readonly bitmap: number;
  readonly children: readonly TrieNode<V>[];
}

/** Any node. An empty trie is `null` and never occurs inside another. */
export type TrieNode<V> = TrieLeaf<V> | TrieCollision<V> | TrieBranch<V>;

const bitsPerLevel = 5;
const slotMask = (1 << bitsPerLevel) - 1;

/** The entry of `key`, or null. */
export function findInTrie<V>(root: TrieNode<V> | null, key: string): TrieLeaf<V> | null {
  const hash = hashText(key);
  let node: TrieNode<V> | null = root;
  let shift = 0;
  while (node !== null && node.kind === 'branch') {
    node = childAt(node, slotBit(hash, shift));
    shift += bitsPerLevel;
  }
  if (node === null || node.hash !== hash) return null;
  if (node.kind === 'leaf') return node.key === key ? node : null;
  const found = node.leaves[lowerBound(node.leaves, key)];
  return found !== undefined && found.key === key ? found : null;
}

/** The trie with `key` bound to `value`. Copies the path to the entry and shares the rest. */
export function putIntoTrie<V>(root: TrieNode<V> | null, key: string, value: V): TrieNode<V> {
  const leaf: TrieLeaf<V> = { kind: 'leaf', hash: hashText(key), key, value };
  return root === null ? leaf : putLeaf(root, leaf, 0);
}

/** The trie without `key`; null when nothing is left. The key need not be there. */
export function removeFromTrie<V>(root: TrieNode<V> | null, key: string): TrieNode<V> | null {
  return root === null ? null : removeKey(root, hashText(key), key, 0);
}

/** Every entry, ordered by hash digits from the lowest up, then by key. */
export function* walkTrie<V>(root: TrieNode<V> | null): IterableIterator<TrieLeaf<V>> {
  if (root === null) return;
  if (root.kind === 'leaf') yield root;
  else if (root.kind === 'collision') yield* root.leaves;
  else for (const child of root.children) yield* walkTrie(child);
}

function putLeaf<V>(node: TrieNode<V>, leaf: TrieLeaf<V>, shift: number): TrieNode<V> {
  if (node.kind === 'branch') {
    const bit = slotBit(leaf.hash, shift);
    const child = childAt(node, bit);
    const put = child === null ? leaf : putLeaf(child, leaf, shift + bitsPerLevel);
    return withChild(node, bit, put);
  }
  if (node.hash !== leaf.hash) return joinNodes(node, leaf, shift);
  if (node.kind === 'collision') return { ...node, leaves: withLeaf(node.leaves, leaf) };
  if (node.key === leaf.key) return leaf;
  return { kind: 'collision', hash: leaf.hash, leaves: withLeaf([node], leaf) };
}

/**
 * A branch that holds both nodes, which have different hashes. It ends: 32 bits are used up after
 * seven levels, and hashes that are equal in all of them would be equal.
 */
function joinNodes<V>(
  placed: TrieLeaf<V> | TrieCollision<V>,
  added: TrieLeaf<V>,
  shift: number,
): TrieBranch<V> {
  const placedSlot = slotOf(placed.hash, shift);
  const addedSlot = slotOf(added.hash, shift);
  const bitmap = (1 << placedSlot) | (1 << addedSlot);
  if (placedSlot === addedSlot) {
    const child = joinNodes(placed, added, shift + bitsPerLevel);
    return { kind: 'branch', bitmap, children: [child] };
  }
  const children = placedSlot < addedSlot ? [placed, added] : [added, placed];
  return { kind: 'branch', bitmap, children };
}

function removeKey<V>(
  node: TrieNode<V>,
  hash: number,
  key: string,
  shift: number,
): TrieNode<V> | null {
  if (node.kind === 'leaf') return node.key === key ? null : node;
  if (node.kind === 'collision') return removeFromCollision(node, key);
  const bit = slotBit(hash, shift);
  const child = childAt(node, bit);
  if (child === null) return node;
  const kept = removeKey(child, hash, key, shift + bitsPerLevel);
  if (kept === child) return node;
  return kept === null ? withoutChild(node, bit) : collapsed(withChild(node, bit, kept));
}

function removeFromCollision<V>(node: TrieCollision<V>, key: string): TrieNode<V> {
  const leaves = node.leaves.filter((leaf) => leaf.key !== key);
  if (leaves.length === node.leaves.length) return node;
  const [first] = leaves;
  // Two leaves or more were there, so at least one is left; alone it is a leaf again.
  return leaves.length === 1 && first !== undefined ? first : { ...node, leaves };
}

/** A branch whose only child is an entry gives way to it, so that the shape stays canonical. */
function collapsed<V>(branch: TrieBranch<V>): TrieNode<V> {
  const [only] = branch.children;
  const alone = branch.children.length === 1 && only !== undefined && only.kind !== 'branch';
  return alone ? only : branch;
}

function withChild<V>(node: TrieBranch<V>, bit: number, child: TrieNode<V>): TrieBranch<V> {
  const index = indexOfSlot(node.bitmap, bit);
  const children = node.children.slice();
  const replaced = (node.bitmap & bit) === 0 ? 0 : 1;
  children.splice(index, replaced, child);
  return { kind: 'branch', bitmap: node.bitmap | bit, children };
}

function withoutChild<V>(node: TrieBranch<V>, bit: number): TrieNode<V> | null {
  const children = node.children.slice();
  children.splice(indexOfSlot(node.bitmap, bit), 1);
  if (children.length === 0) return null;
  return collapsed({ kind: 'branch', bitmap: node.bitmap & ~bit, children });
}

function withLeaf<V>(leaves: readonly TrieLeaf<V>[], leaf: TrieLeaf<V>): readonly TrieLeaf<V>[] {
  const at = lowerBound(leaves, leaf.key);
  const copy = leaves.slice();
  copy.splice(at, copy[at]?.key === leaf.key ? 1 : 0, leaf);
  return copy;
}

/** Index of the first leaf whose key is not below `key`. */
function lowerBound<V>(leaves: readonly TrieLeaf<V>[], key: string): number {
  let low = 0;
  let high = leaves.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const leaf = leaves[middle];
    if (leaf !== undefined && leaf.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function childAt<V>(node: TrieBranch<V>, bit: number): TrieNode<V> | null {
  if ((node.bitmap & bit) === 0) return null;
  return node.children[indexOfSlot(node.bitmap, bit)] ?? null;
}

function slotOf(hash: number, shift: number): number {
  return (hash >>> shift) & slotMask;
}

function slotBit(hash: number, shift: number): number {
  return 1 << slotOf(hash, shift);
}

/** How many slots below `bit` are there: the place of its child in the dense array. */
function indexOfSlot(bitmap: number, bit: number): number {
  let below = bitmap & (bit - 1);
  below -= (below >>> 1) & 0x55555555;
  below = (below & 0x33333333) + ((below >>> 2) & 0x33333333);
  below = (below + (below >>> 4)) & 0x0f0f0f0f;
  return Math.imul(below, 0x01010101) >>> 24;
}
