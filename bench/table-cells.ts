/** Rows and ratios of the tables in Markdown. */

/** One row. */
export function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Two digits behind the point; a dash where there is nothing to compare with. */
export function ratio(part: number, whole: number): string {
  return whole === 0 ? '–' : (part / whole).toFixed(2);
}
