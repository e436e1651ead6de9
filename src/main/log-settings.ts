/**
 * Names and times with which the roles read and write the log, the same on Kafka and on its twin:
 * one deployment's groups must not depend on who made the client.
 */
import type { CommandSinkSettings } from '../drivers/log-client/log-command-sink.ts';
import type { CommandSourceSettings } from '../drivers/log-client/log-command-source.ts';
import type { DisplaySourceSettings } from '../drivers/log-client/log-display-source.ts';
import type { EventSinkSettings } from '../drivers/log-client/log-event-sink.ts';
import type { EventSourceSettings } from '../drivers/log-client/log-event-source.ts';
import type { ReplySourceSettings } from '../drivers/log-client/log-reply-source.ts';
import type { Destination } from '../protocol/topics.ts';
import type { DriverSetParts } from './driver-set.ts';

/** See the file header. */
export interface LogSettings {
  readonly commandSink: CommandSinkSettings;
  readonly replySink: { readonly topic: string };
  commandSource(partitionCount: number): CommandSourceSettings;
  replySource(reader: string): ReplySourceSettings;
  eventSink(destination: Destination): EventSinkSettings;
  /** One group per destination: members of one that read different topics would get each other's. */
  eventSource(destination: Destination): EventSourceSettings;
  readonly displaySink: { readonly topic: string };
  readonly displaySource: DisplaySourceSettings;
}

/** Reads them off the configuration. */
export function logSettingsOf({ config, nodeId, topics }: DriverSetParts): LogSettings {
  const { sessionTimeoutMs, rebalanceTimeoutMs, heartbeatIntervalMs, topicPrefix } = config.kafka;
  return {
    commandSink: { topic: topics.commands },
    replySink: { topic: topics.replies },
    commandSource: (partitionCount) => ({
      topic: topics.commands,
      groupId: `${topics.commands}.cells`,
      instanceName: nodeId,
      partitionCount,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      heartbeatIntervalMs,
    }),
    replySource: (reader) => ({
      topic: topics.replies,
      groupId: `${topics.replies}.${reader}`,
      sessionTimeoutMs,
      heartbeatIntervalMs,
    }),
    eventSink: (destination) => ({ topic: topics.events[destination] }),
    eventSource: (destination) => ({
      topic: topics.events[destination],
      groupId: `${topicPrefix}.adapter-${destination}`,
      instanceName: nodeId,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
    }),
    displaySink: { topic: topics.display },
    displaySource: {
      topic: topics.display,
      groupId: `${topicPrefix}.adapter-display`,
      instanceName: nodeId,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
    },
  };
}
