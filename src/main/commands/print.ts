/** What commands print: text and tables for people, JSON for programs (bigint as decimal text). */

/** Prints `value` as JSON when asked for, else the text. */
export function printJsonOr(
  options: { readonly json?: boolean },
  value: unknown,
  text: () => string,
): void {
  console.log(options.json === true ? jsonOf(value) : text());
}

/** JSON on several lines. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_, entry: unknown) => (typeof entry === 'bigint' ? entry.toString() : entry),
    2,
  );
}

/** Text of others on one line: line ends and control codes would spoil a table. */
export function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}

/** A wall clock's time for people, in UTC. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A table with aligned columns; numbers to the right. The first row holds the titles. */
export function tableOf(rows: readonly (readonly (string | number | bigint)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? '').length)),
  );
  const line = (row: readonly (string | number | bigint)[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return typeof cell === 'string' ? cell.padEnd(width) : String(cell).padStart(width);
      })
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
