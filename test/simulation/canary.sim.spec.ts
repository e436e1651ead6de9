/**
 * The canary: a bug that is always planted. As long as it is found the simulation can find something;
 * a run in which this is green says nothing with all its green seeds.
 */
import { afterAll, expect, it } from 'vitest';
import { plants } from '../planted/plants.ts';
import { hunt } from './plants/hunt.ts';
import { PlantedTrees } from './plants/planted-tree.ts';

const canary = 'reply-before-commit';
const trees = new PlantedTrees();
afterAll(() => trees.remove());

it('a reply that leaves before its commit is found within twenty seeds', async () => {
  const plant = plants.find(({ name }) => name === canary);
  if (plant === undefined) throw new Error(`there is no plant ${canary}`);
  const found = await hunt(trees, plant, { first: 1, last: 20, limitMs: 60_000 });
  expect(found.named?.invariant).toBe('INV-14');
  expect(found.redAnyway).toEqual([]);
});
