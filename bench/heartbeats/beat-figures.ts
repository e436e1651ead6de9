/** What one load of heartbeats gave and cost, and the tables that people read. */
import type { Figures } from '../figures.ts';
import { ratio, row } from '../table-cells.ts';
import type { FoldLog } from './fold-log.ts';

/** One paced load, with the same few room commands beside it as every other. */
export interface BeatLoad {
  /** How the gateway gathers; '' no heartbeats at all. */
  readonly fold: string;
  /** Null: no heartbeats. */
  readonly beats: Figures | null;
  readonly commands: Figures;
  readonly seconds: number;
  /** Processor seconds of each process in that time. */
  readonly gatewayCpuSeconds: number;
  readonly cellCpuSeconds: number;
  /** Of all processors of the machine, 0 … 1. */
  readonly machineBusy: number;
  /** On the commands topic. */
  readonly folds: FoldLog;
  /** Statements that the database counted. */
  readonly statements: number;
}

/** Heartbeats as fast as they go: callers that each wait for their answer. */
export interface BeatLimit {
  readonly what: string;
  readonly figures: Figures;
}

/** Everything that was measured in one run. */
export interface BeatResult {
  readonly at: string;
  readonly node: string;
  readonly cpus: number;
  readonly stack: string;
  readonly rooms: number;
  readonly users: number;
  readonly joinsPerSecond: number;
  readonly cellBytesPerUser: number;
  readonly cellResidentBytes: number;
  readonly loads: readonly BeatLoad[];
  readonly limits: readonly BeatLimit[];
}

const kib = 1_024;

/** The tables in Markdown. The first load is the one without heartbeats, which others are held to. */
export function beatTables(result: BeatResult): string {
  const [alone] = result.loads;
  const best = Math.max(...result.limits.map(({ figures }) => figures.perSecond));
  return [
    `${result.users} users in ${result.rooms} rooms, joined at ${result.joinsPerSecond}/s; the cell holds ` +
      `${result.cellBytesPerUser} bytes a user, ${Math.round(result.cellResidentBytes / kib / kib)} MiB in all`,
    '',
    '| Fold | heartbeats /s | p50 ms | p99 ms | gateway CPU | cell CPU | machine | records /s | users a record | KiB /s | statements /s | command p50 ms | command p99 ms | of p99 without |',
    '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|',
    ...result.loads.map((load) => row(...loadCells(load, alone ?? load))),
    '',
    '| As fast as they go | heartbeats /s | p50 ms | p99 ms | of the best |',
    '|---|--:|--:|--:|--:|',
    ...result.limits.map(({ what, figures }) =>
      row(what, figures.perSecond, figures.p50Ms, figures.p99Ms, ratio(figures.perSecond, best)),
    ),
  ].join('\n');
}

/** Calls that ended otherwise than expected; a run with any is no measurement. */
export function beatFailures({ loads, limits }: BeatResult): number {
  const all = [
    ...loads.flatMap(({ beats, commands }) => [beats, commands]),
    ...limits.map(({ figures }) => figures),
  ];
  return all.reduce((sum, figures) => sum + (figures?.failures ?? 0), 0);
}

function loadCells(load: BeatLoad, alone: BeatLoad): readonly (string | number)[] {
  const { beats, commands, seconds, folds } = load;
  const answered = (beats?.perSecond ?? 0) * seconds;
  return [
    load.fold === '' ? 'no heartbeats' : load.fold,
    beats?.perSecond ?? 0,
    beats?.p50Ms ?? '–',
    beats?.p99Ms ?? '–',
    share(load.gatewayCpuSeconds / seconds),
    share(load.cellCpuSeconds / seconds),
    share(load.machineBusy),
    Math.round(folds.records / seconds),
    folds.records === 0 ? '–' : (answered / folds.records).toFixed(1),
    Math.round(folds.bytes / kib / seconds),
    Math.round(load.statements / seconds),
    commands.p50Ms,
    commands.p99Ms,
    ratio(commands.p99Ms, alone.commands.p99Ms),
  ];
}

function share(part: number): string {
  return `${Math.round(part * 100)} %`;
}
