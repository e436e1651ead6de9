/** Memory twin of the reply topic as the cell writes it. */
import type { ReplySink } from '../../ports/reply-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogReplySink } from '../log-client/log-reply-sink.ts';
import type { ReplySinkSettings } from '../log-client/log-reply-sink.ts';
import { MemoryProducer } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export interface MemoryReplySinkSettings extends ReplySinkSettings, MemoryClientSettings {
  readonly topic: string;
}

/** Makes the cell's sink. Replies given before `start` has resolved wait for it. */
export function createMemoryReplySink(
  settings: MemoryReplySinkSettings,
  ports: DriverPorts,
): ReplySink {
  const producer = new MemoryProducer(settings, settings.topic, 'leader', ports);
  return new LogReplySink(settings, producer, ports);
}
