/** The score of a folder is that of the tool: what was noticed, of all that could run. */
import { describe, expect, it } from 'vitest';
import { folderScores, scoreTableMarkdown } from '../../../scripts/mutation-scores.ts';

const ended = (...statuses: string[]) => ({ mutants: statuses.map((status) => ({ status })) });

describe('the scores of a mutation run', () => {
  it('are one per folder, of its files together, with the sum as the last', () => {
    const report = {
      files: {
        'src/domain/mic/seats.ts': ended('Killed', 'Survived'),
        'src/domain/ids.ts': ended('Killed'),
        'src/domain/gift/charge.ts': ended('Survived'),
        'src/domain/mic/mic-up.ts': ended('Killed', 'Killed'),
      },
    };
    expect(folderScores(report)).toEqual([
      { folder: '(files)', noticed: 1, total: 1, leftOut: 0, scorePercent: 100 },
      { folder: 'gift', noticed: 0, total: 1, leftOut: 0, scorePercent: 0 },
      { folder: 'mic', noticed: 3, total: 4, leftOut: 0, scorePercent: 75 },
      { folder: 'all', noticed: 4, total: 6, leftOut: 0, scorePercent: (4 / 6) * 100 },
    ]);
  });

  it('count an endless mutant as noticed, and one that no test runs as unnoticed', () => {
    const report = { files: { 'src/domain/mic/seats.ts': ended('Timeout', 'NoCoverage') } };
    expect(folderScores(report)[0]).toMatchObject({ noticed: 1, total: 2 });
  });

  it('leave out mutants that could not run, and say how many nobody tried', () => {
    const statuses = ['CompileError', 'RuntimeError', 'Ignored', 'Pending'];
    const report = { files: { 'src/domain/mic/mic-events.ts': ended(...statuses) } };
    expect(folderScores(report)).toEqual([
      { folder: 'mic', noticed: 0, total: 0, leftOut: 1, scorePercent: null },
      { folder: 'all', noticed: 0, total: 0, leftOut: 1, scorePercent: null },
    ]);
  });

  it('become a table that says the day once', () => {
    const report = { files: { 'src/domain/mic/seats.ts': ended('Killed', 'Killed', 'Survived') } };
    expect(scoreTableMarkdown(folderScores(report), '2026-11-30').split('\n').slice(2)).toEqual([
      '| mic | 3 | 2 | 66.67 | 0 |',
      '| all, on 2026-11-30 | 3 | 2 | 66.67 | 0 |',
    ]);
  });
});
