/**
 * Every tidy rule must be able to fail.
 */
import { describe, expect, it } from 'vitest';
import {
  nameViolations,
  readmeViolations,
  sizeViolations,
  wordViolations,
} from '../../support/tidy-rules.ts';

const GOOD_README =
  '# cell\n- **In:** commands\n- **Out:** replies\n- **Owns:** rooms\n- **Never does:** IO';
const MARKER = 'TODO';

function code(path: string, text = '') {
  return [{ path, text }];
}

describe('sizeViolations', () => {
  it('reports a file of 401 lines, not one of 400', () => {
    expect(sizeViolations(code('src/a.ts', '\n'.repeat(401)))).toEqual([
      'src/a.ts has 401 lines, the maximum is 400',
    ]);
    expect(sizeViolations(code('src/a.ts', '\n'.repeat(400)))).toEqual([]);
  });
});

describe('wordViolations', () => {
  it.each([
    'src/cell/utils.ts',
    'src/helpers/text.ts',
    'src/cell/room-manager.ts',
    'src/common.ts',
  ])('reports the file name %s', (path) => {
    expect(wordViolations(code(path))).toHaveLength(1);
  });

  it.each(['class RoomManager {', 'export class Service {', 'abstract class TextUtils {'])(
    'reports %s',
    (text) => {
      expect(wordViolations(code('src/a.ts', text))).toHaveLength(1);
    },
  );

  it('reports a marker without an issue number, with its line', () => {
    expect(wordViolations(code('src/a.ts', `\n// ${MARKER}: later`))).toEqual([
      `src/a.ts:2: ${MARKER} without an issue number`,
    ]);
    expect(wordViolations(code('src/a.ts', `// ${MARKER}(#12): later`))).toEqual([]);
  });

  it('lets the words live in sentences', () => {
    expect(wordViolations(code('src/commonwealth.ts', '// a common service helps'))).toEqual([]);
  });
});

describe('nameViolations', () => {
  it('reports what is not kebab-case', () => {
    expect(nameViolations(code('src/cell/roomCell.ts'))).toHaveLength(1);
    expect(nameViolations(code('src/cell/room_cell.ts'))).toHaveLength(1);
    expect(nameViolations(code('test/unit/room-cell.unit.spec.ts'))).toEqual([]);
  });
});

describe('readmeViolations', () => {
  const stage = code('src/cell/lane/lane.ts');
  const readme = (text: string) => [...stage, { path: 'src/cell/README.md', text }];

  it('reports a stage with code and no README', () => {
    expect(readmeViolations(stage)).toEqual([expect.stringContaining('README.md is missing')]);
  });

  it('accepts a README with all parts', () => {
    expect(readmeViolations(readme(GOOD_README))).toEqual([]);
  });

  it('reports each part that is absent', () => {
    const text = GOOD_README.replace('- **Owns:** rooms\n', '');
    expect(readmeViolations(readme(text))).toEqual([
      'src/cell/README.md has no line that begins with Owns',
    ]);
  });

  it('reports a README of more than 20 lines', () => {
    expect(readmeViolations(readme(GOOD_README + '\nmore'.repeat(20)))).toEqual([
      'src/cell/README.md has 25 lines, not 20',
    ]);
  });

  it('asks nothing of a stage without code, nor of other layers', () => {
    expect(readmeViolations(code('src/kernel/assert.ts'))).toEqual([]);
  });
});
