/**
 * Style as a test: what lint cannot hold, over the project's real files.
 */
import { describe, expect, it } from 'vitest';
import { layerViolations } from '../support/layer-walls.ts';
import { projectFiles } from '../support/source-files.ts';
import {
  nameViolations,
  readmeViolations,
  sizeViolations,
  wordViolations,
} from '../support/tidy-rules.ts';

const files = projectFiles();
/** These hold the banned words to look for. */
const RULES = /tidy-rules(\.unit\.spec)?\.ts$/;

describe('the source tree', () => {
  it('is read at all', () => {
    expect(files.map((file) => file.path)).toContain('test/unit/tidy.unit.spec.ts');
  });

  it('imports downward only (ARC-20)', { timeout: 120_000 }, () => {
    expect(layerViolations(files)).toEqual([]);
  });

  it('has no file that is too long to read', () => {
    expect(sizeViolations(files)).toEqual([]);
  });

  it('has kebab-case file names', () => {
    expect(nameViolations(files)).toEqual([]);
  });

  it('has no empty words and no untracked notes', () => {
    expect(wordViolations(files.filter(({ path }) => !RULES.test(path)))).toEqual([]);
  });

  it('has a README in every stage', () => {
    expect(readmeViolations(files)).toEqual([]);
  });
});
