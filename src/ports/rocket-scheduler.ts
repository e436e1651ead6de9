/**
 * Somebody outside who wakes rooms when the countdown of their rocket is over (ROCKET-5, CFG-8). A
 * wake-up is a hint: it makes the owner look at the room's deadlines and decides nothing. The room's
 * own deadline is the net below it, so every loss is fine, and so is a wake-up that comes twice.
 */
import type { RoomKey } from '../domain/ids.ts';

/** One room that is to be looked at. */
export interface RocketWake {
  readonly roomKey: RoomKey;
  readonly roundNo: bigint;
  readonly launchAtMs: number;
}

/** Wakes that are kept, over all rooms; the latest leave first. */
export const rocketWakesMax = 100_000;

/** A wake-up that nobody took so long after its time is dropped: the room has launched by itself. */
export const rocketWakeKeptMs = 60_000;

/** No method throws; each ends within its own short limit. */
export interface RocketLaunchScheduler {
  /**
   * Asks for a wake-up. Idempotent per (room, round): the first time named for a round stands. False:
   * it could not be reached, and nobody will be woken by it.
   */
  schedule(wake: RocketWake): Promise<boolean>;
  /** Wakes whose time has come by `nowMs`, the earliest first, `limit` at most; none while away. */
  due(nowMs: number, limit: number): Promise<readonly RocketWake[]>;
  /** The room is awake: its wake-up comes no more, and may be asked for anew. */
  done(wake: RocketWake): Promise<void>;
  stop(): Promise<void>;
}
