/**
 * The written list of what the sample room must make arrive at each destination
 * (`config/sample-room.expected.json`). It is written by hand and not made from the run, so that a
 * run that forgets an event cannot agree with itself.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { AppCode, CommandId, RoomId } from '../../domain/ids.ts';
import { eventIdOf } from '../../protocol/derived-ids.ts';

/** Destinations that the sandbox stands in for. */
export const sampleDestinations = ['im', 'activity', 'rtc'] as const;

/** One of them. */
export type SampleDestination = (typeof sampleDestinations)[number];

/** One event that must arrive. */
export interface ExpectedEvent {
  readonly eventId: string;
  readonly commandId: string;
  readonly type: string;
  /**
   * How it shows: a record of its own, a group that exists, a record with a notification, or a user
   * who was put out of RTC.
   */
  readonly as: 'message' | 'group' | 'message and notification' | 'removal';
  /** Whom a removal puts out; '' otherwise. */
  readonly user: string;
}

/** Per destination, in the order of arrival. */
export type ExpectedEvents = Readonly<Record<SampleDestination, readonly ExpectedEvent[]>>;

const entry = z.strictObject({
  command_id: z.string().min(1),
  index: z.int().min(0),
  type: z.string().min(1),
  as: z.enum(['message', 'group', 'message and notification', 'removal']).default('message'),
  user: z.string().default(''),
});
const list = z.strictObject({
  about: z.string(),
  im: z.array(entry),
  activity: z.array(entry),
  rtc: z.array(entry),
});

/** Reads the list and resolves its event ids for one room. Throws when the file is not such a list. */
export function readExpectedEvents(file: string, app: AppCode, room: RoomId): ExpectedEvents {
  const written = list.parse(JSON.parse(readFileSync(file, 'utf8')));
  const resolve = (rows: z.infer<typeof entry>[]): ExpectedEvent[] =>
    rows.map((row) => ({
      eventId: eventIdOf(app, room, row.command_id as CommandId, row.index),
      commandId: row.command_id,
      type: row.type,
      as: row.as,
      user: row.user,
    }));
  const { im, activity, rtc } = written;
  return { im: resolve(im), activity: resolve(activity), rtc: resolve(rtc) };
}
