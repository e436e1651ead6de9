/** Any command, of every type: a new type does not compile without values of it. */
import fc from 'fast-check';
import type { AnswerMicRequest, RtcEventKind } from '../../../src/domain/mic/mic-commands.ts';
import type { PasswordVerdict } from '../../../src/domain/password/password-verdict.ts';
import type { ActorRole, CommandBody, CommandType } from '../../../src/domain/room/commands.ts';
import type { CommandTopicRecord, SnapshotMode } from '../../../src/protocol/records.ts';
import {
  anySymbol,
  appCode,
  commandId,
  giftId,
  int,
  long,
  look,
  micSessionId,
  mode,
  profile,
  roomId,
  tags,
  text,
  timeMs,
  type,
  userId,
} from './arbitrary-parts.ts';

type BodiesByType = {
  readonly [T in CommandType]: fc.Arbitrary<Extract<CommandBody, { readonly type: T }>>;
};

const noneOr = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value);

const bodies: BodiesByType = {
  CreateRoom: fc.record({
    type: type('CreateRoom'),
    ...look,
    seatCount: int,
    mode,
    visibleRegionId: long,
    passwordHash: text,
  }),
  CloseRoom: fc.record({ type: type('CloseRoom'), reason: text, note: text }),
  DeleteRoom: fc.record({ type: type('DeleteRoom'), reason: text, note: text }),
  UpdateRoomProfile: fc.record({
    type: type('UpdateRoomProfile'),
    title: noneOr(text),
    coverUrl: noneOr(text),
    announcement: noneOr(text),
    backgroundUrl: noneOr(text),
    tags: noneOr(tags),
    ext: noneOr(text),
  }),
  SetSeatCount: fc.record({ type: type('SetSeatCount'), seatCount: int }),
  SetRoomPassword: fc.record({ type: type('SetRoomPassword'), passwordHash: text }),
  SetRoomMode: fc.record({ type: type('SetRoomMode'), mode }),
  SetVisibleRegion: fc.record({ type: type('SetVisibleRegion'), visibleRegionId: long }),
  SetAdmin: fc.record({ type: type('SetAdmin'), userId, isAdmin: fc.boolean() }),
  TransferOwner: fc.record({ type: type('TransferOwner'), userId }),
  FinishClosing: fc.record({ type: type('FinishClosing') }),
  NotePasswordAttempt: fc.record({ type: type('NotePasswordAttempt'), userId }),
  JoinRoom: fc.record({
    type: type('JoinRoom'),
    profile,
    isRobot: fc.boolean(),
    password: fc.record({
      passwordVersion: long,
      verdict: anySymbol<PasswordVerdict['verdict']>({
        none_given: true,
        match: true,
        mismatch: true,
      }),
    }),
    isPlatformBanned: fc.boolean(),
  }),
  UpdateUser: fc.record({ type: type('UpdateUser'), profile }),
  LeaveRoom: fc.record({ type: type('LeaveRoom') }),
  KickUser: fc.record({ type: type('KickUser'), userId, reason: text, expiresAtMs: timeMs }),
  UnbanUser: fc.record({ type: type('UnbanUser'), userId }),
  EvictUser: fc.record({ type: type('EvictUser'), userId, reason: text }),
  SweepStaleUsers: fc.record({
    type: type('SweepStaleUsers'),
    userIds: fc.array(userId, { maxLength: 4 }),
  }),
  ExpireBans: fc.record({ type: type('ExpireBans') }),
  MicUp: fc.record({ type: type('MicUp'), seatNo: int }),
  MicDown: fc.record({
    type: type('MicDown'),
    userId: fc.oneof(type(''), userId),
    micSessionId: fc.oneof(type(''), micSessionId),
  }),
  ChangeMicSeat: fc.record({ type: type('ChangeMicSeat'), toSeatNo: int }),
  ConfirmMicPublishing: fc.record({ type: type('ConfirmMicPublishing'), micSessionId }),
  SetMicSeatLock: fc.record({ type: type('SetMicSeatLock'), seatNo: int, locked: fc.boolean() }),
  SetMicSeatMute: fc.record({ type: type('SetMicSeatMute'), seatNo: int, muted: fc.boolean() }),
  InviteToMic: fc.record({ type: type('InviteToMic'), userId, seatNo: int }),
  ApplyForMic: fc.record({ type: type('ApplyForMic'), seatNo: int }),
  AnswerMicRequest: fc.record({
    type: type('AnswerMicRequest'),
    userId: fc.oneof(type(''), userId),
    answer: anySymbol<AnswerMicRequest['answer']>({ accepted: true, declined: true }),
  }),
  ApplyRtcEvent: fc.record({
    type: type('ApplyRtcEvent'),
    kind: anySymbol<RtcEventKind>({ audio_started: true, audio_stopped: true, room_exited: true }),
    eventTimeMs: timeMs,
  }),
  ExpireMicPublish: fc.record({
    type: type('ExpireMicPublish'),
    seatNo: int,
    micSessionId,
    publishDeadlineMs: timeMs,
  }),
  ExpireMicHeartbeat: fc.record({ type: type('ExpireMicHeartbeat'), seatNo: int, micSessionId }),
  ExpireMicRequests: fc.record({ type: type('ExpireMicRequests') }),
  LaunchRocket: fc.record({ type: type('LaunchRocket'), roundNo: long }),
  SendGift: fc.record({
    type: type('SendGift'),
    giftId,
    giftCount: int,
    targetUserIds: fc.array(userId, { maxLength: 4 }),
    comboId: text,
  }),
};

/** Any command body. */
export const anyBody: fc.Arbitrary<CommandBody> = fc.oneof(...Object.values(bodies));

/** Any record of the commands topic. */
export const anyCommand: fc.Arbitrary<CommandTopicRecord> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: type('command'),
      appCode,
      roomId,
      commandId,
      actorUserId: userId,
      actorRole: anySymbol<ActorRole>({
        user: true,
        service: true,
        operator: true,
        system: true,
        rtc: true,
      }),
      clientTimeMs: timeMs,
      snapshotMode: anySymbol<SnapshotMode>({ none: true, view: true }),
      body: anyBody,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: type('heartbeats'),
      items: fc.array(
        fc.record({
          appCode,
          roomId,
          userId,
          micSessionId: fc.oneof(type(''), micSessionId),
        }),
        { maxLength: 5 },
      ),
    }),
  },
);
