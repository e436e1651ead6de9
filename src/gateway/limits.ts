/** Named limits of the gateway; the configuration may change them, the relations are checked there. */

/** See each field. Times are milliseconds. */
export interface GatewayLimits {
  /** Calls that may wait for a reply at once. Full: GATEWAY_BUSY. */
  readonly pendingCallsMax: number;
  /** Calls of one room that may be in flight at once. Full: ROOM_BUSY. */
  readonly roomWindow: number;
  /** Pause that a busy answer asks the caller to make; longer where many are refused. */
  readonly busyRetryMs: number;
  /** Time a caller is answered within when it named no deadline. */
  readonly defaultDeadlineMs: number;
  /** Longer deadlines are cut to this. */
  readonly maxDeadlineMs: number;
  /** How long heartbeats of one partition gather before they are sent as one record. */
  readonly heartbeatFoldMs: number;
  /** Users in one fold; the fold is sent at once when it has so many. */
  readonly heartbeatFoldItemsMax: number;
  /** Heartbeat calls that may wait at once over all partitions. Full: GATEWAY_BUSY. */
  readonly heartbeatWaitersMax: number;
  /** Rooms that may be rebuilt for a read at once. Full: GATEWAY_BUSY. */
  readonly roomReadsMax: number;
  /** Clients that may watch rooms at once. Full: GATEWAY_BUSY. */
  readonly watchersMax: number;
  /** How long a watch may be without an owner before its client is told where to go on. */
  readonly watchResumeMs: number;
  /** Places of the gift rank in a room's view. */
  readonly giftRankMax: number;
  /** How long a ticket to a room's RTC is valid; a whole number of seconds. */
  readonly rtcTicketMs: number;
  /** Seat counts that CreateRoom takes. */
  readonly seatCounts: readonly number[];
}

/** What holds when the configuration says nothing. */
export const defaultGatewayLimits: GatewayLimits = {
  pendingCallsMax: 20_000,
  roomWindow: 64,
  busyRetryMs: 100,
  defaultDeadlineMs: 5_000,
  maxDeadlineMs: 30_000,
  heartbeatFoldMs: 250,
  heartbeatFoldItemsMax: 500,
  heartbeatWaitersMax: 20_000,
  roomReadsMax: 64,
  watchersMax: 10_000,
  watchResumeMs: 20_000,
  giftRankMax: 20,
  rtcTicketMs: 120_000,
  seatCounts: Array.from({ length: 20 }, (_, index) => index + 1),
};
