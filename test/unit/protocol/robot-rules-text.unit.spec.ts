/** Robot rules as text, and the ids of robots' commands. */
import { describe, expect, it } from 'vitest';
import type { CommandId } from '../../../src/domain/ids.ts';
import { robotCommandId, robotCommandOrigin } from '../../../src/protocol/robot-command-id.ts';
import { readRobotRules, robotRulesText } from '../../../src/protocol/robot-rules-text.ts';

describe('robot rules as text', () => {
  it('what is left out has its default, and what was written is read as it was', () => {
    const { rules } = readRobotRules('{"rooms":[{"room_id":"lounge"}]}');
    expect(rules).toEqual({
      enabled: true,
      robotsPerRoomMax: 0,
      placesForPeople: 50,
      pauseMinMs: 5_000,
      pauseMaxMs: 30_000,
      stayMinMs: 300_000,
      stayMaxMs: 1_800_000,
      rooms: [
        {
          roomId: 'lounge',
          title: '',
          seatCount: 8,
          visibleRegionId: 0n,
          robots: 1,
          giftIds: [],
        },
      ],
    });
    if (rules === null) throw new Error('no rules');
    expect(readRobotRules(robotRulesText(rules)).rules).toEqual(rules);
  });

  it('tells all faults at once', () => {
    expect(readRobotRules('{')).toEqual({ rules: null, faults: ['not JSON'] });
    const text =
      '{"robots_per_room_max":201,"pause_min_ms":100,"rooms":[{"room_id":"a b","robots":0},' +
      '{"room_id":"a b"}]}';
    expect(readRobotRules(text).faults).toEqual([
      'robots_per_room_max: not a whole number from 0 to 200',
      'pause_min_ms: not a whole number from 200 to 86400000',
      'room_id a b: not an id',
      'robots of a b: not a whole number from 1 to 200',
      'room_id a b: not an id',
      'rooms: a room is named twice',
    ]);
    expect(readRobotRules('{"rooms":[{"gift_ids":[1]}]}').faults).toEqual([
      'gift_ids: not a list of texts',
      'room_id: not a text',
    ]);
  });
});

describe('ids of robots’ commands', () => {
  it('name epoch and kind, and are no other id', () => {
    const id = robotCommandId({ epoch: 2n ** 63n, kind: 'guest' }, 17);
    expect(id).toBe('robot:9223372036854775808:guest:17');
    expect(robotCommandOrigin(id)).toEqual({ epoch: 2n ** 63n, kind: 'guest' });
    expect(robotCommandOrigin(robotCommandId({ epoch: 1n, kind: 'host' }, 1))?.kind).toBe('host');
    for (const text of ['robot:1:boss:1', 'robot:x:host:1', 'sys:robot:1', 'c1', 'robot:1:host:']) {
      expect(robotCommandOrigin(text as CommandId)).toBeNull();
    }
  });
});
