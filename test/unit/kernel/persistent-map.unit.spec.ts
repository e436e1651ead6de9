/** The persistent map against the language's own Map, with keys that collide on purpose. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashText } from '../../../src/kernel/hash-text.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { PersistentMap } from '../../../src/kernel/persistent-map.ts';
import { collidingKeys } from '../../support/colliding-keys.ts';

type Step = { readonly op: 'set' | 'remove'; readonly key: string; readonly value: number };

const anyKey = fc.oneof(
  fc.constantFrom(...collidingKeys),
  fc.integer({ min: 0, max: 60 }).map((n) => `u${n}`),
  fc.string({ maxLength: 3 }),
);
const anyStep: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom('set', 'set', 'remove'),
  key: anyKey,
  value: fc.integer({ min: 0, max: 3 }),
});

function run(steps: readonly Step[]): { map: PersistentMap<number>; model: Map<string, number> } {
  let map = emptyPersistentMap<number>();
  const model = new Map<string, number>();
  for (const { op, key, value } of steps) {
    map = op === 'set' ? map.set(key, value) : map.remove(key);
    if (op === 'set') model.set(key, value);
    else model.delete(key);
  }
  return { map, model };
}

function sorted(entries: Iterable<readonly [string, number]>): (readonly [string, number])[] {
  return [...entries].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

describe('hashText', () => {
  it('gives the values it always gave, because stored orders follow from them', () => {
    expect(['', 'a', 'u1', 'u2', 'user-42', '\u{1f399}'].map(hashText)).toMatchInlineSnapshot(`
      [
        2872998923,
        444641715,
        612938007,
        191028336,
        2083131798,
        2328140887,
      ]
    `);
  });

  it('gives one hash to all the keys that the tests call colliding', () => {
    expect(collidingKeys.length).toBe(8);
    expect(new Set(collidingKeys).size).toBe(8);
    expect(new Set(collidingKeys.map(hashText)).size).toBe(1);
  });
});

describe('PersistentMap', () => {
  it('answers as a Map does after any sequence of sets and removes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        const { map, model } = run(steps);
        expect(map.size).toBe(model.size);
        expect(sorted(map.entries())).toEqual(sorted(model.entries()));
        expect([...map.values()]).toEqual([...map.entries()].map(([, value]) => value));
        for (const { key } of steps) {
          expect(map.get(key)).toBe(model.get(key));
          expect(map.has(key)).toBe(model.has(key));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('iterates, and is built, by its keys alone: any history with the same end is equal', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 80 }), (steps) => {
        const { map, model } = run(steps);
        let straight = emptyPersistentMap<number>();
        for (const [key, value] of sorted(model.entries()).reverse()) {
          straight = straight.set(key, value);
        }
        expect([...map.entries()]).toEqual([...straight.entries()]);
        expect(map).toEqual(straight);
      }),
      { numRuns: 300 },
    );
  });

  it('never changes a map that was handed out', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), anyStep, (steps, next) => {
        const { map } = run(steps);
        const before = [...map.entries()];
        map.set(next.key, 99);
        map.remove(next.key);
        expect([...map.entries()]).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  it('tells maps with other entries apart in a deep comparison', () => {
    const map = emptyPersistentMap<number>().set('u1', 1).set('u2', 2);
    expect(map).not.toEqual(map.set('u2', 3));
    expect(map).not.toEqual(map.remove('u2'));
  });

  it('gives the same object when nothing changes', () => {
    const value = { nickname: 'a' };
    const map = emptyPersistentMap<unknown>().set('u1', value).set('nan', NaN);
    expect(map.set('u1', value)).toBe(map);
    expect(map.set('nan', NaN)).toBe(map);
    expect(map.remove('u2')).toBe(map);
    expect(map.remove(collidingKeys[0] ?? '')).toBe(map);
    expect(map.remove('u1').remove('nan')).toBe(emptyPersistentMap());
  });

  it('keeps keys of one hash apart and lets each go alone', () => {
    let map = emptyPersistentMap<string>();
    for (const key of collidingKeys) map = map.set(key, key);
    expect(map.size).toBe(8);
    for (const key of collidingKeys) {
      expect(map.get(key)).toBe(key);
      map = map.remove(key);
      expect(map.has(key)).toBe(false);
    }
    expect(map).toBe(emptyPersistentMap());
  });

  it('keeps a value of undefined as an entry', () => {
    const map = emptyPersistentMap<undefined>().set('u1', undefined);
    expect(map.has('u1')).toBe(true);
    expect(map.size).toBe(1);
  });

  it('copies a few nodes and not the map when one of 10,000 entries changes', () => {
    let map = emptyPersistentMap<number>();
    for (let n = 0; n < 10_000; n += 1) map = map.set(`user-${n}`, n);
    const changed = map.set('user-77', -1);
    const shared = new Set(nodesOf(map));
    const copied = nodesOf(changed).filter((node) => !shared.has(node));
    expect(copied.length).toBeLessThanOrEqual(7);
  });
});

/** Every object reachable from a map: white-box on purpose, it measures the sharing. */
function nodesOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap(nodesOf);
  return Array.isArray(value) ? below : [value, ...below];
}
