/** A destination's topic as the relay writes it, over kafkajs. */
import type { EventSink } from '../../ports/event-sink.ts';
import { LogEventSink } from '../log-client/log-event-sink.ts';
import type { EventSinkSettings } from '../log-client/log-event-sink.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { ProducerLink } from './producer-link.ts';

/** One sink per destination. */
export interface KafkaEventSinkSettings extends EventSinkSettings {
  readonly kafka: KafkaSettings;
}

/** Makes the relay's sink for one destination. Nothing is connected before `start`. */
export function createKafkaEventSink(settings: KafkaEventSinkSettings, deps: KafkaDeps): EventSink {
  const producer = new ProducerLink(settings.kafka, settings.topic, 'all', deps);
  return new LogEventSink(settings, producer, deps);
}
