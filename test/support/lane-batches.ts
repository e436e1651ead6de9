/**
 * Batches for commit lanes: complete rows with plain values, of which a test changes what it cares
 * about. Ids are unique per call, so that tests can share a database.
 */
import { roomKeyOf } from '../../src/domain/ids.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  RoomId,
  RoomKey,
  RoomVersion,
  UserId,
} from '../../src/domain/ids.ts';
import type {
  DeadLetterRow,
  EventRow,
  FenceStep,
  GiftStatRow,
  LaneBatch,
  LogRow,
  RoomDayRow,
  RoomMetaRow,
  RoomWeekRow,
  SettlementRow,
  UserWeekRow,
} from '../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../src/ports/partition-store.ts';

export const testApp = 'app1' as AppCode;
export const asVersion = (version: bigint): RoomVersion => version as RoomVersion;
export const hashOf = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

let drawn = 0;

/** A room id that no other test uses. */
export function freshRoomId(): RoomId {
  drawn += 1;
  return `room-${process.pid}-${drawn}` as RoomId;
}

/** A command id that no other test uses. */
export function freshCommandId(): CommandId {
  drawn += 1;
  return `command-${process.pid}-${drawn}` as CommandId;
}

export const keyOf = (roomId: RoomId): RoomKey => roomKeyOf(testApp, roomId);

/** A batch of nothing; spread it. */
export const emptyBatch: LaneBatch = {
  fences: [],
  logRows: [],
  eventRows: [],
  roomRows: [],
  userRooms: [],
  deadLetters: [],
  settlements: [],
  giftStats: [],
  roomDays: [],
  roomWeeks: [],
  userWeeks: [],
  versionChecks: [],
};

/** The compare-and-set of a partition's first transaction after its takeover. */
export function fenceOf(
  taken: TakenPartition,
  incarnation: string,
  fields: Partial<FenceStep> = {},
): FenceStep {
  return {
    partition: taken.partition,
    epoch: taken.epoch,
    incarnation,
    commitSeq: 0n,
    appliedOffset: taken.appliedOffset + 1n,
    appliedRecordMs: null,
    settledOffsets: [],
    ...fields,
  };
}

export function logRowOf(
  taken: TakenPartition,
  roomId: RoomId,
  version: bigint,
  fields: Partial<LogRow> = {},
): LogRow {
  return {
    appCode: testApp,
    roomId,
    commandId: freshCommandId(),
    commandType: 'JoinRoom',
    actorUserId: 'alice' as UserId,
    payloadHash: hashOf(1),
    payloadHashVersion: 1,
    outcome: 'applied',
    appliedVersion: asVersion(version),
    decidedVersion: asVersion(version),
    decidedAtMs: 1_000,
    result: bytesOf('result'),
    events: bytesOf('events'),
    chainHash: hashOf(2),
    partition: taken.partition,
    kafkaOffset: taken.appliedOffset + 1n,
    epoch: taken.epoch,
    ownerNodeId: 'node-1',
    leaseToken: `${taken.epoch}.1`,
    ...fields,
  };
}

export function roomRowOf(
  taken: TakenPartition,
  roomId: RoomId,
  version: bigint,
  fields: Partial<RoomMetaRow> = {},
): RoomMetaRow {
  return {
    appCode: testApp,
    roomId,
    partition: taken.partition,
    previousVersion: asVersion(version - 1n),
    version: asVersion(version),
    status: 'active',
    ownerUserId: 'owner' as UserId,
    title: 'Evening talk',
    coverUrl: 'https://cdn.test/cover',
    seatCount: 8,
    mode: 'free',
    visibleRegionId: 86n,
    locked: false,
    passwordHash: '',
    passwordVersion: 0n,
    tags: ['music'],
    heat: 0n,
    onlineCount: 1,
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    nextDeadlineMs: null,
    nextSweepMs: null,
    chainHash: hashOf(2),
    closeInfoJson: null,
    ...fields,
  };
}

export function eventRowOf(
  roomId: RoomId,
  version: bigint,
  fields: Partial<EventRow> = {},
): EventRow {
  drawn += 1;
  return {
    appCode: testApp,
    roomId,
    roomVersion: asVersion(version),
    eventIndex: 0,
    eventId: `event-${process.pid}-${drawn}` as EventId,
    eventType: 'RoomUserJoined',
    occurredAtMs: 1_000,
    envelope: bytesOf('envelope'),
    destinations: ['im', 'activity'],
    usefulUntilMs: 61_000,
    ...fields,
  };
}

export function deadLetterOf(
  partition: number,
  kafkaOffset: bigint,
  fields: Partial<DeadLetterRow> = {},
): DeadLetterRow {
  return {
    topic: 't.commands',
    partition,
    kafkaOffset,
    reason: 'UNDECODABLE',
    detail: 'unknown marker',
    recordKey: bytesOf('key'),
    recordValue: bytesOf('value'),
    headersJson: '{}',
    recordTimeMs: 1_000,
    createdAtMs: 2_000,
    ...fields,
  };
}

/** A void of a debit key that no other test uses. */
export function settlementOf(
  partition: number,
  fields: Partial<SettlementRow> = {},
): SettlementRow {
  drawn += 1;
  return {
    debitKey: `${process.pid.toString(16)}${drawn.toString(16).padStart(8, '0')}`.padStart(64, '0'),
    appCode: testApp,
    roomId: freshRoomId(),
    commandId: freshCommandId(),
    payerUserId: 'alice' as UserId,
    partition,
    reason: 'GIFT_NOT_CHARGED',
    createdAtMs: 1_000,
    prize: null,
    ...fields,
  };
}

/** What one gift of 10 coins adds to the statistics of its sender. */
export function giftStatOf(roomId: RoomId, fields: Partial<GiftStatRow> = {}): GiftStatRow {
  return {
    appCode: testApp,
    roomId,
    userId: 'alice' as UserId,
    sentCoins: 10n,
    sentCount: 1n,
    receivedCoins: 0n,
    receivedCount: 0n,
    updatedAtMs: 1_000,
    ...fields,
  };
}

/** What one gift of 10 coins adds to the week of its room. */
export function roomWeekOf(roomId: RoomId, fields: Partial<RoomWeekRow> = {}): RoomWeekRow {
  return {
    appCode: testApp,
    roomId,
    isoWeek: '2026-W49',
    coins: 10n,
    giftCount: 1n,
    updatedAtMs: 1_000,
    ...fields,
  };
}

/** What was given there on that week's Monday. */
export function roomDayOf(roomId: RoomId, fields: Partial<RoomDayRow> = {}): RoomDayRow {
  const row = { coins: 10n, giftCount: 1n, updatedAtMs: 1_000 };
  return { appCode: testApp, roomId, utcDay: '2026-11-30', ...row, ...fields };
}

/** The same as the row of the week for its sender. */
export function userWeekOf(roomId: RoomId, fields: Partial<UserWeekRow> = {}): UserWeekRow {
  return { ...roomWeekOf(roomId), userId: 'alice' as UserId, ...fields };
}

/** One applied command of one room, everything it writes. */
export function commandBatch(
  taken: TakenPartition,
  incarnation: string,
  room: { readonly roomId: RoomId; readonly version: bigint },
  fence: Partial<FenceStep> = {},
): LaneBatch {
  return {
    ...emptyBatch,
    fences: [fenceOf(taken, incarnation, fence)],
    logRows: [logRowOf(taken, room.roomId, room.version)],
    eventRows: [eventRowOf(room.roomId, room.version)],
    roomRows: [roomRowOf(taken, room.roomId, room.version)],
  };
}

/** A gate that lets the transaction pass. */
export const open = (): Promise<boolean> => Promise.resolve(true);

/** The partition as `incarnation` owns it from now on: of one node, on its only lane. */
export function takenBy(
  store: Pick<PartitionStore, 'takeover'>,
  incarnation: string,
  partition = 0,
): Promise<TakenPartition> {
  const place = { nodeId: 'node-1', lane: 0, advertiseAddr: '10.0.0.1:7000' };
  return store.takeover({ partition, incarnation, ...place });
}
