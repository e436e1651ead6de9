/**
 * Every wall must be able to fail: a checker that finds nothing proves nothing.
 */
import { describe, expect, it } from 'vitest';
import { STAGES, importsOf, layerViolations } from '../../support/layer-walls.ts';

function check(path: string, imported: string): string[] {
  return layerViolations([{ path, text: `import type { X } from '${imported}';` }]);
}

describe('layerViolations', () => {
  it.each([
    ['src/kernel/result.ts', '../domain/ids.ts', 'kernel may import none'],
    ['src/kernel/result.ts', 'node:assert', 'stay in drivers and main'],
    ['src/domain/room/state.ts', '../../protocol/topics.ts', 'domain may import kernel'],
    ['src/domain/room/state.ts', 'zod', 'stay in drivers and main'],
    ['src/protocol/records.ts', '../ports/clock.ts', 'protocol may import domain, kernel'],
    ['src/protocol/records.ts', 'node:fs', 'node:crypto'],
    ['src/ports/clock.ts', '../cell/cell.ts', 'ports may import'],
    ['src/cell/lane/lane.ts', '../../drivers/mysql/session.ts', 'cell may import owners, ports'],
    ['src/cell/lane/lane.ts', '../../relay/claim.ts', 'cell may import owners, ports'],
    ['src/relay/claim.ts', 'mysql2/promise', 'stay in drivers and main'],
    ['src/gateway/serve.ts', '@grpc/grpc-js', 'stay in drivers and main'],
    ['src/timers/wake.ts', 'node:timers/promises', 'stay in drivers and main'],
    ['src/adapters/im/deliver.ts', '../activity/deliver.ts', 'neighbours'],
    ['src/drivers/mysql/session.ts', '../kafka/consumer.ts', 'neighbours'],
    ['src/drivers/mysql/session.ts', '../../cell/lane/lane.ts', 'drivers may import'],
    ['src/drivers/mysql/session.ts', '../../main/config.ts', 'drivers may import'],
    ['src/main/cli.ts', '../../test/support/clock.ts', 'may not leave src'],
    ['src/sidecar/run.ts', '../kernel/assert.ts', 'not in layers.json'],
  ])('%s may not import %s', (path, imported, reason) => {
    expect(check(path, imported)).toEqual([
      expect.stringMatching(new RegExp(`^${path} imports .*${reason}`)),
    ]);
  });

  it.each([
    ['src/domain/room/state.ts', '../../kernel/assert.ts'],
    ['src/domain/room/state.ts', '../ids.ts'],
    ['src/protocol/codec.ts', 'avsc'],
    ['src/protocol/hash.ts', 'node:crypto'],
    ['src/cell/lane/lane.ts', '../registry/registry.ts'],
    ['src/cell/lane/lane.ts', '../../ports/clock.ts'],
    ['src/adapters/im/deliver.ts', '../deduplicate.ts'],
    ['src/drivers/mysql/session.ts', 'mysql2'],
    ['src/drivers/mysql/session.ts', './pool.ts'],
    ['src/main/cli.ts', '../drivers/mysql/session.ts'],
    ['scripts/run-tests.ts', '../src/cell/lane/lane.ts'],
  ])('%s may import %s', (path, imported) => {
    expect(check(path, imported)).toEqual([]);
  });

  it('knows the stages', () => {
    expect(STAGES).toEqual(['gateway', 'cell', 'relay', 'adapters', 'projections', 'timers']);
  });
});

describe('importsOf', () => {
  it.each([
    `import a from 'found';`,
    `import { a } from "found";`,
    `import type { A } from 'found';`,
    `import { type A } from 'found';`,
    `import 'found';`,
    `export * from 'found';`,
    `export type { A } from 'found';`,
    `import {\n  a,\n  b,\n} from 'found';`,
    `const a = await import('found');`,
    `type A = import('found').A;`,
    'const a = import(`found`);',
  ])('sees %j', (text) => {
    expect(importsOf(text)).toEqual(['found']);
  });

  it('sees no import in comments and strings', () => {
    expect(importsOf(`// import 'x';\nconst a = "import 'x'";\nconst from = 'y';`)).toEqual([]);
  });
});
