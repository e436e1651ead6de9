/** The table of metrics in Markdown, as `docs/metrics.md` holds it. */
import { metricTable } from './metric-table.ts';

/** One row per metric, in the order of the table. */
export function metricTableMarkdown(): string {
  const rows = Object.entries(metricTable).map(([name, { kind, labels, about }]) => {
    const shownLabels = labels.length === 0 ? '' : `\`${labels.join(', ')}\``;
    return `| \`roomcell_${name}\` | ${kind} | ${shownLabels} | ${about} |`;
  });
  return ['| Name | Kind | Labels | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}
