/**
 * The table of `docs/events.md`: where each event goes and in which form. It is read off the table of
 * destinations, the forms of instant messaging and the schemas, so that the page cannot say anything
 * else than the program does.
 */
import { imFormOf, imPriorityOf, vendorPriority } from '../src/adapters/im/im-message.ts';
import { displayRoutes, type RoomDisplayType } from '../src/domain/events/displays.ts';
import { eventRoute, eventRoutes } from '../src/domain/events/destinations.ts';
import { displayLaneFault } from '../src/domain/events/im-lanes.ts';
import type { RoomEventType } from '../src/domain/room/events.ts';
import { heldBackFromClients } from '../src/protocol/client-event.ts';
import { schemaJson } from '../src/protocol/generated-schemas.ts';
import type { SchemaName } from '../src/protocol/generated-schemas.ts';

/** What the page says of one event or display. */
export interface EventTableRow {
  readonly eventType: RoomEventType | RoomDisplayType;
  readonly destinations: readonly string[];
  /** How the room's own clients hear of it. */
  readonly displayLane: string;
  readonly imForm: string;
  readonly imPriority: string;
  /** Null where no message is sent that could come too late. */
  readonly repairedBySnapshot: boolean | null;
  /** Fields that only the log has. */
  readonly secretFields: readonly string[];
  /** Fields that services get and clients do not. */
  readonly notForClients: readonly string[];
}

const columns = [
  'Event',
  'Outbox destinations',
  'Display lane',
  'IM form',
  'IM priority',
  'Repaired by snapshot',
  'Secret fields',
  'Not for clients',
];

/** One row per event, by name, and then one per display. */
export function eventTable(): readonly EventTableRow[] {
  return [...eventRows(), ...displayRows()];
}

function displayRows(): readonly EventTableRow[] {
  return (Object.keys(displayRoutes) as RoomDisplayType[]).sort().map((eventType) => {
    const { imPriority, windowMs } = displayRoutes[eventType];
    return {
      eventType,
      destinations: [],
      displayLane: windowMs === null ? 'display' : `display, one in ${windowMs} ms`,
      imForm: 'custom message',
      imPriority: vendorPriority(imPriority),
      repairedBySnapshot: true,
      secretFields: [],
      notForClients: [],
    };
  });
}

function eventRows(): readonly EventTableRow[] {
  const logged = fieldsByRecord('LoggedEvents');
  const enveloped = fieldsByRecord('EventEnvelope');
  const types = (Object.keys(eventRoutes) as RoomEventType[]).sort();
  return types.map((eventType) => {
    const { destinations, repairedBySnapshot } = eventRoute(eventType);
    const imForm = imFormOf(eventType);
    const fields = enveloped.get(eventType) ?? [];
    const isMessage = imForm.startsWith('message');
    return {
      eventType,
      destinations,
      displayLane: isMessage ? laneOf(eventType) : 'none',
      imForm: isMessage ? imForm.replace('message', 'custom message') : imForm,
      imPriority: isMessage ? imPriorityOf(eventType) : '',
      repairedBySnapshot: imForm === 'none' ? null : repairedBySnapshot,
      secretFields: (logged.get(eventType) ?? []).filter((field) => !fields.includes(field)),
      notForClients: isMessage ? fields.filter((field) => heldBackFromClients.has(field)) : [],
    };
  });
}

function laneOf(eventType: RoomEventType): string {
  return displayLaneFault(eventType) === null ? 'outbox or display' : 'outbox';
}

/** The table in Markdown. */
export function eventTableMarkdown(): string {
  const rows = eventTable().map((row) => [
    `\`${row.eventType}\``,
    row.destinations.length === 0 ? 'none' : row.destinations.join(', '),
    row.displayLane,
    row.imForm,
    row.imPriority,
    yesOrNo(row.repairedBySnapshot),
    codes(row.secretFields),
    codes(row.notForClients),
  ]);
  return [columns, columns.map(() => '---'), ...rows].map(lineOf).join('\n');
}

function yesOrNo(answer: boolean | null): string {
  if (answer === null) return '';
  return answer ? 'yes' : 'no';
}

function codes(fields: readonly string[]): string {
  return fields.map((field) => `\`${field}\``).join(', ');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Names of the fields of every record in a schema, by the record's own name. */
function fieldsByRecord(schema: SchemaName): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  JSON.stringify(JSON.parse(schemaJson[schema]), (_, node: RecordJson | null) => {
    if (node?.type === 'record') {
      found.set(
        node.name.replace('roomcell.', ''),
        node.fields.map(({ name }) => name),
      );
    }
    return node;
  });
  return found;
}

interface RecordJson {
  readonly type: unknown;
  readonly name: string;
  readonly fields: readonly { readonly name: string }[];
}
