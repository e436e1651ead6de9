/** The display topic as the IM adapter reads it, over kafkajs. */
import type { DisplaySource } from '../../ports/display-source.ts';
import { LogDisplaySource } from '../log-client/log-display-source.ts';
import type { DisplaySourceSettings } from '../log-client/log-display-source.ts';
import { displayMembership } from '../log-client/membership-settings.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { rendezvousAssigner } from './rendezvous-assigner.ts';

/** Times in ms. */
export interface KafkaDisplaySourceSettings extends DisplaySourceSettings {
  readonly kafka: KafkaSettings;
}

/** Makes the adapter's source. Nothing is connected before `start`. */
export function createKafkaDisplaySource(
  settings: KafkaDisplaySourceSettings,
  deps: KafkaDeps,
): DisplaySource {
  const assigner = rendezvousAssigner(settings.instanceName, deps.log);
  const membership = { ...displayMembership(settings), assigner };
  return new LogDisplaySource(
    (handlers) => new GroupMember(settings.kafka, membership, handlers, deps),
    deps,
  );
}
