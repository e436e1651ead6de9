/** The judge of the boards, before doctored runs. */
import { describe, expect, it } from 'vitest';
import { boards } from '../../../simulation/checkers/boards.ts';
import { itSees } from './doctoring.ts';
import { judged, type Doctoring } from './judged-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

/** Behind everything, one board of the first app shows so many coins of r1. */
const shownAtEnd = (name: RegExp, coins: bigint): Doctoring => {
  const shown = new Map<string, bigint>();
  return {
    world: { board: (app, period) => (app === 'app1' && name.test(period) ? shown : null) },
    beforeEnd: () => void shown.set('r1', coins),
  };
};
const inv50 = (title: string, doctoring: Doctoring, words: RegExp): void =>
  itSees(title, boards, run, doctoring, 'INV-50', words);

describe('INV-50: a board', () => {
  inv50(
    'shows no more than was given ever',
    shownAtEnd(/^all$/, 51n),
    /the board all shows 51 coins of r1, and 50 were given/,
  );
  inv50(
    'shows no more than was given on its day',
    shownAtEnd(/^\d{4}-\d\d-\d\d$/, 51n),
    /the board 2023-11-\d\d shows 51 coins of r1, and 50 were given/,
  );
  it('may show all that was given, or less', () => {
    for (const coins of [50n, 1n]) {
      expect(judged([boards], run(), shownAtEnd(/^all$/, coins))).toEqual([]);
    }
  });
});
