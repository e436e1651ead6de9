/** Every way in which what arrived can differ from what had to arrive is named. */
import { describe, expect, it } from 'vitest';
import { differences, type ArrivedEvent } from '../../../../src/main/sample/compare-events.ts';
import type { ExpectedEvent } from '../../../../src/main/sample/expected-events.ts';

const wanted = (eventId: string, as: ExpectedEvent['as'] = 'message'): ExpectedEvent => ({
  eventId,
  commandId: `command-of-${eventId}`,
  type: 'RoomMicUp',
  as,
  user: as === 'removal' ? 'bob' : '',
});
const arrived = (eventId: string, changes: Partial<ArrivedEvent> = {}): ArrivedEvent => ({
  eventId,
  type: 'RoomMicUp',
  notifications: 0,
  different: 0,
  ...changes,
});

describe('the comparison of arrived and expected events', () => {
  it('is content with exactly the expected events in order, group and notification included', () => {
    const expected = [wanted('g', 'group'), wanted('a'), wanted('b', 'message and notification')];
    const events = [arrived('a'), arrived('b', { notifications: 1 })];
    expect(differences(expected, { events, groupExists: true, removedUsers: [] })).toEqual([]);
  });

  it.each<[string, ExpectedEvent[], ArrivedEvent[], RegExp]>([
    ['a missing event', [wanted('a'), wanted('b')], [arrived('a')], /^missing: RoomMicUp b/],
    ['an extra event', [wanted('a')], [arrived('a'), arrived('x')], /^extra: RoomMicUp x/],
    ['another type', [wanted('a')], [arrived('a', { type: 'RoomClosed' })], /^wrong type: .* a/],
    ['other bytes', [wanted('a')], [arrived('a', { different: 1 })], /^changed: .* a/],
    ['a missing group', [wanted('a', 'group')], [], /^missing: .* a .*the room's group/],
    [
      'a missing notification',
      [wanted('a', 'message and notification')],
      [arrived('a')],
      /^missing: the notification about .* a/,
    ],
    [
      'another order',
      [wanted('a'), wanted('b')],
      [arrived('b'), arrived('a')],
      /^out of order: RoomMicUp b came as 1\./,
    ],
  ])('names %s', (_, expected, events, sentence) => {
    expect(differences(expected, { events, groupExists: false, removedUsers: [] })).toEqual([
      expect.stringMatching(sentence),
    ]);
  });

  it('names whom nobody put out of RTC, and who was put out without a reason', () => {
    const removed = (...removedUsers: string[]) =>
      differences([wanted('k', 'removal')], { events: [], groupExists: false, removedUsers });
    expect(removed('bob')).toEqual([]);
    expect(removed()).toEqual([expect.stringMatching(/^missing: .* as the removal of bob/)]);
    expect(removed('bob', 'eve')).toEqual(['extra: the removal of eve']);
  });
});
