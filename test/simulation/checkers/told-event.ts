/** One event as a watcher was told it, beside the stored one: read anew from its bytes. */
import type { EventRow } from '../../../src/ports/commit-lane.ts';
import type { WatchEvent } from '../../../src/ports/room-watch.ts';
import { branchOf, readIfAny } from './avro-reading.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Never told to clients (docs/events.md); written here a second time on purpose. */
const heldBack: ReadonlySet<string> = new Set(['billingReceiptId', 'note', 'passwordHash']);

/** What is wrong with it; null: it is the stored event. */
export function toldWrongly(told: WatchEvent, row: EventRow): string | null {
  const said = [told.eventId, told.eventType, told.eventIndex].join();
  const stored = [row.eventId, row.eventType, row.eventIndex].join();
  if (said !== stored) return `it is told as ${said}, and stored as ${stored}`;
  const envelope = readIfAny<Fields>('EventEnvelope', row.envelope);
  const event = branchOf(envelope?.['event']);
  if (envelope === null || event === null) return 'the stored event cannot be read';
  const fields = Object.entries(event.value).filter(([name]) => !heldBack.has(name));
  const expected = {
    event_id: row.eventId,
    app_code: row.appCode,
    room_id: row.roomId,
    type: row.eventType,
    version: row.roomVersion,
    index: row.eventIndex,
    occurred_at_ms: envelope['occurredAtMs'],
    actor_user_id: envelope['actorUserId'],
    payload: Object.fromEntries(fields),
  };
  const [toldText, storedText] = [plain(JSON.parse(told.text)), plain(expected)];
  return toldText === storedText ? null : `it says ${toldText}, and the stored one ${storedText}`;
}

/** Equal for equal contents: names without regard to their case, all numbers as texts. */
function plain(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return JSON.stringify(String(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(plain).join()}]`;
  const entries = Object.entries(value as Fields)
    .map(([name, held]) => `${name.replaceAll('_', '').toLowerCase()}:${plain(held)}`)
    .sort();
  return `{${entries.join()}}`;
}
