/** The events that came with 0.3.0, secrets included, and old ones with every new reason. */
import type { MicDownReason } from '../../../src/domain/mic/mic-events.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { ann, bob, eve, passwordHash, passwordVersion, profile, session, timeMs } from './names.ts';

const newDownReasons: readonly MicDownReason[] = [
  'seat_locked',
  'seat_removed',
  'kicked',
  'evicted',
  'stale',
  'mic_stale',
  'audio_stopped',
  'rtc_exited',
];

const seat = { userId: ann, seatNo: 1, micSessionId: session };

/** See the file header. */
export const events: readonly RoomEvent[] = [
  {
    type: 'RoomClosing',
    closedByUserId: ann,
    closedByKind: 'admin',
    reason: 'owner_closed',
    note: '再见',
    closesAtMs: timeMs,
  },
  { type: 'RoomDeleted', byUserId: ann, byKind: 'owner', reason: 'owner_deleted', note: '' },
  { type: 'RoomProfileUpdated', byUserId: ann, profile },
  { type: 'RoomSeatCountChanged', byUserId: ann, seatCount: 20 },
  { type: 'RoomPasswordChanged', byUserId: ann, passwordHash, locked: true, passwordVersion },
  {
    type: 'RoomPasswordAttemptFailed',
    userId: eve,
    attempts: 5,
    windowStartedAtMs: timeMs,
  },
  { type: 'RoomModeChanged', byUserId: bob, mode: 'apply' },
  { type: 'RoomVisibleRegionChanged', byUserId: ann, visibleRegionId: 9223372036854775807n },
  { type: 'RoomAdminChanged', byUserId: ann, userId: bob, isAdmin: true },
  { type: 'RoomOwnerTransferred', byUserId: ann, fromUserId: ann, toUserId: bob },
  { type: 'RoomUsersStaleLeft', userIds: [eve, ann] },
  { type: 'RoomUserKicked', userId: eve, byUserId: bob, reason: '刷屏', expiresAtMs: timeMs },
  { type: 'RoomUserUnbanned', userId: eve, byUserId: bob, reason: 'expired' },
  { type: 'RoomUserEvicted', userId: eve, byUserId: ann, reason: 'platform' },
  { type: 'RoomMicRtcNoted', ...seat, publishEventTimeMs: timeMs },
  {
    type: 'RoomMicSeatChanged',
    userId: ann,
    fromSeatNo: 1,
    toSeatNo: 20,
    micSessionId: session,
    publishDeadlineMs: timeMs,
  },
  { type: 'RoomMicSeatLocked', seatNo: 3 },
  { type: 'RoomMicSeatUnlocked', seatNo: 3 },
  { type: 'RoomMicSeatMuted', seatNo: 3, muted: true },
  {
    type: 'RoomMicRequested',
    kind: 'invite',
    userId: bob,
    byUserId: ann,
    seatNo: 2,
    expiresAtMs: timeMs,
  },
  ...(['declined', 'withdrawn', 'expired'] as const).map((end): RoomEvent => ({
    type: 'RoomMicRequestEnded',
    kind: end === 'expired' ? 'invite' : 'apply',
    userId: bob,
    byUserId: ann,
    end,
  })),
  { type: 'RoomUserLeft', userId: eve, reason: 'evicted' },
  ...newDownReasons.map((reason): RoomEvent => ({
    type: 'RoomMicDown',
    ...seat,
    reason,
    onMicMs: 9_007_199_254,
  })),
];
