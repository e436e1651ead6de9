/**
 * The values whose bytes release 0.3.0 wrote into this folder: those of 0.2.0 in the schemas of this
 * release, and what came with it, every command, event and table of a whole room. Values gain a
 * field's default when a later release adds a field; nothing else here may ever change.
 */
import type { RoomVersion } from '../../../src/domain/ids.ts';
import type { ActorRole, CommandBody } from '../../../src/domain/room/commands.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type {
  CommandRecord,
  CommandTopicRecord,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
  SnapshotRecord,
} from '../../../src/protocol/records.ts';
import * as former from '../0.2.0/samples.ts';
import { bodies } from './bodies.ts';
import { events as newEvents } from './events.ts';
import { bob, profile, session, timeMs } from './names.ts';
import { closingRoom, deletedRoom } from './rooms.ts';

const { appCode, roomId } = former.commands[0] as CommandRecord;

/** Records of the commands topic. */
export const commands: readonly CommandTopicRecord[] = [
  ...former.commands,
  ...bodies.map((body) => ({
    ...(former.commands[0] as CommandRecord),
    actorRole: roleFor(body),
    body,
  })),
  { kind: 'heartbeats', items: [{ appCode, roomId, userId: bob, micSessionId: session }] },
];

/** Result records: a rejection of the new rules, with a fact whose name and text are not ASCII. */
export const results: readonly ResultRecord[] = [
  ...former.results,
  {
    outcome: 'rejected',
    roomVersion: 9007199254740993n as RoomVersion,
    reason: 'USER_BANNED',
    facts: { expires_at_ms: '9007199254740993', reason: '刷屏', 注: '' },
    fields: {},
  },
  {
    outcome: 'no_effect',
    roomVersion: 9223372036854775807n as RoomVersion,
    reason: '',
    facts: {},
    fields: {},
  },
];

/** Replies of every kind. */
export const replies: readonly ReplyRecord[] = [
  ...former.replies,
  replyFromClosingRoom(),
  { kind: 'heartbeats', heardAtMs: timeMs, notPresent: [], notActive: [0], micStale: [1, 300] },
];

/** Every event, secrets included. */
export const events: readonly RoomEvent[] = [...former.events, ...newEvents];

/** Envelopes of every event type. */
export const envelopes: readonly EventEnvelope[] = [
  ...former.envelopes,
  ...newEvents.map((event) => ({
    ...(former.envelopes[0] as EventEnvelope),
    eventType: event.type,
    event: withoutSecret(event),
  })),
];

/** Snapshots. */
export const snapshots: readonly SnapshotRecord[] = [
  ...former.snapshots,
  { state: closingRoom() },
  { state: deletedRoom() },
];

/** The event as an envelope brings it back: without its secret. */
export function withoutSecret(event: RoomEvent): RoomEvent {
  return 'passwordHash' in event ? { ...event, passwordHash: '' } : event;
}

function roleFor({ type }: CommandBody): ActorRole {
  if (type === 'ApplyRtcEvent') return 'rtc';
  if (type === 'EvictUser') return 'operator';
  return /^(Expire|Sweep|Finish|Note)/.test(type) ? 'system' : 'user';
}

function replyFromClosingRoom(): ReplyRecord {
  const reply = former.replies[0] as Extract<ReplyRecord, { kind: 'result' }>;
  const view: RoomView = {
    ...(reply.view as RoomView),
    ...profile,
    status: 'closing',
    ownerUserId: bob,
    closesAtMs: timeMs,
    close: null,
    me: { role: 'admin', present: false, seatNo: 0, micSessionId: '', muted: false },
  };
  return { ...reply, view };
}
