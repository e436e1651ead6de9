/** A consumer of kafkajs for one membership, and what its events say to the member that has it. */
import type { Consumer, PartitionAssigner } from 'kafkajs';
import type { GroupMemberHandlers } from '../log-client/log-transport.ts';
import type { MembershipSettings } from '../log-client/membership-settings.ts';
import type { MembershipWatch } from '../log-client/membership-watch.ts';
import type { BrokerSockets } from './broker-sockets.ts';
import { endlessRetry, type KafkaClient } from './kafka-client.ts';

/** What a consumer's events are held against. */
export interface ConsumerSurroundings {
  /** Another consumer has its place by now: nothing that it says counts. */
  readonly isOver: () => boolean;
  readonly watch: MembershipWatch;
  readonly sockets: BrokerSockets;
  readonly onForgotten: () => void;
}

/**
 * Makes a consumer; nothing is connected yet. `nth` tells it from its predecessors. `onPassing` is called
 * when kafkajs ends it for an error that passes.
 */
export function makeConsumer(
  { kafka }: KafkaClient,
  settings: MembershipSettings & { readonly assigner: PartitionAssigner },
  nth: number,
  onPassing: () => void,
): Consumer {
  const suffix = settings.isGroupOfOne === true ? `-${nth}` : '';
  return kafka.consumer({
    groupId: `${settings.groupId}${suffix}`,
    partitionAssigners: [settings.assigner],
    sessionTimeout: settings.sessionTimeoutMs,
    rebalanceTimeout: settings.rebalanceTimeoutMs,
    heartbeatInterval: settings.heartbeatIntervalMs,
    maxWaitTimeInMs: settings.maxWaitMs,
    minBytes: 1,
    maxBytesPerPartition: settings.maxBytesPerPartition,
    allowAutoTopicCreation: false,
    retry: {
      ...endlessRetry,
      // Asked only about errors that pass. kafkajs's own restart can leave two consumers behind
      // (its issue 1122), so the answer is no and the member makes the new one.
      restartOnFailure: () => {
        onPassing();
        return Promise.resolve(false);
      },
    },
  });
}

/** Passes the events on, but for CRASH. Answers what the member's id was at its last heartbeat. */
export function listenTo(
  consumer: Consumer,
  topic: string,
  handlers: GroupMemberHandlers,
  { isOver, watch, sockets, onForgotten }: ConsumerSurroundings,
): () => string {
  let awaited: { memberId: string } | null = null;
  let newest = { memberId: '', generation: -1 };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (isOver()) return;
    watch.confirmed();
    awaited = { memberId: payload.memberId };
    handlers.onJoined(payload.memberAssignment[topic] ?? []);
  });
  consumer.on(consumer.events.HEARTBEAT, ({ payload }) => {
    const { memberId, groupGenerationId: generation } = payload;
    // Scenario 1: a heartbeat of the generation before was under way while the member joined.
    const isLate = memberId === newest.memberId && generation < newest.generation;
    if (isLate || isOver()) return;
    watch.confirmed();
    newest = { memberId, generation };
    if (awaited?.memberId !== memberId) return;
    awaited = null;
    handlers.onConfirmed();
  });
  consumer.on(consumer.events.REBALANCING, () => {
    if (!isOver()) handlers.onRebalancing();
  });
  consumer.on(consumer.events.REQUEST, ({ payload }) => {
    if (payload.apiName !== 'Fetch' || isOver()) return;
    handlers.onFetchAnswered();
    if (watch.isForgotten()) onForgotten();
  });
  consumer.on(consumer.events.REQUEST_TIMEOUT, ({ payload }) => sockets.cut(payload.broker));
  return () => newest.memberId;
}
