/** Whether what arrived is what had to arrive: pure, so that every kind of difference has a test. */
import type { ExpectedEvent } from './expected-events.ts';

/** One event as the sandbox recorded it. */
export interface ArrivedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly notifications: number;
  /** Arrivals whose bytes differed from the first. */
  readonly different: number;
}

/** What one destination got of one room. */
export interface Arrived {
  /** In the order of first arrival. */
  readonly events: readonly ArrivedEvent[];
  readonly groupExists: boolean;
  /** Users whom RTC was asked to put out of the room. */
  readonly removedUsers: readonly string[];
}

/** Sentences about every difference; none when the two are equal. */
export function differences(expected: readonly ExpectedEvent[], arrived: Arrived): string[] {
  const byId = new Map(arrived.events.map((event) => [event.eventId, event]));
  const found: string[] = [];
  for (const wanted of expected) {
    const name = `${wanted.type} ${wanted.eventId} (of ${wanted.commandId})`;
    if (wanted.as === 'group') {
      if (!arrived.groupExists) found.push(`missing: ${name}, as the room's group`);
      continue;
    }
    if (wanted.as === 'removal') {
      if (!arrived.removedUsers.includes(wanted.user)) {
        found.push(`missing: ${name}, as the removal of ${wanted.user}`);
      }
      continue;
    }
    const event = byId.get(wanted.eventId);
    if (event === undefined) {
      found.push(`missing: ${name}`);
      continue;
    }
    if (event.type !== wanted.type) found.push(`wrong type: ${name} arrived as ${event.type}`);
    if (event.different > 0) found.push(`changed: ${name} came again with other bytes`);
    if (wanted.as === 'message and notification' && event.notifications === 0) {
      found.push(`missing: the notification about ${name}`);
    }
  }
  const shown = expected.filter(({ as }) => as !== 'group' && as !== 'removal');
  const expectedIds = shown.map(({ eventId }) => eventId);
  for (const user of arrived.removedUsers) {
    if (!expected.some((wanted) => wanted.as === 'removal' && wanted.user === user)) {
      found.push(`extra: the removal of ${user}`);
    }
  }
  const known = new Set(expectedIds);
  for (const event of arrived.events) {
    if (!known.has(event.eventId)) found.push(`extra: ${event.type} ${event.eventId}`);
  }
  if (found.length > 0) return found;
  const order = arrived.events.map(({ eventId }) => eventId);
  const at = order.findIndex((eventId, index) => eventId !== expectedIds[index]);
  return at < 0
    ? []
    : [`out of order: ${arrived.events[at]?.type} ${order[at]} came as ${at + 1}.`];
}
