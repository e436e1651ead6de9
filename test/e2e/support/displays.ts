/** Displays as they leave for IM: read from the requests that a tap kept. */
import type { RoomDisplayType } from '../../../src/domain/events/displays.ts';
import type { Taps } from './taps.ts';

/** One message to a room's group that tells of a display. */
export interface SentDisplay {
  readonly eventId: string;
  readonly type: RoomDisplayType;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Displays of a room that were sent to IM so far, in their order, repeats too. */
export function displaysSent(
  { im }: Pick<Taps, 'im'>,
  room: string,
  types: readonly RoomDisplayType[],
): SentDisplay[] {
  return im.flatMap((body) => {
    const text = textIn(body);
    if (text === null || text['room_id'] !== room) return [];
    const type = types.find((wanted) => wanted === text['type']);
    if (type === undefined) return [];
    const payload = text['payload'] as SentDisplay['payload'];
    return [{ eventId: String(text['event_id']), type, payload }];
  });
}

/** What a custom message holds; null: the request is none. */
function textIn(body: string): Readonly<Record<string, unknown>> | null {
  const { MsgBody } = JSON.parse(body) as {
    readonly MsgBody?: readonly { readonly MsgContent: { readonly Data?: string } }[];
  };
  const data = MsgBody?.[0]?.MsgContent.Data;
  return data === undefined ? null : (JSON.parse(data) as Readonly<Record<string, unknown>>);
}
