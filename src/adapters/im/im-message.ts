/**
 * What an event looks like in instant messaging: the calls to make for it, in order. Pure, and the
 * same bytes for the same event on every try, since the vendor drops a repeat only if both its body
 * and its number are equal. Clients read `Data` of the custom message; its fields are a contract.
 */
import { eventRoutes } from '../../domain/events/destinations.ts';
import type { ImPriority } from '../../domain/events/destinations.ts';
import type { RoomEventType } from '../../domain/room/events.ts';
import type { GroupMessage } from '../../ports/im-client.ts';
import { imGroupId } from '../../protocol/im-group-id.ts';
import { messageRandom } from '../../protocol/message-random.ts';
import type { EventEnvelope } from '../../protocol/records.ts';

/** One call to the IM client. */
export type ImCall =
  | { readonly kind: 'ensureGroup'; readonly groupId: string; readonly name: string }
  | { readonly kind: 'message'; readonly message: GroupMessage }
  | { readonly kind: 'notification'; readonly groupId: string; readonly content: string };

/** The calls of an event; none when this release knows no IM form of it (PUB-9). */
export type ImCalls =
  | { readonly kind: 'calls'; readonly calls: readonly ImCall[] }
  /** No try will make it fit. */
  | { readonly kind: 'tooLarge'; readonly bytes: number };

/** What an event becomes here: nothing, the room's group, or what its members get. */
export type ImForm = 'none' | 'group' | 'message' | 'message and notification';

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

/**
 * Fields of events that clients never get. The note of a closing is for the operators (it may name a
 * complaint), a receipt is between the payer and the wallet and no business of the group, and a
 * password hash, which no envelope holds any more, would end here should one ever slip in.
 */
export const heldBackFromClients: ReadonlySet<string> = new Set([
  'billingReceiptId',
  'note',
  'passwordHash',
]);

/** The form of an event type, by the table of destinations. */
export function imFormOf(eventType: RoomEventType): ImForm {
  if (!eventRoutes[eventType].destinations.includes('im')) return 'none';
  if (eventType === 'RoomCreated') return 'group';
  // Clients that joined a moment ago, or lost low-priority messages, must still learn of the end.
  return eventType === 'RoomClosed' ? 'message and notification' : 'message';
}

/** The vendor's priority of an event's message. */
export function imPriorityOf(eventType: RoomEventType): GroupMessage['priority'] {
  return priorities[eventRoutes[eventType].imPriority];
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
  return { kind: 'calls', calls };
}

/**
 * The texts of a room's profile may be escaped, in a text that is escaped once more, to four times
 * their length and beyond what a group may get. Nobody may hold up a room's messages by such a
 * profile: where the next view shows the effect, the message tells only that something happened, and
 * clients read the room.
 */
function fittingData(envelope: EventEnvelope, isRepairedBySnapshot: boolean): string {
  const data = imData(envelope);
  if (!isRepairedBySnapshot || requestBytesOf(data) <= imDataBytesMax) return data;
  return JSON.stringify({ ...identityOf(envelope), payload: null });
}

/** Length within the vendor's request, which is JSON again. */
function requestBytesOf(data: string): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/**
 * The text for clients: identity first, then the event's own fields under `payload` in the order of
 * their names. Numbers of 64 bits are decimal texts, because a client's JSON would round them.
 */
export function imData(envelope: EventEnvelope): string {
  const { type: _, ...fields } = envelope.event ?? { type: '' };
  return JSON.stringify({ ...identityOf(envelope), payload: wireForm(forClients(fields)) });
}

function identityOf(envelope: EventEnvelope): Readonly<Record<string, unknown>> {
  return {
    event_id: envelope.eventId,
    app_code: envelope.appCode,
    room_id: envelope.roomId,
    type: envelope.eventType,
    version: String(envelope.roomVersion),
    index: envelope.eventIndex,
    occurred_at_ms: envelope.occurredAtMs,
    actor_user_id: envelope.actorUserId,
  };
}

function forClients(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(fields).filter(([name]) => !heldBackFromClients.has(name));
  return Object.fromEntries(shown);
}

/** Objects with snake_case names in sorted order, bigint as text; everything else as it is. */
function wireForm(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(wireForm);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([name, held]) => [snakeCase(name), wireForm(held)] as const,
  );
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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
