/**
 * Names of the topics and of the record headers. Topic names are made from one configured prefix,
 * so that two deployments (or two test runs) can share a broker.
 */

/** Outbox destinations: each has its own topic and its own adapter. */
export type Destination = 'im' | 'activity' | 'rtc';

/** Every destination, in the order in which rows are written. */
export const destinations: readonly Destination[] = ['im', 'activity', 'rtc'];

/** The topics of one deployment. */
export interface TopicNames {
  readonly commands: string;
  readonly replies: string;
  readonly events: Readonly<Record<Destination, string>>;
  /** What is shown and not promised, for the IM adapter. */
  readonly display: string;
}

/** Topic names for a prefix (`room` gives `room.commands` and so on). */
export function topicNames(prefix: string): TopicNames {
  return {
    commands: `${prefix}.commands`,
    replies: `${prefix}.replies`,
    events: {
      im: `${prefix}.events.im`,
      activity: `${prefix}.events.activity`,
      rtc: `${prefix}.events.rtc`,
    },
    display: `${prefix}.display`,
  };
}

/** Header names on records. Values are UTF-8 text. They are a wire format: never change one. */
export const headerNames = {
  /** `<gateway incarnation>:<call number>`; echoed on the reply. */
  correlationId: 'rc-correlation-id',
  /** Partition of the reply topic on which the caller's gateway listens. */
  replyPartition: 'rc-reply-partition',
  /** Milliseconds after the record's time until which the command may start. Absent: for ever. */
  ttlMs: 'rc-ttl-ms',
  /** `1` on a fold of mic heartbeats: the clients of all of them say that they publish. */
  micPublishing: 'rc-mic-publishing',
  /** CRC-32C of the value, eight hex digits. */
  crc32c: 'rc-crc32c',
  /** Outbox row of an event record, decimal. */
  outboxRowId: 'rc-outbox-row-id',
  /** Claim under which the relay published the record. */
  claimToken: 'rc-claim-token',
  /** `1` on an event record whose row was started before and never ended. */
  suspect: 'rc-suspect',
} as const;
