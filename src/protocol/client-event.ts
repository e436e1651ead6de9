/**
 * An event as clients read it: one text, whichever way it comes to them (a message in the room's
 * group, or a watched room). Its fields are a contract. Pure, and the same bytes for the same event on
 * every try.
 */
import { eventRoute } from '../domain/events/destinations.ts';
import type { RoomEventType } from '../domain/room/events.ts';
import type { DisplayEnvelope, EventEnvelope } from './records.ts';

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

/** Whether clients in the room are told of events of this type. */
export function isForClients(eventType: RoomEventType): boolean {
  const { destinations, isForClients } = eventRoute(eventType);
  return isForClients && destinations.includes('im');
}

/**
 * Identity first, then the event's own fields under `payload` in the order of their names. Numbers of
 * 64 bits are decimal texts, because a client's JSON would round them.
 */
export function clientEventText(envelope: EventEnvelope): string {
  const { type: _, ...fields } = envelope.event ?? { type: '' };
  return JSON.stringify({ ...identityOf(envelope), payload: wireForm(forClients(fields)) });
}

/** The same without the event's own fields: tells only that something happened. */
export function bareClientEventText(envelope: EventEnvelope): string {
  return JSON.stringify({ ...identityOf(envelope), payload: null });
}

/**
 * A display as clients read it: the fields of an event's text but for `index`, since it is none of its
 * version's events.
 */
export function clientDisplayText(envelope: DisplayEnvelope): string {
  const { type: _, ...fields } = envelope.display ?? { type: '' };
  return JSON.stringify({ ...identityOfDisplay(envelope), payload: wireForm(fields) });
}

/** The same without the display's own fields. */
export function bareClientDisplayText(envelope: DisplayEnvelope): string {
  return JSON.stringify({ ...identityOfDisplay(envelope), payload: null });
}

function identityOfDisplay(envelope: DisplayEnvelope): Readonly<Record<string, unknown>> {
  return {
    event_id: envelope.eventId,
    app_code: envelope.appCode,
    room_id: envelope.roomId,
    type: envelope.displayType,
    version: String(envelope.roomVersion),
    occurred_at_ms: envelope.occurredAtMs,
    actor_user_id: envelope.actorUserId,
  };
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
