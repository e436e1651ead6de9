/** Bounded queues, one per key. */
import { describe, expect, it } from 'vitest';
import { KeyedQueues } from '../../../src/kernel/keyed-queues.ts';

const filled = (perKeyMax: number, totalMax: number, ...pushes: readonly string[]) => {
  const queues = new KeyedQueues<string, string>({ perKeyMax, totalMax });
  const costs = pushes.map((push) => queues.push(push.charAt(0), push));
  return { queues, costs };
};

const taken = (queues: KeyedQueues<string, string>): readonly string[] => {
  const all: string[] = [];
  for (let next = queues.take(); next !== undefined; next = queues.take()) {
    all.push(...next.elements);
  }
  return all;
};

describe('queues by key', () => {
  it('give everything of one key at a time, in order, the longest waiting key first', () => {
    const { queues } = filled(9, 9, 'a1', 'b1', 'a2', 'c1', 'b2');
    expect(queues.take()).toEqual({ key: 'a', elements: ['a1', 'a2'] });
    queues.push('a', 'a3');
    expect(taken(queues)).toEqual(['b1', 'b2', 'c1', 'a3']);
    expect(queues.size).toBe(0);
  });

  it('a full key gives up its own oldest and nobody else’s', () => {
    const { queues, costs } = filled(2, 9, 'a1', 'b1', 'a2', 'a3', 'a4');
    expect(costs).toEqual(['nothing', 'nothing', 'nothing', 'oldest_of_key', 'oldest_of_key']);
    expect(queues.size).toBe(3);
    expect(taken(queues)).toEqual(['a3', 'a4', 'b1']);
  });

  it('all full, the key that has waited longest gives up its oldest', () => {
    const { queues, costs } = filled(9, 3, 'a1', 'b1', 'b2', 'c1', 'c2');
    expect(costs.slice(3)).toEqual(['oldest_of_all', 'oldest_of_all']);
    expect(queues.size).toBe(3);
    expect(taken(queues)).toEqual(['b2', 'c1', 'c2']);
  });

  it('passes over keys that may not be taken', () => {
    const { queues } = filled(9, 9, 'a1', 'b1');
    expect(queues.take((key) => key !== 'a')?.key).toBe('b');
    expect(queues.take((key) => key !== 'a')).toBeUndefined();
    expect(queues.size).toBe(1);
  });

  it('forgets the keys that it is told to, and says how much that was', () => {
    const { queues } = filled(9, 9, 'a1', 'b1', 'a2');
    expect(queues.drop((key) => key === 'a')).toBe(2);
    expect(taken(queues)).toEqual(['b1']);
  });
});
