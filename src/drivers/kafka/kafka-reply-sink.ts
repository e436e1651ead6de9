/**
 * The reply topic as the cell writes it, over kafkajs. Acknowledged by the leader only, because a
 * lost reply costs its caller one retry.
 */
import type { ReplySink } from '../../ports/reply-sink.ts';
import { LogReplySink } from '../log-client/log-reply-sink.ts';
import type { ReplySinkSettings } from '../log-client/log-reply-sink.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { ProducerLink } from './producer-link.ts';

/** Times in ms. */
export interface KafkaReplySinkSettings extends ReplySinkSettings {
  readonly kafka: KafkaSettings;
  readonly topic: string;
}

/** Makes the cell's sink. Replies given before `start` has resolved wait for it. */
export function createKafkaReplySink(settings: KafkaReplySinkSettings, deps: KafkaDeps): ReplySink {
  const producer = new ProducerLink(settings.kafka, settings.topic, 'leader', deps);
  return new LogReplySink(settings, producer, deps);
}
