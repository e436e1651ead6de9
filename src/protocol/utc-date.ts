/**
 * The day in UTC that a time lies in, as a text. Stored in rows: the text is a wire format, and sorts
 * as days follow.
 */
import { utcDayOf } from '../domain/rocket/utc-day.ts';

const daysPerEra = 146_097;
/** From 1 March of the year 0 to 1 January 1970. */
const daysToDay0 = 719_468;

/** `2026-11-30` for a time in milliseconds since 1970; until the year 9999. */
export function utcDateOf(timeMs: number): string {
  // Years that begin in March: the leap day is their last one, and months have one pattern.
  const day = utcDayOf(timeMs) + daysToDay0;
  const era = Math.floor(day / daysPerEra);
  const dayOfEra = day - era * daysPerEra;
  const leaps =
    Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return [pad(year, 4), pad(month, 2), pad(dayOfMonth, 2)].join('-');
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
