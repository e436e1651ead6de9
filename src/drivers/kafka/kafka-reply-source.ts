/**
 * One partition of the reply topic, over kafkajs. The group is made for this process alone, so no
 * other member can ever move the partition, and a predecessor's session never has to run out first.
 */
import type { ReplySource } from '../../ports/reply-source.ts';
import { LogReplySource } from '../log-client/log-reply-source.ts';
import type { ReplySourceSettings } from '../log-client/log-reply-source.ts';
import { replyMembership } from '../log-client/membership-settings.ts';
import { GroupMember } from './group-member.ts';
import type { KafkaDeps, KafkaSettings } from './kafka-settings.ts';
import { LogOffsets } from './log-offsets.ts';
import { pinningAssigner } from './pinning-assigner.ts';

/** Times in ms. */
export interface KafkaReplySourceSettings extends ReplySourceSettings {
  readonly kafka: KafkaSettings;
}

/** Makes the gateway's source. Nothing is connected before `start`. */
export function createKafkaReplySource(
  settings: KafkaReplySourceSettings,
  deps: KafkaDeps,
): ReplySource {
  const { kafka, topic } = settings;
  return new LogReplySource(
    {
      join(partition, handlers) {
        const membership = { ...replyMembership(settings), assigner: pinningAssigner(partition) };
        return new GroupMember(kafka, membership, handlers, deps);
      },
      offsets: () => new LogOffsets(kafka, topic, deps),
    },
    deps,
  );
}
