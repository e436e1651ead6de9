/** The display topic as the cell writes it, over kafkajs. */
import type { DisplaySink } from '../../ports/display-sink.ts';
import { LogDisplaySink } from '../log-client/log-display-sink.ts';
import type { DisplaySinkSettings } from '../log-client/log-display-sink.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { ProducerLink } from './producer-link.ts';

/** Times in ms. */
export interface KafkaDisplaySinkSettings extends DisplaySinkSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
}

/** Makes the cell's sink. Displays offered before `start` has resolved wait for it. */
export function createKafkaDisplaySink(
  settings: KafkaDisplaySinkSettings,
  deps: KafkaDeps,
): DisplaySink {
  const producer = new ProducerLink(settings.kafka, settings.topic, 'leader', deps);
  return new LogDisplaySink(settings, producer, deps);
}
