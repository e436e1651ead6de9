/**
 * The checks of docs/requirements.md on pages, trees and reports made up for it: each fault is cried
 * at, and nothing else is.
 */
import { describe, expect, it } from 'vitest';
import { pageFaults } from '../../../../scripts/requirements/page-faults.ts';
import { reportFaults } from '../../../../scripts/requirements/report-faults.ts';
import {
  listedSections,
  readSections,
} from '../../../../scripts/requirements/requirement-pages.ts';
import { idsInTitle, titlesIn } from '../../../../scripts/requirements/title-ids.ts';

const page = 'requirements/doors.md';
const entry = `# Map\n\n| Ids | Count | Page |\n|---|---|---|\n| DOOR | 3 | [doors](${page}) |\n`;
const row1 = '| DOOR-1 | opens | `src/door.ts` | `test/door.unit.spec.ts` |';
const row2 = '| DOOR-2 | shuts | `src/door.ts`, `src/hinge.ts` | `test/suites/door.ts` |';
const row3 = '| DOOR-3 | rings |  | comes with the bell |';

function doors(...rows: string[]): string {
  return [
    '# Doors',
    '',
    '## DOOR: doors (3)',
    '',
    '| Id | | | |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function faultsOf({
  list = entry,
  text = doors(row1, row2, row3),
  files = ['src/door.ts', 'src/hinge.ts'],
  titles = { 'test/door.unit.spec.ts': ['DOOR-1'], 'test/suites/door.ts': ['DOOR-2'] },
}: {
  list?: string;
  text?: string;
  files?: string[];
  titles?: Record<string, string[]>;
}): string[] {
  return pageFaults(listedSections(list), readSections(page, text), {
    exists: (path) => files.includes(path),
    titleIds: new Map(Object.entries(titles)),
  });
}

describe('pages that are true of the tree', () => {
  it('have no fault', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('may say why a requirement has no test', () => {
    const text = doors(row1, row2, '| DOOR-3 | is a door |  | no test: a name |');
    expect(faultsOf({ text })).toEqual([]);
  });

  it('are read beside titles with ids of invariants', () => {
    const titles = {
      'test/door.unit.spec.ts': ['DOOR-1', 'INV-3'],
      'test/suites/door.ts': ['DOOR-2'],
    };
    expect(faultsOf({ titles })).toEqual([]);
  });
});

describe('a fault of the pages is named', () => {
  it.each([
    [
      'a row that was deleted',
      { text: doors(row1, row3), titles: { 'test/door.unit.spec.ts': ['DOOR-1'] } },
      'DOOR-2: has no row',
    ],
    ['a row twice', { text: doors(row1, row2, row2, row3) }, 'DOOR-2: has more than one row'],
    [
      'a row of another section',
      { text: doors(row1, row2, row3, '| BELL-1 | rings |  | comes with it |') },
      'BELL-1: is none of DOOR-1 to DOOR-3',
    ],
    ['rows out of order', { text: doors(row2, row1, row3) }, 'DOOR-2: is not in its place'],
    [
      'a count that was lowered together with a deleted row',
      { text: doors(row1, row2).replace('(3)', '(2)') },
      'DOOR: 3 are listed, its heading says 2',
    ],
    [
      'a section that was deleted whole',
      { text: '# Doors\n', titles: {} },
      `DOOR: listed, but ${page} has no section of it`,
    ],
    ['a section that nobody lists', { list: '# Map\n' }, 'DOOR: its section is not listed'],
    [
      'a section on another page than the list says',
      { list: entry.replace('doors.md', 'gates.md') },
      `DOOR: is on ${page} and not on requirements/gates.md`,
    ],
    [
      'a section twice',
      { text: doors(row1, row2, row3) + doors(row1, row2, row3) },
      'DOOR: has 2 sections',
    ],
    ['a source that is not there', { files: ['src/door.ts'] }, 'DOOR-2: no src/hinge.ts'],
    [
      'a proof without a source',
      { text: doors(row1.replace('`src/door.ts`', ''), row2, row3) },
      'DOOR-1: is proven, but names no source',
    ],
    ['no words', { text: doors(row1.replace('opens', ''), row2, row3) }, 'DOOR-1: says nothing'],
    [
      'neither a proof nor what brings it',
      { text: doors(row1, row2, '| DOOR-3 | rings |  | soon |') },
      'DOOR-3: names neither a test nor what brings it',
    ],
    [
      'a test file that is not there',
      { titles: { 'test/suites/door.ts': ['DOOR-2'] } },
      'DOOR-1: no test file test/door.unit.spec.ts',
    ],
    [
      'a test file whose titles lost the id',
      { titles: { 'test/door.unit.spec.ts': [], 'test/suites/door.ts': ['DOOR-2'] } },
      'DOOR-1: no title in test/door.unit.spec.ts carries it',
    ],
    [
      'an id in a title that no page knows',
      {
        titles: {
          'test/door.unit.spec.ts': ['DOOR-1', 'DOR-2'],
          'test/suites/door.ts': ['DOOR-2'],
        },
      },
      'DOR-2: in a title of test/door.unit.spec.ts, and on no page',
    ],
    [
      'a proof of what a row still promises',
      {
        titles: {
          'test/door.unit.spec.ts': ['DOOR-1', 'DOOR-3'],
          'test/suites/door.ts': ['DOOR-2'],
        },
      },
      'DOOR-3: in a title of test/door.unit.spec.ts, but its row names no test',
    ],
  ])('%s', (_what, doctored, fault) => {
    expect(faultsOf(doctored)).toEqual([fault]);
  });
});

describe('a run', () => {
  const rows = readSections(page, doors(row1, row2, row3)).flatMap((section) => section.rows);
  const ran = (fullName: string, status = 'passed') => ({ fullName, status });
  const report = (...specs: [string, ReturnType<typeof ran>[]][]) => ({
    testResults: specs.map(([name, assertionResults]) => ({
      name: `/home/somebody/${name}`,
      assertionResults,
    })),
  });
  const first = 'test/door.unit.spec.ts';
  const other = 'test/memory.unit.spec.ts';

  it('in which everything passed proves what the pages say', () => {
    const whole = report(
      [first, [ran('a door opens (DOOR-1)')]],
      [other, [ran('a suite (DOOR-2) shuts')]],
    );
    expect(reportFaults(rows, whole)).toEqual([]);
  });

  it('does not prove by a skipped test, nor by a failed one', () => {
    const whole = report(
      [first, [ran('opens (DOOR-1)', 'skipped'), ran('opens again (DOOR-1)', 'todo')]],
      [other, [ran('shuts (DOOR-2)', 'failed')]],
    );
    expect(reportFaults(rows, whole)).toEqual([
      `DOOR-1: no test that carries it passed in ${first}: skipped, todo`,
      'DOOR-2: no test that carries it passed in test/suites/door.ts: failed',
    ]);
  });

  it('does not prove by a test of another spec, nor by one that did not run', () => {
    const whole = report([other, [ran('opens (DOOR-1)'), ran('shuts without an id')]]);
    expect(reportFaults(rows, whole)).toEqual([
      `DOOR-1: no test that carries it ran from ${first}`,
      'DOOR-2: no test that carries it ran from test/suites/door.ts',
    ]);
  });
});

describe('the ids of a title', () => {
  it('stand in parentheses, one or more', () => {
    expect(idsInTitle('shuts (DOOR-2, BELL-10) and opens (case A5, DOOR-1)')).toEqual([
      'DOOR-2',
      'BELL-10',
      'DOOR-1',
    ]);
    expect(idsInTitle('DOOR-1 is named (once), 2-3 times')).toEqual([]);
  });

  it('are read from every way to write a test, and from no other call', () => {
    const source = `
      describe.each(rows)('A (DOOR-1)', () => {
        it('B ' + 'C', () => expect(door('D')).toBe('E'));
        it.each\`x\`('F', body);
        it.skipIf(no)(\`G \${name} H\`, body);
        test(title, body);
      });`;
    expect(titlesIn(source)).toEqual(['A (DOOR-1)', 'B ', 'C', 'F', 'G ', ' H']);
  });
});
