/**
 * What an event looks like in instant messaging: the calls to make for it, in order. Pure, and the
 * same bytes for the same event on every try, since the vendor drops a repeat only if both its body
 * and its number are equal. Clients read `Data` of the custom message; its fields are a contract.
 */
import { eventRoutes } from '../../domain/events/destinations.ts';
import type { ImPriority } from '../../domain/events/destinations.ts';
import type { UserId } from '../../domain/ids.ts';
import type { RoomEventType } from '../../domain/room/events.ts';
import type { GroupMessage } from '../../ports/im-client.ts';
import { bareClientEventText, clientEventText } from '../../protocol/client-event.ts';
import { imGroupId } from '../../protocol/im-group-id.ts';
import { messageRandom } from '../../protocol/message-random.ts';
import type { EventEnvelope } from '../../protocol/records.ts';

/** One call to the IM client. */
export type ImCall =
  | { readonly kind: 'ensureGroup'; readonly groupId: string; readonly name: string }
  | { readonly kind: 'message'; readonly message: GroupMessage }
  | { readonly kind: 'notification'; readonly groupId: string; readonly content: string }
  | { readonly kind: 'dissolve'; readonly groupId: string }
  | {
      readonly kind: 'ban';
      readonly groupId: string;
      readonly userId: UserId;
      /** 0: without an end. */
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'unban'; readonly groupId: string; readonly userId: UserId };

/** The calls of an event; none when this release knows no IM form of it (PUB-9). */
export type ImCalls =
  | { readonly kind: 'calls'; readonly calls: readonly ImCall[] }
  /** No try will make it fit. */
  | { readonly kind: 'tooLarge'; readonly bytes: number };

/**
 * What an event becomes here: nothing, the room's group, what its members get, who may be one of them, or
 * the group's end.
 */
export type ImForm =
  | 'none'
  | 'group'
  | 'message'
  | 'message and notification'
  | 'message and ban'
  | 'unban'
  | 'message and end';

/** The vendor takes 12 KB; what stands around `data` in the request needs the rest. */
export const imDataBytesMax = 12 * 1024 - 512;
/** The vendor's limit for a group's name. */
const groupNameBytesMax = 30;

const priorities: Readonly<Record<ImPriority, GroupMessage['priority']>> = {
  high: 'High',
  normal: 'Normal',
  low: 'Low',
  lowest: 'Low',
};

/** The form of an event type, by the table of destinations. */
export function imFormOf(eventType: RoomEventType): ImForm {
  if (!eventRoutes[eventType].destinations.includes('im')) return 'none';
  if (eventType === 'RoomCreated') return 'group';
  // Nothing comes behind it, and an app may have so many groups and no more.
  if (eventType === 'RoomDeleted') return 'message and end';
  // The message first: behind the ban its user gets none. An eviction has no ban of its own: the
  // platform's is not the room's, and no event of the room would ever end it.
  if (eventType === 'RoomUserKicked') return 'message and ban';
  if (eventType === 'RoomUserUnbanned') return 'unban';
  // Clients that joined a moment ago, or lost low-priority messages, must still learn of the end.
  return eventType === 'RoomClosed' ? 'message and notification' : 'message';
}

/** The vendor's priority of an event's message. */
export function imPriorityOf(eventType: RoomEventType): GroupMessage['priority'] {
  return vendorPriority(eventRoutes[eventType].imPriority);
}

/** The same of a priority in a table. */
export function vendorPriority(priority: ImPriority): GroupMessage['priority'] {
  return priorities[priority];
}

/** See the file header. */
export function imCallsOf(envelope: EventEnvelope): ImCalls {
  const { event, eventType } = envelope;
  if (event === null || !Object.hasOwn(eventRoutes, eventType)) return { kind: 'calls', calls: [] };
  const form = imFormOf(event.type);
  if (form === 'none') return { kind: 'calls', calls: [] };
  const groupId = imGroupId(envelope.appCode, envelope.roomId);
  if (event.type === 'RoomCreated') {
    const name = cutToBytes(event.title === '' ? envelope.roomId : event.title, groupNameBytesMax);
    return { kind: 'calls', calls: [{ kind: 'ensureGroup', groupId, name }] };
  }
  if (event.type === 'RoomUserUnbanned') {
    // Whatever ended it, its time too: an earlier, longer ban may be what the vendor has, and its clock
    // is not the room's.
    return { kind: 'calls', calls: [{ kind: 'unban', groupId, userId: event.userId }] };
  }
  const data = fittingData(envelope, eventRoutes[event.type].repairedBySnapshot);
  const bytes = requestBytesOf(data);
  if (bytes > imDataBytesMax) return { kind: 'tooLarge', bytes };
  const calls: ImCall[] = [
    {
      kind: 'message',
      message: {
        groupId,
        random: messageRandom(envelope.eventId),
        priority: imPriorityOf(event.type),
        data,
      },
    },
  ];
  if (form === 'message and notification') {
    calls.push({ kind: 'notification', groupId, content: data });
  }
  if (event.type === 'RoomUserKicked') {
    const { userId, expiresAtMs } = event;
    calls.push({ kind: 'ban', groupId, userId, expiresAtMs });
  }
  if (form === 'message and end') calls.push({ kind: 'dissolve', groupId });
  return { kind: 'calls', calls };
}

/**
 * The texts of a room's profile may be escaped, in a text that is escaped once more, to four times
 * their length and beyond what a group may get. Nobody may hold up a room's messages by such a
 * profile: where the next view shows the effect, the message tells only that something happened, and
 * clients read the room.
 */
function fittingData(envelope: EventEnvelope, isRepairedBySnapshot: boolean): string {
  const data = clientEventText(envelope);
  if (!isRepairedBySnapshot || requestBytesOf(data) <= imDataBytesMax) return data;
  return bareClientEventText(envelope);
}

/** Length within the vendor's request, which is JSON again. */
export function requestBytesOf(data: string): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/** The longest beginning of the text that fits, whole characters only. */
function cutToBytes(text: string, bytesMax: number): string {
  const encoder = new TextEncoder();
  let cut = '';
  let bytes = 0;
  for (const character of text) {
    bytes += encoder.encode(character).length;
    if (bytes > bytesMax) break;
    cut += character;
  }
  return cut;
}
