/** Where a migration's text is cut. */
import { describe, expect, it } from 'vitest';
import { splitStatements } from '../../../../src/drivers/mysql/split-statements.ts';

describe('splitting a migration into statements', () => {
  it.each([
    ['two statements', 'SELECT 1; SELECT 2;', ['SELECT 1', 'SELECT 2']],
    ['a last one without its semicolon', 'SELECT 1;\nSELECT 2\n', ['SELECT 1', 'SELECT 2']],
    ['empty ones', ';;\n;SELECT 1;;', ['SELECT 1']],
    ['a semicolon in a text', "INSERT INTO t VALUES ('a;b');", ["INSERT INTO t VALUES ('a;b')"]],
    ['a doubled quote', "SELECT 'it''s; one';", ["SELECT 'it''s; one'"]],
    ['an escaped quote', "SELECT 'it\\'s; one'; SELECT 2", ["SELECT 'it\\'s; one'", 'SELECT 2']],
    ['a quoted name', 'SELECT `a;b` FROM "c;d";', ['SELECT `a;b` FROM "c;d"']],
    ['a backslash in a quoted name', 'SELECT `a\\`; SELECT 2', ['SELECT `a\\`', 'SELECT 2']],
    ['comments of a line', '-- a; b\nSELECT 1; # c; d\nSELECT 2;', ['SELECT 1', 'SELECT 2']],
    ['a comment within a statement', 'SELECT 1 -- one; \n + 2;', ['SELECT 1 \n + 2']],
    ['a block comment', 'SELECT/* a; b */1; /* c; */', ['SELECT 1']],
    ['two minus signs', 'SELECT 5--1;', ['SELECT 5--1']],
    ['a comment that is nothing else', '-- nothing\n', []],
  ])('%s', (_what, sql, statements) => {
    expect(splitStatements(sql)).toEqual(statements);
  });

  it.each(["SELECT 'open", 'SELECT `open', 'SELECT 1 /* open'])('refuses %s', (sql) => {
    expect(() => splitStatements(sql)).toThrow('does not end');
  });
});
