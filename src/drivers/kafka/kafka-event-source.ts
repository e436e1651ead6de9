/** A destination's topic as its adapter reads it, over kafkajs. */
import type { EventSource } from '../../ports/event-source.ts';
import { LogEventSource } from '../log-client/log-event-source.ts';
import type { EventSourceSettings } from '../log-client/log-event-source.ts';
import { eventMembership } from '../log-client/membership-settings.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { rendezvousAssigner } from './rendezvous-assigner.ts';

/** Times in ms. */
export interface KafkaEventSourceSettings extends EventSourceSettings {
  readonly kafka: KafkaSettings;
}

/** Makes an adapter's source. Nothing is connected before `start`. */
export function createKafkaEventSource(
  settings: KafkaEventSourceSettings,
  deps: KafkaDeps,
): EventSource {
  const assigner = rendezvousAssigner(settings.instanceName, deps.log);
  const membership = { ...eventMembership(settings), assigner };
  return new LogEventSource(
    settings,
    (handlers) => new GroupMember(settings.kafka, membership, handlers, deps),
    deps,
  );
}
