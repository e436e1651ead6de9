/** Memory twin of a destination's topic as its adapter reads it. */
import type { EventSource } from '../../ports/event-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogEventSource } from '../log-client/log-event-source.ts';
import type { EventSourceSettings } from '../log-client/log-event-source.ts';
import { eventMembership } from '../log-client/membership-settings.ts';
import { MemoryGroupMember } from './memory-group-member.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export type MemoryEventSourceSettings = EventSourceSettings & MemoryClientSettings;

/** Makes an adapter's source. Nothing is asked before `start`. */
export function createMemoryEventSource(
  settings: MemoryEventSourceSettings,
  ports: DriverPorts,
): EventSource {
  const { broker, client, instanceName } = settings;
  const membership = { ...eventMembership(settings), broker, client, instanceName };
  return new LogEventSource(
    settings,
    (handlers) => new MemoryGroupMember({ ...membership, pinnedPartition: null }, handlers, ports),
    ports,
  );
}
