/** Waits, in bounded time, until each destination has exactly what the written list says. */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import { imGroupId } from '../../protocol/im-group-id.ts';
import { differences } from './compare-events.ts';
import {
  sampleDestinations,
  type ExpectedEvents,
  type SampleDestination,
} from './expected-events.ts';
import { readArrived } from './sandbox-record.ts';

const pollMs = 100;
/** An event too many may come after the last expected one: equality must hold this long. */
const mustHoldMs = 500;

/** What still differs, per destination, when the wait was over; empty lists are equality. */
export type Outcome = Readonly<Record<SampleDestination, readonly string[]>>;

/** Never longer than `limitMs` and one poll; throws when the sandbox cannot be asked. */
export async function awaitDelivery(
  expected: ExpectedEvents,
  options: {
    readonly controlUrl: string;
    readonly appCode: string;
    readonly roomId: string;
    readonly limitMs: number;
    readonly clock: Clock;
    readonly timers: Timers;
    readonly signal: AbortSignal;
  },
): Promise<Outcome> {
  const { appCode, roomId, clock, timers, signal } = options;
  const groupId = imGroupId(appCode as AppCode, roomId as RoomId);
  const untilMs = clock.monoMs() + options.limitMs;
  let equalSinceMs: number | null = null;
  for (;;) {
    const outcome: Record<SampleDestination, readonly string[]> = { im: [], activity: [], rtc: [] };
    for (const destination of sampleDestinations) {
      const room = { appCode, roomId, groupId };
      const arrived = await readArrived(options.controlUrl, destination, room);
      outcome[destination] = differences(expected[destination], arrived);
    }
    const nowMs = clock.monoMs();
    const isEqual = sampleDestinations.every((destination) => outcome[destination].length === 0);
    equalSinceMs = isEqual ? (equalSinceMs ?? nowMs) : null;
    if (equalSinceMs !== null && nowMs - equalSinceMs >= mustHoldMs) return outcome;
    if (nowMs >= untilMs || signal.aborted) return outcome;
    await timers.sleep(pollMs, signal);
  }
}
