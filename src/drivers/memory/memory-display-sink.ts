/** Memory twin of the display topic as the cell writes it. */
import type { DisplaySink } from '../../ports/display-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogDisplaySink } from '../log-client/log-display-sink.ts';
import type { DisplaySinkSettings } from '../log-client/log-display-sink.ts';
import { MemoryProducer } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export interface MemoryDisplaySinkSettings extends DisplaySinkSettings, MemoryClientSettings {
  readonly topic: string;
}

/** Makes the cell's sink. Displays offered before `start` has resolved wait for it. */
export function createMemoryDisplaySink(
  settings: MemoryDisplaySinkSettings,
  ports: DriverPorts,
): DisplaySink {
  const producer = new MemoryProducer(settings, settings.topic, 'leader', ports);
  return new LogDisplaySink(settings, producer, ports);
}
