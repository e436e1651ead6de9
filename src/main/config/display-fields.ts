/** Keys of `display`: what goes to the clients of a room without a promise (DIM-1 to DIM-4). */
import type { FieldTree } from './field-tree.ts';
import { duration, integer, list } from './fields.ts';
import { eventTypeName } from './patterns.ts';

/** See the file header. */
export const displayFields = {
  by_display_lane: list({
    about:
      'Event types whose message goes by the display lane and gets no outbox row. Only those that a ' +
      'snapshot repairs (docs/events.md).',
    fallback: [],
    min: 0,
    item: eventTypeName,
  }),
  suppress_direct_im_event_types: list({
    about: 'Types that the display lane never sends; the outbox is not touched by it.',
    fallback: [],
    min: 0,
    item: eventTypeName,
  }),
  large_room_users: integer({
    about: 'Joins and leaves of rooms with more users are shown together, once a second.',
    fallback: 200,
    min: 1,
    max: 100000,
  }),
  big_win_percent: integer({
    about:
      'A lucky draw that multiplies what was spent by so many percent, or more, is shown to the room ' +
      '(1000: ten times). 0: none is.',
    fallback: 1000,
    min: 0,
    max: 100000000,
  }),
  useful_for: duration({
    about: 'A display whose command is older is not sent.',
    fallback: '5s',
    min: '100ms',
    max: '1m',
  }),
  calls_per_second: integer({
    about: 'Displays of one app, of all its adapters together, beside tencent_im.calls_per_second.',
    fallback: 40,
    min: 1,
    max: 10000,
  }),
  group_messages_per_second: integer({
    about: 'Displays to one group; with tencent_im.group_messages_per_second at most 40.',
    fallback: 8,
    min: 1,
    max: 39,
  }),
} satisfies FieldTree;
