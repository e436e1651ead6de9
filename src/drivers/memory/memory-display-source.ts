/** Memory twin of the display topic as the IM adapter reads it. */
import type { DisplaySource } from '../../ports/display-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogDisplaySource } from '../log-client/log-display-source.ts';
import type { DisplaySourceSettings } from '../log-client/log-display-source.ts';
import { displayMembership } from '../log-client/membership-settings.ts';
import { MemoryGroupMember } from './memory-group-member.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export type MemoryDisplaySourceSettings = DisplaySourceSettings & MemoryClientSettings;

/** Makes the adapter's source. Nothing is asked before `start`. */
export function createMemoryDisplaySource(
  settings: MemoryDisplaySourceSettings,
  ports: DriverPorts,
): DisplaySource {
  const { broker, client, instanceName } = settings;
  const membership = { ...displayMembership(settings), broker, client, instanceName };
  return new LogDisplaySource(
    (handlers) => new MemoryGroupMember({ ...membership, pinnedPartition: null }, handlers, ports),
    ports,
  );
}
