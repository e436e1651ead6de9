/** The events that came with 0.4.0, and old ones with what they gained. */
import type { RoomEvent } from '../../../src/domain/room/events.ts';

export const events: readonly RoomEvent[] = [];
