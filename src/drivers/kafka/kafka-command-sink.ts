/** The commands topic as the gateway writes it, over kafkajs. */
import type { CommandSink } from '../../ports/command-sink.ts';
import { LogCommandSink } from '../log-client/log-command-sink.ts';
import type { CommandSinkSettings } from '../log-client/log-command-sink.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { LogOffsets } from './log-offsets.ts';
import { ProducerLink } from './producer-link.ts';

/** Times in ms. */
export interface KafkaCommandSinkSettings extends CommandSinkSettings {
  readonly kafka: KafkaSettings;
}

/** Makes the gateway's sink. Nothing is connected before `start`. */
export function createKafkaCommandSink(
  settings: KafkaCommandSinkSettings,
  deps: KafkaDeps,
): CommandSink {
  const { kafka, topic } = settings;
  const producer = new ProducerLink(kafka, topic, 'all', deps);
  return new LogCommandSink(
    settings,
    { producer, offsets: new LogOffsets(kafka, topic, deps) },
    deps,
  );
}
