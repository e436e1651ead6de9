/**
 * Asks for a wake-up once the ignition of a rocket is delivered (ROCKET-5, SVC-18). Whichever adapter
 * delivers it asks; the scheduler takes one per round. What cannot be asked for is counted and not
 * tried again: the row is delivered, and the room launches by its own deadline.
 */
import { roomKeyOf } from '../domain/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RocketLaunchScheduler } from '../ports/rocket-scheduler.ts';
import type { ReadEnvelope } from './read-envelope.ts';

/** Told of the envelope of each event whose row is delivered; never throws. */
export type OnDelivered = (envelope: Uint8Array) => Promise<void>;

/** The type stands as text in every envelope, so that almost none has to be read for it. */
const ignition = Buffer.from('RoomRocketIgnited');

/** What it stands on. */
export interface LaunchSchedulingContext {
  readonly scheduler: RocketLaunchScheduler;
  readonly readEnvelope: ReadEnvelope;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Makes the hook. */
export function createLaunchScheduling(context: LaunchSchedulingContext): OnDelivered {
  const { scheduler, readEnvelope, log, metrics } = context;
  return async (bytes) => {
    if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(ignition)) return;
    const reading = await readEnvelope(bytes);
    if (reading.kind !== 'envelope') return;
    const { appCode, roomId, event } = reading.envelope;
    if (event?.type !== 'RoomRocketIgnited') return;
    const { roundNo, launchAtMs } = event;
    const roomKey = roomKeyOf(appCode, roomId);
    const isAsked = await scheduler.schedule({ roomKey, roundNo, launchAtMs });
    metrics.count('adapter_launches_asked_total', { outcome: isAsked ? 'asked' : 'lost' });
    if (!isAsked) log.info({ roomKey, roundNo }, 'a launch has no wake-up but its own deadline');
  };
}
