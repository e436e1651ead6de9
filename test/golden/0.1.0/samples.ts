/**
 * The values whose bytes release 0.1.0 wrote into this folder: at least one per record and per kind
 * of command, event and reply, with 64-bit values beyond 2^53 and texts beyond ASCII. Values gain a
 * field's default when a later release adds a field; nothing else here may ever change.
 */
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type { PersistentMap } from '../../../src/kernel/persistent-map.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../src/domain/ids.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type { PresentUser, RoomState, UserProfile } from '../../../src/domain/room/state.ts';
import type {
  CommandRecord,
  CommandTopicRecord,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
  SnapshotRecord,
} from '../../../src/protocol/records.ts';

const appCode = 'hy' as AppCode;
const roomId = 'room-1' as RoomId;
const ann = 'u9007199254740993' as UserId;
const bob = 'u9007199254740992' as UserId;
const commandId = 'c-1' as CommandId;
const session = '3904d2d4-de88-54cf-bce6-d5e8d3a1326b' as MicSessionId;
const version = 9007199254740993n as RoomVersion;
const timeMs = 1_700_000_000_123;

const profile: UserProfile = {
  nickname: '安 🎤',
  avatarUrl: 'https://cdn.example/a.png',
  countryCode: 'CN',
  ext: '{"level":7}',
};

const present = (userId: UserId): PresentUser => ({
  userId,
  profile,
  isRobot: userId === bob,
  joinedAtMs: timeMs,
  joinedAtVersion: version,
});

const look = {
  title: '晚间聊天',
  coverUrl: 'https://cdn.example/c.png',
  backgroundUrl: 'https://cdn.example/b.png',
  tags: ['music', '聊天'],
  ext: '{}',
};

/** Every command body. */
export const bodies: readonly CommandBody[] = [
  {
    type: 'CreateRoom',
    ...look,
    seatCount: 8,
    mode: 'apply',
    visibleRegionId: -9007199254740993n,
    passwordHash: 'scrypt$16384$c2FsdA$aGFzaA',
  },
  {
    type: 'JoinRoom',
    profile,
    isRobot: true,
    password: { passwordVersion: 9223372036854775807n, verdict: 'mismatch' },
    isPlatformBanned: false,
  },
  { type: 'LeaveRoom' },
  { type: 'MicUp', seatNo: 3 },
  { type: 'MicDown', userId: '', micSessionId: session },
  { type: 'ConfirmMicPublishing', micSessionId: session },
  { type: 'CloseRoom', reason: 'owner_closed', note: 'bye' },
  { type: 'ExpireMicPublish', seatNo: 3, micSessionId: session, publishDeadlineMs: timeMs },
];

const command = (body: CommandBody): CommandRecord => ({
  kind: 'command',
  appCode,
  roomId,
  commandId,
  actorUserId: ann,
  actorRole: body.type === 'ExpireMicPublish' ? 'system' : 'user',
  clientTimeMs: timeMs,
  snapshotMode: 'view',
  body,
});

/** Every event, secrets included. */
export const events: readonly RoomEvent[] = [
  {
    type: 'RoomCreated',
    ...look,
    ownerUserId: ann,
    seatCount: 8,
    mode: 'free',
    visibleRegionId: 9223372036854775807n,
    passwordHash: 'scrypt$16384$c2FsdA$aGFzaA',
  },
  { type: 'RoomUserJoined', userId: bob, profile, isRobot: true },
  { type: 'RoomUserUpdated', userId: bob, profile },
  { type: 'RoomUserLeft', userId: bob, reason: 'stale' },
  { type: 'RoomMicUp', userId: ann, seatNo: 1, micSessionId: session, publishDeadlineMs: timeMs },
  {
    type: 'RoomMicPublishing',
    userId: ann,
    seatNo: 1,
    micSessionId: session,
    publishEventTimeMs: timeMs,
  },
  {
    type: 'RoomMicDown',
    userId: ann,
    seatNo: 1,
    micSessionId: session,
    reason: 'publish_timeout',
    onMicMs: 12_345,
  },
  {
    type: 'RoomClosed',
    closedByUserId: ann,
    closedByKind: 'owner',
    reason: 'owner_closed',
    note: 'bye',
    finalOnlineCount: 10_000,
    finalHeat: 0n,
  },
];

/** The event as an envelope brings it back: without its secret. */
export function withoutSecret(event: RoomEvent): RoomEvent {
  return event.type === 'RoomCreated' ? { ...event, passwordHash: '' } : event;
}

const envelope = (event: RoomEvent, eventIndex: number): EventEnvelope => ({
  eventId: '4375447c-c61a-54c9-bbb3-4f3499a80777' as EventId,
  appCode,
  roomId,
  eventType: event.type,
  roomVersion: version,
  eventIndex,
  occurredAtMs: timeMs,
  commandId,
  actorUserId: ann,
  event: withoutSecret(event),
});

const state: RoomState = {
  appCode,
  roomId,
  status: 'closed',
  version,
  ownerUserId: ann,
  profile: { ...look, announcement: '欢迎' },
  mode: 'free',
  visibleRegionId: 86n,
  passwordHash: 'scrypt$16384$c2FsdA$aGFzaA',
  passwordVersion: 2n,
  seats: [
    { seatNo: 1, locked: true, muted: false, occupancy: null },
    {
      seatNo: 2,
      locked: false,
      muted: true,
      occupancy: {
        userId: ann,
        micSessionId: session,
        state: 'pending_publish',
        sessionRoomVersion: version,
        sessionStartedAtMs: timeMs,
        publishDeadlineMs: timeMs + 15_000,
        lastPublishEventTimeMs: 0,
      },
    },
  ],
  micRequests: [],
  admins: [],
  bans: emptyPersistentMap(),
  temporaryBans: [],
  passwordAttempts: emptyPersistentMap(),
  users: usersOf(ann, bob),
  robotCount: 1,
  heat: 0n,
  giftSenders: emptyPersistentMap(),
  topGiftSenders: [],
  rocket: null,
  createdAtMs: timeMs - 1,
  lastEventAtMs: timeMs,
  closing: null,
  closeInfo: {
    closedByUserId: ann,
    closedByKind: 'operator',
    reason: 'platform',
    note: '',
    closedAtMs: timeMs,
    finalOnlineCount: 2,
    finalHeat: 0n,
  },
};

const view: RoomView = {
  ...look,
  appCode,
  roomId,
  status: 'active',
  version,
  ownerUserId: ann,
  announcement: '欢迎',
  mode: 'apply',
  visibleRegionId: 86n,
  locked: true,
  createdAtMs: timeMs,
  seats: [
    { seatNo: 1, locked: false, muted: false, state: 'idle', holder: null },
    {
      seatNo: 2,
      locked: false,
      muted: true,
      state: 'publishing',
      holder: { userId: ann, nickname: '安', avatarUrl: '' },
    },
  ],
  counts: { online: 10_000, onSeat: 1, robots: 0 },
  roomHeat: 0n,
  giftRank: [],
  rocket: null,
  closesAtMs: 0,
  close: { kind: 'system', reason: 'idle', closedAtMs: timeMs },
  me: { role: 'owner', present: true, seatNo: 2, micSessionId: session, muted: true },
};

/** Records of the commands topic. */
export const commands: readonly CommandTopicRecord[] = [
  ...bodies.map(command),
  { kind: 'heartbeats', items: [{ appCode, roomId, userId: ann, micSessionId: '' }] },
];

/** Result records: everything there, and almost nothing there. */
export const results: readonly ResultRecord[] = [
  {
    outcome: 'applied',
    roomVersion: version,
    reason: '',
    facts: {},
    fields: {
      user: present(bob),
      seatNo: 2,
      micSessionId: session,
      publishDeadlineMs: timeMs,
    },
  },
  {
    outcome: 'rejected',
    roomVersion: 1n as RoomVersion,
    reason: 'SEAT_TAKEN',
    facts: { seat_no: '2', holder_user_id: ann },
    fields: {},
  },
];

/** Replies of every kind. */
export const replies: readonly ReplyRecord[] = [
  { kind: 'result', resultBytes: Buffer.from('c301', 'hex'), replayed: true, view },
  { kind: 'result', resultBytes: Buffer.from('00', 'hex'), replayed: false, view: null },
  { kind: 'refusal', reason: 'ROOM_BUSY', facts: { limit: '64' }, retryAfterMs: 250 },
  { kind: 'heartbeats', heardAtMs: 0, notPresent: [0, 7], notActive: [300], micStale: [] },
];

/** Envelopes of every event type. */
export const envelopes: readonly EventEnvelope[] = events.map(envelope);

/** Snapshots. */
export const snapshots: readonly SnapshotRecord[] = [{ state }];

function usersOf(...userIds: readonly UserId[]): PersistentMap<PresentUser> {
  return userIds.reduce(
    (users, userId) => users.set(userId, present(userId)),
    emptyPersistentMap<PresentUser>(),
  );
}
