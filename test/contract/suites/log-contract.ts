/** What every Log must do. */
import { describe, expect, it } from 'vitest';
import type { Log, LogFields } from '../../../src/ports/log.ts';

/** A log that writes all levels, and what it has written. */
export interface LogFixture {
  readonly log: Log;
  /** Oldest first; `fields` are those of the line, of the children and of the base. */
  lines(): readonly {
    readonly level: string;
    readonly message: string;
    readonly fields: LogFields;
  }[];
}

/** Declares the suite. */
export function logContract(name: string, makeFixture: () => LogFixture): void {
  describe(`Log contract: ${name}`, () => {
    it('writes level, message and fields of each line, in order', () => {
      const { log, lines } = makeFixture();
      for (const level of ['debug', 'info', 'warn', 'error'] as const) {
        log[level]({ room_id: 'r1', tries: 3 }, `said at ${level}`);
      }
      expect(lines()).toEqual(
        ['debug', 'info', 'warn', 'error'].map((level) => ({
          level,
          message: `said at ${level}`,
          fields: { room_id: 'r1', tries: 3 },
        })),
      );
    });

    it('puts the fields of a child into its lines and into nobody else’s', () => {
      const { log, lines } = makeFixture();
      const cell = log.child({ role: 'cell', node: 'n1' });
      cell.child({ room_id: 'r1' }).info({ node: 'n2' }, 'grandchild');
      cell.info({}, 'child');
      log.info({}, 'parent');
      expect(lines().map(({ fields }) => fields)).toEqual([
        { role: 'cell', node: 'n2', room_id: 'r1' },
        { role: 'cell', node: 'n1' },
        {},
      ]);
    });

    it('writes a bigint as decimal text, with every digit, however deep it lies', () => {
      const { log, lines } = makeFixture();
      const version = 9_007_199_254_740_993n;
      log.child({ epoch: version }).info({ version, deep: [{ version }] }, 'x');
      expect(lines()[0]?.fields).toEqual({
        epoch: '9007199254740993',
        version: '9007199254740993',
        deep: [{ version: '9007199254740993' }],
      });
    });

    it('keeps what a field was when the line was written', () => {
      const { log, lines } = makeFixture();
      const changing = { rooms: [1] };
      const child = log.child({ changing });
      log.info({ changing }, 'x');
      changing.rooms.push(2);
      child.info({}, 'y');
      expect(lines().map(({ fields }) => fields)).toEqual([
        { changing: { rooms: [1] } },
        { changing: { rooms: [1] } },
      ]);
    });

    it('tells an error with its message and its cause', () => {
      const { log, lines } = makeFixture();
      log.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'x');
      expect(lines()[0]?.fields).toMatchObject({
        error: { message: 'outer', cause: { message: 'inner' } },
      });
    });

    it('never throws, whatever a field holds, and still writes the line', () => {
      const { log, lines } = makeFixture();
      const circle: Record<string, unknown> = {};
      circle['self'] = circle;
      const hostile: readonly unknown[] = [
        circle,
        Symbol('s'),
        () => undefined,
        Number.NaN,
        new Date(Number.NaN),
        Object.create(null),
        new Proxy({}, { ownKeys: () => raise('no keys') }),
        {
          get value(): never {
            return raise('no value');
          },
        },
        { toJSON: () => raise('no JSON') },
      ];
      for (const value of hostile) {
        log.info({ value }, 'survived');
        log.child({ value }).info({}, 'survived');
      }
      expect(lines().map(({ message }) => message)).toEqual(
        Array.from({ length: 2 * hostile.length }, () => 'survived'),
      );
    });
  });
}

function raise(message: string): never {
  throw new Error(message);
}
