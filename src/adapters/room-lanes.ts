/**
 * Sorts a batch of event records into lanes, one per room, each a list of runs in the order of the
 * records. Lanes may be worked on side by side; a lane's runs only one after another, since a later
 * run of a room may be an earlier one that was claimed anew.
 */
import type { RoomKey } from '../domain/ids.ts';
import type { IncomingEvent } from '../ports/event-source.ts';

/** Records of one claim that follow each other. */
export interface IncomingRun {
  readonly claimToken: string;
  readonly events: readonly IncomingEvent[];
}

/** One room's part of a batch. */
export interface RoomLane {
  readonly roomKey: RoomKey;
  readonly runs: readonly IncomingRun[];
}

/** See the file header. Lanes stand in the order in which their rooms first appear. */
export function roomLanes(events: readonly IncomingEvent[]): readonly RoomLane[] {
  const lanes = new Map<RoomKey, { claimToken: string; events: IncomingEvent[] }[]>();
  for (const event of events) {
    const runs = lanes.get(event.roomKey) ?? [];
    lanes.set(event.roomKey, runs);
    const last = runs.at(-1);
    if (last?.claimToken === event.claimToken) last.events.push(event);
    else runs.push({ claimToken: event.claimToken, events: [event] });
  }
  return [...lanes].map(([roomKey, runs]) => ({ roomKey, runs }));
}

/**
 * Works on the lanes, `concurrent` of them at a time. Resolves when all are done; rejects with the
 * first rejection, after the lanes in hand have ended.
 */
export async function workLanes(
  lanes: readonly RoomLane[],
  concurrent: number,
  work: (lane: RoomLane) => Promise<void>,
): Promise<void> {
  const waiting = lanes.values();
  let firstFault: { readonly cause: unknown } | null = null;
  const worker = async (): Promise<void> => {
    for (const lane of waiting) {
      if (firstFault !== null) return;
      try {
        await work(lane);
      } catch (cause) {
        firstFault ??= { cause };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrent, lanes.length) }, worker));
  if (firstFault !== null) throw (firstFault as { readonly cause: unknown }).cause;
}
