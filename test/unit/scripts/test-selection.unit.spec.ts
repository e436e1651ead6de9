/**
 * `npm test -- --project unit` must not start a stack, and nothing that needs one may go without.
 */
import { describe, expect, it } from 'vitest';
import { needsStack } from '../../../scripts/test-selection.ts';

const files = [
  'test/unit/kernel/assert.unit.spec.ts',
  'test/contract/lease.contract.spec.ts',
  'test/e2e/room.e2e.spec.ts',
  'test/embedded/start.embedded.spec.ts',
];

describe('needsStack', () => {
  it.each([
    { projects: [], fileFilters: [], expected: true },
    { projects: ['unit'], fileFilters: [], expected: false },
    { projects: ['unit', 'contract'], fileFilters: [], expected: true },
    { projects: ['int'], fileFilters: [], expected: false },
    { projects: ['u*'], fileFilters: [], expected: false },
    { projects: ['e2?'], fileFilters: [], expected: false },
    // Each exclusion selects what the other one excludes.
    { projects: ['!contract', '!e2e'], fileFilters: [], expected: true },
    { projects: ['!contract'], fileFilters: ['lease'], expected: false },
    { projects: ['E2E'], fileFilters: [], expected: true },
    { projects: ['!e2e'], fileFilters: [], expected: true },
    { projects: [], fileFilters: ['test/unit'], expected: false },
    { projects: [], fileFilters: ['./test/e2e'], expected: true },
    { projects: [], fileFilters: ['lease'], expected: true },
    {
      projects: [],
      fileFilters: ['/home/me/roomcell/test/e2e/room.e2e.spec.ts:12'],
      expected: true,
    },
    { projects: ['unit'], fileFilters: ['lease'], expected: false },
    { projects: ['embedded'], fileFilters: [], expected: false },
    { projects: [], fileFilters: ['test/embedded'], expected: false },
  ])('$projects $fileFilters → $expected', ({ projects, fileFilters, expected }) => {
    expect(needsStack({ projects, fileFilters }, files)).toBe(expected);
  });
});
