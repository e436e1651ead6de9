/**
 * SQL that both MySQL 8.4 and MariaDB 10.11 take and mean alike. Each rule names a construct, who
 * refuses it (or that the two differ in silence) and what to write instead. `VALUES(column)` in an
 * upsert is the one thing kept against advice: MySQL calls it deprecated since 8.0.20 and takes it
 * in 8.4, and what replaces it is unknown to MariaDB.
 */
import ts from 'typescript';

/** A construct that one of the servers does not take. */
export interface SqlRule {
  readonly name: string;
  /** Which server refuses it and which takes it since when; `differs` when both take it. */
  readonly refusal: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

/** A statement, or a piece of one, and where it stands. */
export interface SqlText {
  readonly at: string;
  readonly sql: string;
}

const noMariadb = (mysqlSince: string): string =>
  `MariaDB 10.11 refuses it; MySQL takes it since ${mysqlSince}`;
const noMysql = (mariadbSince: string): string =>
  `MySQL 8.4 refuses it; MariaDB takes it since ${mariadbSince}`;
/** The beginning of a column's definition, where its name stands. */
const column = String.raw`(?:^|[(,])\s*`;

function rule(name: string, refusal: string, pattern: RegExp, instead: string): SqlRule {
  return { name, refusal, pattern, instead };
}

/** See the file header. */
export const sqlRules: readonly SqlRule[] = [
  // Writing
  rule(
    'row alias in an upsert',
    noMariadb('8.0.19'),
    /\)\s*AS\s+\w+(\s*\([^)]*\))?\s+ON\s+DUPLICATE/i,
    'VALUES(column)',
  ),
  rule(
    'RETURNING',
    noMysql('10.0 (DELETE), 10.5 (INSERT)'),
    /\bRETURNING\b/i,
    'insertId, or a read in the same transaction',
  ),
  rule('VALUES ROW()', noMariadb('8.0.19'), /\bVALUES\s+ROW\s*\(/i, 'a derived table of SELECTs'),
  rule(
    'WITH before UPDATE or DELETE',
    noMariadb('8.0.1'),
    /\bWITH\b[^;]*\)\s*(UPDATE|DELETE)\b/i,
    'a join with a derived table',
  ),
  rule('SET STATEMENT', noMysql('10.1.2'), /\bSET\s+STATEMENT\b/i, 'SET SESSION, and back'),
  // Reading
  rule('LATERAL', noMariadb('8.0.14'), /\bLATERAL\b/i, 'a join with a derived table'),
  rule(
    'LIMIT in an IN subquery',
    'both refuse it (MySQL 8.4: error 1235)',
    /\bIN\s*\(\s*SELECT\b[^()]*\bLIMIT\b/i,
    'a join with a derived table',
  ),
  rule('FETCH FIRST', noMysql('10.6'), /\bFETCH\s+(FIRST|NEXT)\b/i, 'LIMIT'),
  rule('EXPLAIN ANALYZE', noMariadb('8.0.18'), /\bEXPLAIN\s+ANALYZE\b/i, 'EXPLAIN'),
  rule(
    'ANALYZE of a statement',
    noMysql('10.1'),
    /(?<!EXPLAIN\s)\bANALYZE\s+(FORMAT|SELECT|UPDATE|DELETE)\b/i,
    'EXPLAIN',
  ),
  // Locking and isolation
  rule('FOR SHARE', noMariadb('8.0.1'), /\bFOR\s+SHARE\b/i, 'LOCK IN SHARE MODE'),
  rule(
    'FOR UPDATE OF',
    noMariadb('8.0.1'),
    /\bFOR\s+UPDATE\s+OF\b/i,
    'FOR UPDATE over a query of that table alone',
  ),
  rule(
    'FOR UPDATE WAIT',
    noMysql('10.3'),
    /\bFOR\s+UPDATE\s+WAIT\b/i,
    'innodb_lock_wait_timeout of the session',
  ),
  rule(
    'a shared lock that skips',
    noMysql('10.6'),
    /\bLOCK\s+IN\s+SHARE\s+MODE\s+(SKIP|NOWAIT|WAIT)\b/i,
    'FOR UPDATE SKIP LOCKED',
  ),
  rule(
    '@@transaction_isolation',
    'MariaDB 10.11 refuses it (takes it since 11.1); MySQL takes it since 5.7.20',
    /\btransaction_(isolation|read_only)\b/i,
    'SET SESSION TRANSACTION ISOLATION LEVEL',
  ),
  rule(
    '@@tx_isolation',
    'MySQL refuses it since 8.0.3; MariaDB takes it',
    /\btx_(isolation|read_only)\b/i,
    'SET SESSION TRANSACTION ISOLATION LEVEL',
  ),
  // Functions, operators, variables
  rule('JSON arrows', noMariadb('5.7.9, 5.7.13'), /[\w`]\s*->>?/, 'JSON_UNQUOTE(JSON_EXTRACT(…))'),
  rule('MEMBER OF', noMariadb('8.0.17'), /\bMEMBER\s+OF\b/i, 'JSON_CONTAINS'),
  rule('CAST AS JSON', noMariadb('5.7.8'), /\bAS\s+JSON\b/i, 'JSON_EXTRACT, or a text'),
  rule(
    'multi-valued index',
    noMariadb('8.0.17'),
    /\bAS\s+[\w\s()]+\bARRAY\s*\)/i,
    'a table of its own',
  ),
  rule(
    'JSON functions of MySQL',
    noMariadb('5.7.22 to 8.0.17'),
    /\bJSON_(SCHEMA_VALID\w*|STORAGE_\w+)\s*\(/i,
    'code',
  ),
  rule(
    'JSON functions of MariaDB',
    noMysql('10.2 to 10.7'),
    /\bJSON_(EXISTS|COMPACT|DETAILED|LOOSE|QUERY|EQUALS|NORMALIZE)\s*\(/i,
    'JSON_EXTRACT, JSON_CONTAINS',
  ),
  rule('REGEXP_LIKE', noMariadb('8.0.4'), /\bREGEXP_LIKE\b/i, 'REGEXP'),
  rule(
    'UUID functions',
    noMariadb('8.0.0'),
    /\b(UUID_TO_BIN|BIN_TO_UUID|IS_UUID)\b/i,
    'BINARY(16) or CHAR(36) from the program',
  ),
  rule(
    'SET PERSIST',
    noMariadb('8.0.0'),
    /\bSET\s+(PERSIST|PERSIST_ONLY)\b/i,
    'the server’s configuration',
  ),
  rule(
    'time limit of MySQL',
    noMariadb('5.7.8'),
    /\bmax_execution_time\b/i,
    'a time limit of the driver',
  ),
  rule(
    'time limit of MariaDB',
    noMysql('10.1.1'),
    /\bmax_statement_time\b/i,
    'a time limit of the driver',
  ),
  rule(
    'snapshot isolation of MariaDB',
    noMysql('10.6.18'),
    /\binnodb_snapshot_isolation\b/i,
    'READ COMMITTED and a compare-and-set',
  ),
  rule(
    'sequences',
    noMysql('10.3'),
    /\b(SEQUENCE|NEXTVAL|LASTVAL)\b/i,
    'AUTO_INCREMENT, or a counter row',
  ),
  // Tables
  rule(
    'functional index',
    noMariadb('8.0.13'),
    /\b(KEY|INDEX)\b[^(),;]*\(\s*(\w+\s*,\s*)*\(/i,
    'a generated column and an index on it',
  ),
  rule(
    'JSON column',
    'differs: MariaDB’s is LONGTEXT, so the driver gives text there and an object on MySQL',
    new RegExp(`${column}\\w+\\s+JSON\\b`, 'im'),
    'TEXT or BLOB, parsed by the program',
  ),
  rule(
    'UUID and INET columns',
    noMysql('10.7 (UUID), 10.5 (INET6), 10.10 (INET4)'),
    new RegExp(`${column}\\w+\\s+(UUID|INET4|INET6)\\b`, 'im'),
    'BINARY(16) or CHAR(36)',
  ),
  rule(
    'TIMESTAMP column',
    'differs: range, default and change on update',
    new RegExp(`${column}\\w+\\s+TIMESTAMP\\b`, 'im'),
    'BIGINT milliseconds, or DATETIME(3)',
  ),
  rule(
    'collation of MySQL',
    'MariaDB 10.11 refuses it (a part is known since 11.4.5); MySQL takes it since 8.0.1',
    /\butf8mb4_\w*0900\w*/i,
    'utf8mb4_bin, ascii_bin',
  ),
  rule('collation of MariaDB', noMysql('10.10'), /\w*uca1400\w*/i, 'utf8mb4_bin, ascii_bin'),
  rule(
    'unnamed collation',
    'differs: each server, and each configuration, has its own default',
    /\bCREATE\s+TABLE\b(?!.*\)\s*[^)]*\bCOLLATE\b\s*=)/is,
    'DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin',
  ),
  rule(
    'default of a BLOB or TEXT',
    noMysql('10.2.1'),
    /\b(TINY|MEDIUM|LONG)?(BLOB|TEXT)\b[^,()]*\bDEFAULT\s+(?!NULL\b|\()/i,
    'no default, or a VARCHAR',
  ),
  rule('CHECK that is not enforced', noMariadb('8.0.16'), /\bNOT\s+ENFORCED\b/i, 'no CHECK'),
  rule('DROP CHECK', noMariadb('8.0.16'), /\bDROP\s+CHECK\b/i, 'DROP CONSTRAINT'),
  rule(
    'index that is not seen',
    `${noMariadb('8.0.0')} (there: IGNORED)`,
    /\b(KEY|INDEX)\b[^,;]*\b(INVISIBLE|VISIBLE|IGNORED)\b/i,
    'the index, or none',
  ),
  rule(
    'forced algorithm',
    'differs: what INSTANT and INPLACE can do',
    /\bALGORITHM\s*=/i,
    'plain DDL',
  ),
  rule('system versioning', noMysql('10.3'), /\bSYSTEM\s+VERSIONING\b/i, 'a table of history'),
  rule(
    'IF EXISTS inside ALTER, IF NOT EXISTS of an index',
    noMysql('10.0.2'),
    /\b(ADD|DROP|MODIFY|CHANGE)\s+((UNIQUE|COLUMN|INDEX|KEY)\s+)*IF\b|\bCREATE\s+(UNIQUE\s+)?INDEX\s+IF\b/i,
    'a migration that runs once',
  ),
  rule(
    'CREATE OR REPLACE TABLE',
    noMysql('10.0.8'),
    /\bCREATE\s+OR\s+REPLACE\s+TABLE\b/i,
    'DROP TABLE IF EXISTS, CREATE TABLE',
  ),
  rule(
    'column named by a word of MariaDB',
    'MariaDB 10.11 refuses it: reserved since 10.6 (OFFSET), 10.5 (RETURNING)',
    new RegExp(`${column}(OFFSET|RETURNING)\\s+[A-Z]+`, 'im'),
    'a longer name: kafka_offset',
  ),
  rule(
    'column named by a word of MySQL',
    'MySQL refuses it: reserved since 8.0',
    new RegExp(
      `${column}(RANK|GROUPS|SYSTEM|WINDOW|LEAD|LAG|EMPTY|FUNCTION|ROW_NUMBER|FIRST_VALUE|LAST_VALUE|OF)\\s+[A-Z]+`,
      'im',
    ),
    'a longer name',
  ),
  rule(
    'comment that one server runs',
    'differs: that is what it is for',
    /\/\*M?!/,
    'the same text for both',
  ),
];

/** One sentence per construct that not both servers take. */
export function portabilityFaults(texts: readonly SqlText[]): string[] {
  return texts.flatMap(({ at, sql }) => {
    const bare = withoutTexts(sql);
    return sqlRules
      .filter(({ pattern }) => pattern.test(bare))
      .map(({ name, refusal, instead }) => `${at}: ${name}. ${refusal}. Write ${instead}.`);
  });
}

/** Quoted texts are data, and may hold anything. */
function withoutTexts(sql: string): string {
  return sql.replace(/'(?:[^'\\]|\\.|'')*'/g, "''");
}

/**
 * The SQL in a TypeScript file: each text, put together over `+` and with `?` for what a template
 * fills in, that has a word of SQL in capitals.
 */
export function sqlTextsOf(path: string, source: string): SqlText[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: SqlText[] = [];
  const visit = (node: ts.Node): void => {
    const sql = textOf(node);
    if (sql === undefined) {
      ts.forEachChild(node, visit);
      return;
    }
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (wordsOfSql.test(sql)) found.push({ at: `${path}:${line}`, sql });
  };
  visit(file);
  return found;
}

const wordsOfSql =
  /\b(SELECT|INSERT|UPDATE|DELETE|REPLACE|SET|SHOW|CREATE|ALTER|DROP|FROM|WHERE|VALUES|ORDER BY|LIMIT|FOR|LOCK|WITH|JOIN|JSON_\w+|AND|OR|IN)\b/;

/** Undefined for an expression that is no text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `?${literal.text}`).join('');
  }
  const isSum = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
  if (!isSum) return undefined;
  const parts = [textOf(node.left), textOf(node.right)];
  return parts.every((part) => part === undefined)
    ? undefined
    : parts.map((part) => part ?? '?').join('');
}
