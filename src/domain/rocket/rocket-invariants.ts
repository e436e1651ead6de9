/** What must hold of a room's rocket after every command (INV-23). */
import { topGiftSendersMax } from '../gift/gift-limits.ts';
import { compareGiftSenders } from '../gift/gift-rank.ts';
import type { RoomState } from '../room/state.ts';
import { fuelMax } from './rocket-rules.ts';

/** The first broken rule as a sentence for the log, or null. */
export function checkRocket({ rocket, lastEventAtMs }: RoomState): string | null {
  if (rocket === null) return null;
  const { roundNo, level, fuel, fuelTarget, ignition, contributors, startedAtMs } = rocket;
  if (roundNo < 1n || level < 1) return 'rounds and levels of a rocket are counted from 1';
  if (fuel < 0n || fuel > fuelMax) return 'fuel is a number within 63 bits';
  if (startedAtMs > lastEventAtMs) return 'no round of a rocket starts in the future';
  if (ignition !== null) {
    if (fuel !== fuelTarget) return 'an ignited rocket is full, and no more than that (ROCKET-3)';
    if (ignition.launchAtMs <= ignition.ignitedAtMs) return 'a rocket launches after it ignited';
    if (ignition.carriedFuel < 0n || ignition.carriedFuel > fuelMax) return 'fuel is carried';
  }
  if (contributors.length > topGiftSendersMax) return 'the contributors of a round are bounded';
  for (const [index, contributor] of contributors.entries()) {
    const above = contributors[index - 1];
    if (above !== undefined && compareGiftSenders(above, contributor) >= 0) {
      return 'contributors stand in rank order';
    }
    // Not held against the room's heat: gifts of robots may fuel a rocket and count nowhere else (ROCKET-9).
    if (contributor.coins < 1n || contributor.coins > fuelMax) {
      return 'every contributor has given coins, within 63 bits';
    }
  }
  return null;
}
