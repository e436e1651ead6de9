/**
 * Periods of boards: a day, an ISO week, or all time, in UTC. A period is found by the time of a
 * command, never by that of whoever counts it later (LB-3). Names are a wire format: they stand in
 * rows, in keys of Redis and in cursors.
 */
import { utcDayOf } from '../domain/rocket/utc-day.ts';
import { isoWeekOf, mondayOf } from './iso-week.ts';
import { utcDateOf } from './utc-date.ts';

/** Kinds of periods, the shortest first. */
export const boardPeriodKinds = ['day', 'week', 'all'] as const;

/** One of them. */
export type BoardPeriodKind = (typeof boardPeriodKinds)[number];

/** One period: `2026-11-30`, `2026-W49` or `all`. */
export interface BoardPeriod {
  readonly kind: BoardPeriodKind;
  readonly name: string;
}

/** A period with its bounds: times in milliseconds since 1970; null: it has none. */
export interface BoundedPeriod extends BoardPeriod {
  readonly beginsAtMs: number | null;
  /** The first moment of the next one. */
  readonly endsAtMs: number | null;
}

const dayMs = 24 * 60 * 60 * 1_000;
const daysPerWeek = 7;

/** The period that a time lies in. */
export function boardPeriodAt(kind: BoardPeriodKind, timeMs: number): BoundedPeriod {
  const day = utcDayOf(timeMs);
  if (kind === 'day') return bounded(kind, utcDateOf(timeMs), day, 1);
  if (kind === 'all') return { kind, name: 'all', beginsAtMs: null, endsAtMs: null };
  return bounded(kind, isoWeekOf(timeMs), mondayOf(day), daysPerWeek);
}

/** The one before it; null: there is none. */
export function boardPeriodBefore({ kind, beginsAtMs }: BoundedPeriod): BoundedPeriod | null {
  return beginsAtMs === null ? null : boardPeriodAt(kind, beginsAtMs - 1);
}

/** Whether a text is the name of a period of this kind. */
export function isBoardPeriodName(kind: BoardPeriodKind, name: string): boolean {
  return patterns[kind].test(name);
}

const patterns: Readonly<Record<BoardPeriodKind, RegExp>> = {
  day: /^\d{4}-\d{2}-\d{2}$/,
  week: /^\d{4}-W\d{2}$/,
  all: /^all$/,
};

function bounded(kind: 'day' | 'week', name: string, firstDay: number, days: number) {
  return { kind, name, beginsAtMs: firstDay * dayMs, endsAtMs: (firstDay + days) * dayMs };
}
