/** An app's robot rules as text: how MySQL keeps them and how operators write them. */
import type { GiftId, RoomId } from '../domain/ids.ts';
import { robotRulesFaults, type RobotRoom, type RobotRules } from '../domain/robots/robot-rules.ts';
import { FieldReader } from './field-reader.ts';

/** The rules, or all that is wrong with the text. */
export type ReadRobotRules =
  | { readonly rules: RobotRules; readonly faults: null }
  | { readonly rules: null; readonly faults: readonly string[] };

/** One text for one set of rules. */
export function robotRulesText(rules: RobotRules): string {
  return JSON.stringify({
    enabled: rules.enabled,
    robots_per_room_max: rules.robotsPerRoomMax,
    places_for_people: rules.placesForPeople,
    pause_min_ms: rules.pauseMinMs,
    pause_max_ms: rules.pauseMaxMs,
    stay_min_ms: rules.stayMinMs,
    stay_max_ms: rules.stayMaxMs,
    rooms: rules.rooms.map((room) => ({
      room_id: room.roomId,
      title: room.title,
      seat_count: room.seatCount,
      visible_region_id: String(room.visibleRegionId),
      robots: room.robots,
      gift_ids: room.giftIds,
    })),
  });
}

/** Reads what `robotRulesText` wrote, or what somebody typed. What is missing takes its default. */
export function readRobotRules(text: string): ReadRobotRules {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { rules: null, faults: ['not JSON'] };
  }
  const reader = new FieldReader();
  const root = reader.object(json, 'rules');
  const pauseMinMs = reader.count(root, 'pause_min_ms', 5_000);
  const stayMinMs = reader.count(root, 'stay_min_ms', 300_000);
  const rules: RobotRules = {
    enabled: reader.flag(root, 'enabled', true),
    robotsPerRoomMax: reader.count(root, 'robots_per_room_max', 0),
    placesForPeople: reader.count(root, 'places_for_people', 50),
    pauseMinMs,
    pauseMaxMs: reader.count(root, 'pause_max_ms', Math.max(pauseMinMs, 30_000)),
    stayMinMs,
    stayMaxMs: reader.count(root, 'stay_max_ms', Math.max(stayMinMs, 1_800_000)),
    rooms: reader.list(root, 'rooms').map((room) => roomOf(reader, room)),
  };
  const faults = reader.faults.length > 0 ? reader.faults : robotRulesFaults(rules);
  return faults.length > 0 ? { rules: null, faults } : { rules, faults: null };
}

function roomOf(reader: FieldReader, json: unknown): RobotRoom {
  const fields = reader.object(json, 'room');
  const giftIds = reader.list(fields, 'gift_ids');
  if (!giftIds.every((giftId) => typeof giftId === 'string')) {
    reader.faults.push('gift_ids: not a list of texts');
  }
  return {
    roomId: reader.text(fields, 'room_id') as RoomId,
    title: fields['title'] === undefined ? '' : reader.text(fields, 'title'),
    seatCount: reader.count(fields, 'seat_count', 8),
    visibleRegionId: reader.long(fields, 'visible_region_id', 0n),
    robots: reader.count(fields, 'robots', 1),
    giftIds: giftIds.map(String) as GiftId[],
  };
}
