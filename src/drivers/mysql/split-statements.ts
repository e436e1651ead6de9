/**
 * Cuts the text of a migration into its statements, because one statement a call tells exactly
 * which one failed. A semicolon inside a quoted text, a quoted name or a comment cuts nothing.
 */

/** The statements of `sql` in order, trimmed, without comments between them and without `;`. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = '';
  let at = 0;
  while (at < sql.length) {
    const end = tokenEnd(sql, at);
    const token = sql.slice(at, end);
    if (token === ';') {
      if (current.trim() !== '') statements.push(current.trim());
      current = '';
    } else if (!isComment(token)) {
      current += token;
    } else if (token.startsWith('/*')) {
      // A block comment may be all that stands between two words.
      current += ' ';
    }
    at = end;
  }
  if (current.trim() !== '') statements.push(current.trim());
  return statements;
}

function isComment(token: string): boolean {
  return /^(--|#|\/\*(?!!))/.test(token);
}

/** Where the token that begins at `at` ends: a quoted piece, a comment, `;`, or one character. */
function tokenEnd(sql: string, at: number): number {
  const char = sql.charAt(at);
  if (char === "'" || char === '"' || char === '`') return quoteEnd(sql, at, char);
  if (char === '#') return lineEnd(sql, at);
  // `--` begins a comment only before white space or the end: `5--1` is arithmetic.
  if (/^--(\s|$)/.test(sql.slice(at, at + 3))) return lineEnd(sql, at);
  if (sql.startsWith('/*', at)) {
    const end = sql.indexOf('*/', at + 2);
    if (end < 0) throw new Error('a comment that begins with /* does not end');
    return end + 2;
  }
  return at + 1;
}

function lineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at);
  return end < 0 ? sql.length : end;
}

/** A doubled quote inside is read as two quoted pieces side by side, which cuts the same. */
function quoteEnd(sql: string, at: number, quote: string): number {
  for (let i = at + 1; i < sql.length; i += 1) {
    const char = sql.charAt(i);
    if (char === '\\' && quote !== '`') i += 1;
    else if (char === quote) return i + 1;
  }
  throw new Error(`a text quoted with ${quote} does not end`);
}
