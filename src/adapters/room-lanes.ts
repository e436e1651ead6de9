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
