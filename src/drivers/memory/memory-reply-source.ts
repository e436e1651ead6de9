/** Memory twin of one partition of the reply topic, read by the one gateway that holds its slot. */
import type { ReplySource } from '../../ports/reply-source.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { LogReplySource } from '../log-client/log-reply-source.ts';
import type { ReplySourceSettings } from '../log-client/log-reply-source.ts';
import { replyMembership } from '../log-client/membership-settings.ts';
import { MemoryGroupMember } from './memory-group-member.ts';
import { MemoryOffsets } from './memory-transport.ts';
import type { MemoryClientSettings } from './memory-transport.ts';

/** Times in ms. */
export type MemoryReplySourceSettings = ReplySourceSettings & MemoryClientSettings;

/** Makes the gateway's source. Nothing is asked before `start`. */
export function createMemoryReplySource(
  settings: MemoryReplySourceSettings,
  ports: DriverPorts,
): ReplySource {
  const { broker, client, topic } = settings;
  const membership = { ...replyMembership(settings), broker, client, instanceName: client };
  return new LogReplySource(
    {
      join: (pinnedPartition, handlers) =>
        new MemoryGroupMember({ ...membership, pinnedPartition }, handlers, ports),
      offsets: () => new MemoryOffsets(settings, topic),
    },
    ports,
  );
}
