/** Seeded chance keeps the contract of chance, and gives the same again for the same seed. */
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { randomContract } from '../../../contract/suites/random-contract.ts';

randomContract('seeded', () => createSeededRandom('contract'));

describe('seeded chance', () => {
  const sequence = (seed: string): string[] => {
    const random = createSeededRandom(seed);
    return [random.hex(8, 'token'), String(random.fraction('pause')), random.hex(8, 'token')];
  };

  it('repeats every draw of its seed and none of another', () => {
    expect(sequence('7')).toEqual(sequence('7'));
    const both = new Set([...sequence('7'), ...sequence('8')]);
    expect(both.size).toBe(6);
  });

  it('keeps the draws of one name apart from those of the others', () => {
    const random = createSeededRandom('7');
    for (let draw = 0; draw < 5; draw += 1) random.fraction('pause');
    expect([random.hex(8, 'token'), random.hex(8, 'token')]).toEqual([
      sequence('7')[0],
      sequence('7')[2],
    ]);
  });

  it('gives two names different draws', () => {
    const random = createSeededRandom('7');
    expect(random.hex(8, 'token')).not.toBe(random.hex(8, 'incarnation'));
  });

  it('tells of every draw, in order', () => {
    const heard: string[] = [];
    const random = createSeededRandom('7', (why) => heard.push(why));
    random.fraction('pause');
    random.hex(4, 'token');
    expect(heard).toEqual(['pause', 'token']);
  });

  it('refuses names without end, which would be a memory without end', () => {
    const random = createSeededRandom('7');
    expect(() => {
      for (let name = 0; name < 2_000; name += 1) random.fraction(`pause ${name}`);
    }).toThrow('the names of draws are few');
  });
});
