/**
 * The lint walls must be able to fail: each rule meets a line that breaks it. Rules that need types
 * are left out, because the files here exist only in memory.
 */
import { join } from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const FIRST_LOAD_TIMEOUT_MS = 60_000;
const eslint = new ESLint({
  cwd: ROOT,
  overrideConfig: [tseslint.configs.disableTypeChecked],
});

async function rulesBrokenBy(path: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(ROOT, path) });
  const rules = result?.messages.map((message) => message.ruleId ?? message.message) ?? [];
  return [...new Set(rules.filter((rule) => !rule.endsWith('no-unused-vars')))];
}

/** Of the rules on syntax, only whether rounding was what they said. */
async function roundsBy(path: string, text: string): Promise<boolean> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(ROOT, path) });
  return (result?.messages ?? []).some(({ message }) => message.startsWith('A double would round'));
}

const IMPORTS = '@typescript-eslint/no-restricted-imports';

describe('lint', { timeout: FIRST_LOAD_TIMEOUT_MS }, () => {
  it.each([
    ['src/domain/a.ts', `import { x } from '../protocol/topics.ts';`, IMPORTS],
    ['src/domain/room/a.ts', `import type { X } from '../../ports/clock.ts';`, IMPORTS],
    ['src/domain/a.ts', `import { x } from 'node:crypto';`, IMPORTS],
    ['src/protocol/a.ts', `import { x } from 'node:fs';`, IMPORTS],
    ['src/cell/a.ts', `import { x } from 'kafkajs';`, IMPORTS],
    ['src/cell/lane/a.ts', `import { x } from '../../drivers/mysql/session.ts';`, IMPORTS],
    ['src/relay/a.ts', `import { x } from '../cell/lane/lane.ts';`, IMPORTS],
    ['src/adapters/im/a.ts', `import { x } from '../activity/b.ts';`, IMPORTS],
    ['src/drivers/mysql/a.ts', `import { x } from '../kafka/b.ts';`, IMPORTS],
    ['src/drivers/mysql/c/a.ts', `import { x } from '../../kafka/b.ts';`, IMPORTS],
    ['src/drivers/mysql/a.ts', `import { x } from '../../cell/b.ts';`, IMPORTS],
    ['src/domain/a.ts', 'export const f = async (): Promise<void> => {};', 'no-restricted-syntax'],
    ['src/domain/a.ts', 'export type F = Promise<void>;', 'no-restricted-syntax'],
    ['src/cell/a.ts', 'export const t = Date.now();', 'no-restricted-globals'],
    ['src/cell/a.ts', 'export const t = new Date();', 'no-restricted-globals'],
    ['src/cell/a.ts', 'export const t = globalThis.Date;', 'no-restricted-globals'],
    ['src/cell/a.ts', 'export const t = performance.now();', 'no-restricted-globals'],
    ['src/timers/a.ts', 'setTimeout(() => undefined, 1);', 'no-restricted-globals'],
    ['src/ports/a.ts', `export const p = process.env['A'];`, 'no-restricted-globals'],
    ['src/gateway/a.ts', 'export const r = Math.random();', 'no-restricted-syntax'],
    ['src/domain/a.ts', 'export const r = Math.random();', 'no-restricted-syntax'],
    ['src/protocol/a.ts', `import { randomUUID } from 'node:crypto';`, 'no-restricted-syntax'],
    ['src/cell/a.ts', `console.log('x');`, 'no-console'],
    ['src/drivers/mysql/a.ts', 'export const a = (1 as number) == 1;', 'eqeqeq'],
    ['src/main/a.ts', 'export const a: any = 1;', '@typescript-eslint/no-explicit-any'],
    ['src/main/a.ts', '\n'.repeat(401), 'max-lines'],
    [
      'src/main/a.ts',
      `export const f = (): void => {\n${'void 0;\n'.repeat(70)}};`,
      'max-lines-per-function',
    ],
    [
      'src/main/a.ts',
      'export function f(a = 1) {\n  return a;\n}',
      '@typescript-eslint/explicit-module-boundary-types',
    ],
  ])('%s may not hold %j (CFG-16, SVC-7)', async (path, text, rule) => {
    expect(await rulesBrokenBy(path, text)).toContain(rule);
  });

  it.each([
    ['src/drivers/clock/a.ts', 'export const t = Date.now();'],
    ['src/drivers/grpc/c/a.ts', `import { x } from '../generated/b.ts';`],
    ['src/drivers/mysql/a.ts', `import { x } from '../../ports/clock.ts';`],
    ['src/main/a.ts', `export const p = process.env['A'];`],
    ['src/protocol/a.ts', `import { createHash } from 'node:crypto';`],
    ['src/adapters/im/a.ts', `import { x } from '../../kernel/assert.ts';`],
    ['src/cell/lane/a.ts', `import { x } from '../registry/b.ts';`],
    ['src/cell/a.ts', 'export const f = async (): Promise<void> => {};'],
  ])('%s may hold %j', async (path, text) => {
    expect(await rulesBrokenBy(path, text)).toEqual([]);
  });

  it.each([
    ['src/domain/a.ts', 'export const n = (userId: string) => Number(userId);'],
    ['src/cell/a.ts', 'export const n = (v: { roomVersion: string }) => +v.roomVersion;'],
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => Number(row['user_id']);`],
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => Number(row['sent_coins'] ?? 0);`],
    ['src/drivers/kafka/a.ts', 'export const n = (r: Row) => Number(BigInt(r.kafkaOffset));'],
    ['src/drivers/redis/a.ts', 'export const n = (epoch: string) => Number.parseInt(epoch, 10);'],
    ['src/main/a.ts', 'export const n = (heat: string) => parseFloat(heat);'],
    ['scripts/a.ts', 'export const n = (w: { balance: bigint }) => Number(w.balance);'],
    ['bench/a.ts', 'export const n = (w: { commitSeq: bigint }) => Number(w.commitSeq);'],
  ])('%s may not make a double of 64 bits: %j (A9)', async (path, text) => {
    expect(await roundsBy(path, text)).toBe(true);
  });

  it.each([
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => Number(row['created_at_ms']);`],
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => Number(row['partition_id']);`],
    ['src/drivers/mysql/a.ts', `export const n = (r: Row) => Number(r['payload_hash_version']);`],
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => Number(row['heat_bucket']);`],
    ['src/drivers/mysql/a.ts', `export const n = (row: Row) => BigInt(row['kafka_offset']);`],
  ])('%s may hold %j, which a double holds', async (path, text) => {
    expect(await roundsBy(path, text)).toBe(false);
  });
});
