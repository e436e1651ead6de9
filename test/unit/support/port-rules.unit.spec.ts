/** Every rule about ports must be able to fail. */
import { describe, expect, it } from 'vitest';
import { portViolations } from '../../support/port-rules.ts';
import type { HeldPort, PortTable } from '../../support/port-rules.ts';

const suite = 'test/contract/suites/wake-contract.ts';
const real = 'test/contract/redis.contract.spec.ts';
const twin = 'test/unit/drivers/memory/memory-wake.unit.spec.ts';
const goodFiles: Readonly<Record<string, string>> = {
  'src/ports/wake.ts': `
    export interface Hint { readonly at: number }
    interface Hidden { call(): void }
    export interface Wake { hint(): void }`,
  'src/drivers/redis/redis-wake.ts': 'export class RedisWake implements Wake { hint() {} }',
  'src/drivers/memory/memory-wake.ts': 'export class MemoryWake implements Wake { hint() {} }',
  [suite]: 'export function wakeContract() {}',
  [real]: `import { wakeContract } from './suites/wake-contract.ts'; wakeContract('Redis');`,
  [twin]: `import { wakeContract } from '../../../contract/suites/wake-contract.ts';
    wakeContract('memory');`,
};
const row: HeldPort = {
  suites: ['wake-contract'],
  real: ['contract/redis.contract.spec.ts'],
  twin: ['unit/drivers/memory/memory-wake.unit.spec.ts'],
};

/** What is wrong with the good tree after these changes; null takes a file away. */
function violations(
  changes: Readonly<Record<string, string | null>>,
  table: PortTable = { wake: row },
): string[] {
  const files = Object.entries({ ...goodFiles, ...changes }).flatMap(([path, text]) =>
    text === null ? [] : [{ path, text }],
  );
  return portViolations(files, table);
}

const memoryDriver = 'src/drivers/memory/memory-wake.ts';
const realDriver = 'src/drivers/redis/redis-wake.ts';

it('nothing is wrong with a port that has everything', () => {
  expect(violations({})).toEqual([]);
});

describe('the table', () => {
  it('must name every port, and nothing else', () => {
    expect(violations({}, {})).toEqual([
      'src/ports/wake.ts has no entry in test/contract/ports.ts',
    ]);
    expect(violations({}, { wake: row, sleep: row })).toEqual([
      'the table names the port sleep, which is no file of src/ports',
    ]);
    expect(violations({ 'src/ports/constructor.ts': '' })).toHaveLength(1);
  });

  it('must name a suite that is there', () => {
    expect(violations({}, { wake: { ...row, suites: [] } })).toEqual([
      'the port wake has no suite',
    ]);
    expect(violations({ [suite]: null })).toEqual([`${suite} (port wake) is missing`]);
  });
});

describe('each spec', () => {
  it.each([
    ['that is missing', null],
    ['that does not import the suite', `wakeContract('x');`],
    [
      'that imports it and does not call it',
      goodFiles[real]?.replace("wakeContract('Redis');", ''),
    ],
    [
      'that calls what another file exports under that name',
      `import { wakeContract } from './other.ts'; wakeContract('x');`,
    ],
    ['that only mentions it', `// import { wakeContract } … wakeContract('x')`],
  ])('%s runs no suite', (_, text) => {
    const expected = 'no real spec of the port wake runs wake-contract: ' + row.real.join();
    expect(violations({ [real]: text ?? null })).toEqual([expected]);
  });

  it('of the twin is held to the same', () => {
    expect(violations({ [twin]: '' })).toEqual([
      'no twin spec of the port wake runs wake-contract: ' + row.twin.join(),
    ]);
    expect(violations({}, { wake: { ...row, twin: [] } })).toEqual([
      'no twin spec of the port wake runs wake-contract: none is named',
    ]);
  });
});

describe('an interface with a method', () => {
  it('must have a real driver and a twin', () => {
    expect(violations({ [realDriver]: null })).toEqual([
      'src/ports/wake.ts: Wake has no real driver',
    ]);
    expect(violations({ [memoryDriver]: null })).toEqual([
      'src/ports/wake.ts: Wake has no twin in src/drivers/memory',
    ]);
    expect(violations({ [realDriver]: 'export class RedisWake { hint() {} }' })).toHaveLength(1);
    const inStage = { [realDriver]: null, 'src/cell/w.ts': 'export class W implements Wake {}' };
    expect(violations(inStage)).toHaveLength(1);
  });

  it.each([
    [
      'a class of an interface that extends it',
      'interface Closing extends Wake {} class C implements Closing {}',
    ],
    ['a class that extends such a class', 'class A extends B {} class B implements Wake {}'],
    ['a function that returns it', 'export function make(): Wake { return x; }'],
    ['a function that promises it', 'export async function make(): Promise<Wake> { return x; }'],
    [
      'what imports it under another name',
      `import type { Wake as Port } from 'x'; export function make(): Port { return x; }`,
    ],
    ['an object literal that is declared as it', 'const wake: Wake = { hint() {} };'],
  ])('is implemented by %s', (_, text) => {
    expect(violations({ [memoryDriver]: text })).toEqual([]);
  });

  it.each([
    [
      'what gives its name to something else',
      `import type { Wake as Port, Other as Wake } from 'x'; function make(): Wake { return x; }`,
    ],
    ['a parameter', 'export function use(wake: Wake) {}'],
    ['a field', 'export class Deps { readonly wake: Wake; }'],
    ['an interface alone', 'export interface Closing extends Wake {}'],
    ['a variable that only refers to one', 'const wake: Wake = given;'],
  ])('is not implemented by %s', (_, text) => {
    expect(violations({ [memoryDriver]: text })).toHaveLength(1);
  });
});

describe('an exemption', () => {
  const exempt = (reasons: Record<string, string>): PortTable => ({
    wake: { ...row, exempt: reasons },
  });

  it('needs a reason', () => {
    const changes = { [memoryDriver]: null };
    expect(violations(changes, exempt({ Wake: 'callers implement it' }))).toEqual([]);
    expect(violations(changes, exempt({ Wake: ' ' }))).toEqual([
      'src/ports/wake.ts: Wake is exempt without a reason',
    ]);
    expect(violations({}, { wake: '' })).toEqual(['src/ports/wake.ts is exempt without a reason']);
  });

  it('ends when nothing is missing any more', () => {
    expect(violations({}, exempt({ Wake: 'callers implement it' }))).toEqual([
      'src/ports/wake.ts: Wake is exempt, but has both driver and twin',
    ]);
    expect(violations({}, { wake: 'a stage implements it' })).toEqual([
      'src/ports/wake.ts is exempt, but nothing of it lacks a driver or a twin',
    ]);
    expect(violations({}, exempt({ Gone: 'callers implement it' }))).toEqual([
      'src/ports/wake.ts: Gone is exempt, but is no port',
    ]);
  });
});
