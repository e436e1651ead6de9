/** The bench as one table for people and one file for programs. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../src/main/project-root.ts';
import type { BareRows } from './bare-rows.ts';
import type { Figures } from './figures.ts';
import type { ProfileRow } from './profile.ts';
import { ratio, row } from './table-cells.ts';

/** One level of callers, both ways. */
export interface Level {
  readonly service: Figures;
  readonly pipeline: Figures;
}

/** Everything that was measured in one run. */
export interface BenchResult {
  readonly at: string;
  readonly node: string;
  readonly cpus: number;
  readonly stack: string;
  readonly levels: readonly Level[];
  /** By number of connections. */
  readonly bareRows: readonly BareRows[];
  /** By process. */
  readonly profiles: Readonly<Record<string, readonly ProfileRow[]>>;
}

/** The table in Markdown: calls a second, times, and the ratios to both limits. */
export function tableOf({ levels, bareRows }: BenchResult): string {
  const limit = Math.max(...bareRows.map(({ perSecond }) => perSecond));
  const lines = [
    '| Callers | roomcell /s | p50 ms | p99 ms | bare pipeline /s | p50 ms | of the pipeline | of the bare rows |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...levels.map(({ service, pipeline }) =>
      row(
        service.callers,
        service.perSecond,
        service.p50Ms,
        service.p99Ms,
        pipeline.perSecond,
        pipeline.p50Ms,
        ratio(service.perSecond, pipeline.perSecond),
        ratio(service.perSecond, limit),
      ),
    ),
    '',
    '| Bare rows | commands /s | best batch | batch p50 ms |',
    '|---|--:|--:|--:|',
    ...bareRows.map(({ callers, perSecond, batchSize, p50Ms }) =>
      row(`${callers} connection${callers === 1 ? '' : 's'}`, perSecond, batchSize, p50Ms),
    ),
  ];
  return lines.join('\n');
}

/** The functions that cost most, per process. */
export function profileTables({ profiles }: Pick<BenchResult, 'profiles'>): string {
  return Object.entries(profiles)
    .map(([name, rows]) =>
      [
        `| Own time in ${name} | share |`,
        '|---|--:|',
        ...rows.map((each) => row(`\`${each.name}\``, `${(each.share * 100).toFixed(1)} %`)),
      ].join('\n'),
    )
    .join('\n\n');
}

/** Writes `bench/out/<name>`; answers its path. */
export function writeResult(name: string, result: object): string {
  const folder = join(projectRoot(), 'bench', 'out');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return file;
}

/**
 * Writes `bench/out/<name>-latest.json` and adds the same as one line to `bench/out/<name>-history.jsonl`,
 * so that a machine's runs can be held against each other. Answers both paths.
 */
export function keepResult(name: string, result: object): readonly string[] {
  const latest = writeResult(`${name}-latest.json`, result);
  const history = join(dirname(latest), `${name}-history.jsonl`);
  appendFileSync(history, `${JSON.stringify(result)}\n`);
  return [latest, history];
}
