/** Memory twin of a destination's topic as the relay writes it. */
import type { EventSink } from '../../ports/event-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogEventSink } from '../log-client/log-event-sink.ts';
import type { EventSinkSettings } from '../log-client/log-event-sink.ts';
import { MemoryProducer } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** One sink per destination. */
export type MemoryEventSinkSettings = EventSinkSettings & MemoryClientSettings;

/** Makes the relay's sink for one destination. Nothing is asked before `start`. */
export function createMemoryEventSink(
  settings: MemoryEventSinkSettings,
  ports: DriverPorts,
): EventSink {
  const producer = new MemoryProducer(settings, settings.topic, 'all', ports);
  return new LogEventSink(settings, producer, ports);
}
