/** Memory twin of the commands topic as the gateway writes it. */
import type { CommandSink } from '../../ports/command-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogCommandSink } from '../log-client/log-command-sink.ts';
import type { CommandSinkSettings } from '../log-client/log-command-sink.ts';
import { MemoryOffsets, MemoryProducer } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export type MemoryCommandSinkSettings = CommandSinkSettings & MemoryClientSettings;

/** Makes the gateway's sink. Nothing is asked before `start`. */
export function createMemoryCommandSink(
  settings: MemoryCommandSinkSettings,
  ports: DriverPorts,
): CommandSink {
  const { topic } = settings;
  const producer = new MemoryProducer(settings, topic, 'all', ports);
  return new LogCommandSink(
    settings,
    { producer, offsets: new MemoryOffsets(settings, topic) },
    ports,
  );
}
