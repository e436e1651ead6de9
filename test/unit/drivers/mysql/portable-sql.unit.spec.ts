/**
 * No statement is for one server only. The suites run on MariaDB; this is what keeps MySQL 8.4
 * possible between runs on it, and the other way round.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitStatements } from '../../../../src/drivers/mysql/split-statements.ts';
import {
  portabilityFaults,
  sqlRules,
  sqlTextsOf,
  type SqlText,
} from '../../../support/portable-sql.ts';

/** A text that each rule must refuse, under the rule's name. */
const refused: Readonly<Record<string, string>> = {
  'row alias in an upsert': 'INSERT INTO t (a) VALUES (1) AS new ON DUPLICATE KEY UPDATE a = new.a',
  RETURNING: 'DELETE FROM t WHERE a = 1 RETURNING a',
  'VALUES ROW()': 'SELECT * FROM (VALUES ROW(1, 2)) AS v',
  'WITH before UPDATE or DELETE': 'WITH c AS (SELECT 1 AS a) UPDATE t, c SET t.a = c.a',
  'SET STATEMENT': 'SET STATEMENT lock_wait_timeout = 1 FOR DROP TABLE t',
  LATERAL: 'SELECT * FROM t, LATERAL (SELECT t.a) AS d',
  'LIMIT in an IN subquery': 'SELECT a FROM t WHERE a IN (SELECT b FROM u LIMIT 5)',
  'FETCH FIRST': 'SELECT a FROM t ORDER BY a FETCH FIRST 5 ROWS ONLY',
  'EXPLAIN ANALYZE': 'EXPLAIN ANALYZE SELECT 1',
  'ANALYZE of a statement': 'ANALYZE FORMAT=JSON SELECT 1',
  'FOR SHARE': 'SELECT a FROM t FOR SHARE',
  'FOR UPDATE OF': 'SELECT a FROM t, u FOR UPDATE OF t',
  'FOR UPDATE WAIT': 'SELECT a FROM t FOR UPDATE WAIT 5',
  'a shared lock that skips': 'SELECT a FROM t LOCK IN SHARE MODE SKIP LOCKED',
  '@@transaction_isolation': 'SELECT @@transaction_isolation',
  '@@tx_isolation': 'SELECT @@tx_isolation',
  'JSON arrows': "SELECT a->>'$.b' FROM t",
  'MEMBER OF': "SELECT 1 FROM t WHERE 'x' MEMBER OF (tags)",
  'CAST AS JSON': 'SELECT CAST(a AS JSON) FROM t',
  'multi-valued index':
    'ALTER TABLE t ADD INDEX i (a, b), ADD c INT AS (CAST(a AS UNSIGNED ARRAY))',
  'JSON functions of MySQL': 'SELECT JSON_STORAGE_SIZE(a) FROM t',
  'JSON functions of MariaDB': "SELECT JSON_EXISTS(a, '$.b') FROM t",
  REGEXP_LIKE: "SELECT 1 FROM t WHERE REGEXP_LIKE(a, 'b')",
  'UUID functions': 'SELECT BIN_TO_UUID(a) FROM t',
  'SET PERSIST': 'SET PERSIST max_connections = 500',
  'time limit of MySQL': 'SET SESSION max_execution_time = 1000',
  'time limit of MariaDB': 'SET SESSION max_statement_time = 1',
  'snapshot isolation of MariaDB': 'SET SESSION innodb_snapshot_isolation = ON',
  sequences: 'SELECT NEXTVAL(s)',
  'functional index': 'CREATE INDEX i ON t (a, (LOWER(b)))',
  'JSON column': 'ALTER TABLE t ADD (\n  tags JSON NULL)',
  'UUID and INET columns': 'ALTER TABLE t ADD (\n  id UUID NOT NULL)',
  'TIMESTAMP column': 'ALTER TABLE t ADD (\n  at TIMESTAMP NOT NULL)',
  'collation of MySQL': 'ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci',
  'collation of MariaDB': 'ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE uca1400_ai_ci',
  'unnamed collation': 'CREATE TABLE t (\n  a CHAR(4) COLLATE ascii_bin NOT NULL\n) ENGINE=InnoDB',
  'default of a BLOB or TEXT': "ALTER TABLE t ADD a TEXT NOT NULL DEFAULT ''",
  'CHECK that is not enforced': 'ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT ENFORCED',
  'DROP CHECK': 'ALTER TABLE t DROP CHECK c',
  'index that is not seen': 'ALTER TABLE t ADD KEY k (a) INVISIBLE',
  'forced algorithm': 'ALTER TABLE t ADD a INT NULL, ALGORITHM=INSTANT',
  'system versioning': 'ALTER TABLE t ADD SYSTEM VERSIONING',
  'IF EXISTS inside ALTER, IF NOT EXISTS of an index':
    'ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT',
  'CREATE OR REPLACE TABLE': 'CREATE OR REPLACE TABLE t (a INT) COLLATE=utf8mb4_bin',
  'column named by a word of MariaDB': 'ALTER TABLE t ADD (\n  offset BIGINT NOT NULL)',
  'column named by a word of MySQL': 'ALTER TABLE t ADD (\n  rank INT NOT NULL)',
  'comment that one server runs': 'SELECT /*!80000 1 */ 2',
};

/** What both take, however near it comes to the above. */
const taken = [
  'INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE a = VALUES(a)',
  "INSERT INTO t (a) VALUES ('RETURNING FOR SHARE a->b')",
  'SELECT id FROM t WHERE id IN (?) ORDER BY id LIMIT 5 FOR UPDATE SKIP LOCKED',
  'SELECT id FROM t FOR UPDATE NOWAIT',
  'SELECT id FROM t LOCK IN SHARE MODE',
  'WITH c AS (SELECT 1 AS a) SELECT a FROM c',
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SELECT GET_LOCK('a', 1), JSON_CONTAINS(tags, ?), JSON_UNQUOTE(JSON_EXTRACT(tags, ?))",
  'CREATE TABLE t (\n  a INT NOT NULL,\n  b TEXT NULL,\n  c TEXT DEFAULT (UUID()),\n' +
    '  kafka_offset BIGINT NOT NULL,\n  gift_rank INT NOT NULL,\n  PRIMARY KEY (a),\n' +
    '  KEY k (a, b(20) DESC)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
  'UPDATE t SET a = 1 ORDER BY b LIMIT 1 OFFSET 2',
];

function projectSql(): SqlText[] {
  const migrations = readdirSync('migrations').flatMap((name) =>
    splitStatements(readFileSync(join('migrations', name), 'utf8')).map((sql, index) => ({
      at: `migrations/${name}, statement ${index + 1}`,
      sql,
    })),
  );
  const folder = 'src/drivers/mysql';
  const drivers = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => sqlTextsOf(`${folder}/${name}`, readFileSync(join(folder, name), 'utf8')));
  return [...migrations, ...drivers];
}

describe('the project’s SQL', () => {
  const texts = projectSql();

  it('is found: in migrations, and in the drivers over their pluses and templates', () => {
    expect(texts.filter(({ sql }) => sql.startsWith('CREATE TABLE')).length).toBeGreaterThan(5);
    const upsert = texts.find(({ sql }) => sql.startsWith('INSERT INTO room_list_entries'));
    expect(upsert?.sql).toMatch(/VALUES \? ON DUPLICATE KEY UPDATE/);
    expect(texts.some(({ sql }) => sql.includes('FOR UPDATE SKIP LOCKED'))).toBe(true);
  });

  it('is taken by MySQL 8.4 and MariaDB 10.11 alike', () => {
    expect(portabilityFaults(texts)).toEqual([]);
  });
});

describe('a rule of portable SQL', () => {
  it('has a text that shows it', () => {
    expect(Object.keys(refused).sort()).toEqual(sqlRules.map(({ name }) => name).sort());
  });

  it.each(Object.entries(refused))('refuses %s, and no other does', (name, sql) => {
    const faults = portabilityFaults([{ at: 'here', sql }]);
    expect(faults).toEqual([expect.stringContaining(`here: ${name}. `)]);
  });

  it.each(taken)('takes %s', (sql) => {
    expect(portabilityFaults([{ at: 'here', sql }])).toEqual([]);
  });

  it('sees a statement that a file puts together', () => {
    const source = "const sql = `SELECT ${columns} FROM t ` + (isFirst ? '' : 'x') + 'FOR SHARE';";
    expect(portabilityFaults(sqlTextsOf('a.ts', source))).toEqual([
      expect.stringContaining('a.ts:1: FOR SHARE'),
    ]);
  });
});
