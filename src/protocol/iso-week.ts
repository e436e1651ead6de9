/**
 * The ISO week in UTC that a time lies in (LB-3): a week begins on Monday at 00:00 UTC and belongs to
 * the year of its Thursday. Stored in rows: the text is a wire format, and sorts as weeks follow.
 */
import { utcDayOf } from '../domain/rocket/utc-day.ts';

/** Day 0 is 1970-01-01, a Thursday. */
const daysFromMondayToDay0 = 3;

/** `2026-W49` for a time in milliseconds since 1970. */
export function isoWeekOf(timeMs: number): string {
  const thursday = mondayOf(utcDayOf(timeMs)) + 3;
  const year = yearOf(thursday);
  const week = 1 + Math.floor((thursday - firstDayOf(year)) / 7);
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** The first day of the week in which a day lies; days are counted as `utcDayOf` does. */
export function mondayOf(day: number): number {
  return day - ((((day + daysFromMondayToDay0) % 7) + 7) % 7);
}

/** The year in which a day lies. */
function yearOf(day: number): number {
  // The guess is a year off at most, on days next to New Year.
  const guess = 1970 + Math.floor(day / 365.2425);
  if (firstDayOf(guess) > day) return guess - 1;
  return firstDayOf(guess + 1) <= day ? guess + 1 : guess;
}

/** The day of 1 January. */
function firstDayOf(year: number): number {
  return 365 * (year - 1970) + leapDaysBefore(year) - leapDaysBefore(1970);
}

function leapDaysBefore(year: number): number {
  const last = year - 1;
  return Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400);
}
