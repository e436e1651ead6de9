/** The planted bugs: that each is still one, and that somebody could cry at it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../src/main/project-root.ts';
import { plants } from '../../planted/plants.ts';
import { allCheckers } from '../../simulation/checkers/all-checkers.ts';
import { Kernel } from '../../simulation/kernel/kernel.ts';
import { SimRandom } from '../../simulation/kernel/sim-random.ts';
import { optionsOf } from '../../simulation/plan/sim-options.ts';
import { compiled, plantedSources } from '../../simulation/plants/planted-tree.ts';
import { headerOf } from '../../simulation/plants/unified-diff.ts';
import { silentLog } from '../../simulation/world/sim-log.ts';
import { World } from '../../simulation/world/world.ts';

const root = projectRoot();
const folder = join(root, 'test', 'planted');
/** Judged by the run itself: nothing left to happen, no progress, nobody caught what was thrown. */
const judgedByTheRun = ['INV-31', 'INV-32', 'INV-35'];

function patchOf(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** Every invariant that some checker says it judges. */
function judgedInvariants(): ReadonlySet<string> {
  const world = new World(new Kernel(new SimRandom(1, 'ties')), optionsOf(1), silentLog);
  const judged = allCheckers.flatMap((make) => make(world, () => undefined).invariants);
  return new Set([...judged, ...judgedByTheRun]);
}

describe('the planted bugs', () => {
  it.each(plants)('$patch fits the present tree and makes another program of it', (plant) => {
    const sources = plantedSources(root, plant);
    expect(sources.size).toBeGreaterThan(0);
    const changed = [...sources].filter(([path, planted]) => {
      expect(path).toMatch(/^src\//);
      const present = readFileSync(join(root, path), 'utf8');
      return compiled(path, planted) !== compiled(path, present);
    });
    // Some change types alone, for the sake of the others.
    expect(changed.length).toBeGreaterThan(0);
  });

  it('are the patches of the folder, each once', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.patch'));
    const inOrder = files.sort(
      (one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10),
    );
    expect(plants.map(({ patch }) => patch)).toEqual(inOrder);
    expect(new Set(plants.map(({ number }) => number)).size).toBe(plants.length);
  });

  it.each(plants)('$patch says what is wrong, who must cry and why it matters', (plant) => {
    const header = headerOf(patchOf(plant.patch));
    expect(header).toMatch(/^Planted: /);
    expect(header).toMatch(/^Dangerous: /m);
    const [, named = ''] = /^Must cry: (.*)\.$/m.exec(header) ?? [];
    expect(named.match(/INV-\d+/g)).toEqual(plant.invariants);
  });

  it('name invariants only that somebody judges', () => {
    const judged = judgedInvariants();
    const unjudged = plants.flatMap(({ invariants }) => invariants).filter((id) => !judged.has(id));
    expect(unjudged).toEqual([]);
  });
});
