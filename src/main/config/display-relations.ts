/** What must hold between the keys of `display` and the tables of events (DIM-4). */
import { eventRoutes } from '../../domain/events/destinations.ts';
import { displayRoutes } from '../../domain/events/displays.ts';
import { displayLaneFault } from '../../domain/events/im-lanes.ts';
import type { RoomcellConfig } from './config-schema.ts';

/** Messages that a group may get in a second. */
const vendorGroupRate = 40;

/** As in `relations.ts`: keys, and the sentence of what is wrong with them, or null. */
export const displayRelations: readonly {
  readonly keys: readonly string[];
  readonly judge: (config: RoomcellConfig) => string | null;
}[] = [
  {
    // The vendor drops what is above it, and nothing says that it drops displays first.
    keys: ['display.group_messages_per_second', 'tencent_im.group_messages_per_second'],
    judge: ({ display, tencentIm }: RoomcellConfig): string | null => {
      const together = display.groupMessagesPerSecond + tencentIm.groupMessagesPerSecond;
      if (together <= vendorGroupRate) return null;
      return (
        `is ${display.groupMessagesPerSecond}, but must be at most ${vendorGroupRate} together with ` +
        `tencent_im.group_messages_per_second (${tencentIm.groupMessagesPerSecond})`
      );
    },
  },
  {
    keys: ['display.by_display_lane'],
    judge: ({ display }: RoomcellConfig): string | null => {
      const faults = display.byDisplayLane.flatMap((type) => {
        const fault = displayLaneFault(type);
        return fault === null ? [] : [`${type} ${fault}`];
      });
      return faults.length === 0 ? null : `names what it may not: ${faults.join('; ')}`;
    },
  },
  {
    keys: ['display.suppress_direct_im_event_types'],
    judge: ({ display }: RoomcellConfig): string | null => {
      const unknown = display.suppressDirectImEventTypes.filter((type) => !isShownType(type));
      return unknown.length === 0 ? null : `names no event or display: ${unknown.join(', ')}`;
    },
  },
];

function isShownType(type: string): boolean {
  return Object.hasOwn(eventRoutes, type) || Object.hasOwn(displayRoutes, type);
}
