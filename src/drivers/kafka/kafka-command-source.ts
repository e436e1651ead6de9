/** The commands topic as the cell reads it, over kafkajs. */
import type { CommandSource } from '../../ports/command-source.ts';
import { LogCommandSource } from '../log-client/log-command-source.ts';
import type { CommandSourceSettings } from '../log-client/log-command-source.ts';
import { commandMembership } from '../log-client/membership-settings.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { LogOffsets } from './log-offsets.ts';
import { rendezvousAssigner } from './rendezvous-assigner.ts';

/** Times in ms. */
export interface KafkaCommandSourceSettings extends CommandSourceSettings {
  readonly kafka: KafkaSettings;
}

/** Makes the cell's source. Nothing is connected before `start`. */
export function createKafkaCommandSource(
  settings: KafkaCommandSourceSettings,
  deps: KafkaDeps,
): CommandSource {
  const { kafka, topic, instanceName } = settings;
  const assigner = rendezvousAssigner(instanceName, deps.log);
  const membership = { ...commandMembership(settings), assigner };
  return new LogCommandSource(
    settings,
    {
      join: (handlers) => new GroupMember(kafka, membership, handlers, deps),
      offsets: new LogOffsets(kafka, topic, deps),
    },
    deps,
  );
}
