/** The faults of a run, dealt from its seed. */
import { describe, expect, it } from 'vitest';
import { cardsOf, isLinkFault, opening } from '../../chaos/plan/fault-kinds.ts';
import { scheduleOf } from '../../chaos/plan/schedule.ts';

const deckSize = Object.values(cardsOf).reduce((sum, count) => sum + count, 0);

describe('chaos schedule', () => {
  it('deals the same faults for the same seed, and others for another', () => {
    expect(scheduleOf(7, 60)).toEqual(scheduleOf(7, 60));
    expect(scheduleOf(8, 60)).not.toEqual(scheduleOf(7, 60));
  });

  it('begins alike however many cycles are asked for', () => {
    expect(scheduleOf(7, 60).slice(0, 9)).toEqual(scheduleOf(7, 9));
  });

  it('lets a run of five cycles meet a fault of each family', () => {
    expect(scheduleOf(1, opening.length).map(({ kind }) => kind)).toEqual(opening);
  });

  it('lets a run of twenty cycles meet every kind', () => {
    const kinds = new Set(scheduleOf(5, 20).map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(Object.keys(cardsOf)));
  });

  it('deals every kind as often as its weight says, in each deck', () => {
    const dealt: Record<string, number> = {};
    for (const { kind } of scheduleOf(3, deckSize)) dealt[kind] = (dealt[kind] ?? 0) + 1;
    expect(dealt).toEqual(cardsOf);
  });

  it('names a server for a link and for nothing else', () => {
    for (const { kind, dependency, target } of scheduleOf(5, 3 * deckSize)) {
      expect(dependency !== null).toBe(isLinkFault(kind));
      expect(target).toBeGreaterThanOrEqual(0);
      expect(target).toBeLessThan(1);
    }
  });
});
