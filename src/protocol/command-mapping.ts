/**
 * Commands and heartbeat folds between the domain and the wire. Encoding hands the domain's objects
 * through (the encoder takes the fields its schema names); decoding builds them anew, one function
 * per command type, so that a new type does not compile until it can be read.
 */
import type { CommandBody, CommandType } from '../domain/room/commands.ts';
import type { RoomProfile, UserProfile } from '../domain/room/state.ts';
import type { CommandRecord, CommandTopicRecord, HeartbeatFold } from './records.ts';
import { WireFault } from './wire-fault.ts';
import { branchOf, known, openBranch, unknownSymbol } from './wire-shape.ts';
import type { Wire, WireVariant } from './wire-shape.ts';

type CommandReaders = {
  readonly [T in CommandType]: (
    fields: WireVariant<CommandBody, T>,
  ) => Extract<CommandBody, { type: T }>;
};

const commandReaders: CommandReaders = {
  CreateRoom: (fields) => ({
    type: 'CreateRoom',
    title: fields.title,
    coverUrl: fields.coverUrl,
    backgroundUrl: fields.backgroundUrl,
    seatCount: fields.seatCount,
    mode: known(fields.mode, 'CreateRoom.mode'),
    visibleRegionId: fields.visibleRegionId,
    passwordHash: fields.passwordHash,
    tags: fields.tags,
    ext: fields.ext,
  }),
  JoinRoom: (fields) => ({
    type: 'JoinRoom',
    profile: profileFromWire(fields.profile),
    isRobot: fields.isRobot,
    password: {
      passwordVersion: fields.password.passwordVersion,
      verdict: known(fields.password.verdict, 'JoinRoom.password.verdict'),
    },
    isPlatformBanned: fields.isPlatformBanned,
  }),
  LeaveRoom: () => ({ type: 'LeaveRoom' }),
  MicUp: (fields) => ({ type: 'MicUp', seatNo: fields.seatNo }),
  MicDown: (fields) => ({
    type: 'MicDown',
    userId: fields.userId,
    micSessionId: fields.micSessionId,
  }),
  ConfirmMicPublishing: (fields) => ({
    type: 'ConfirmMicPublishing',
    micSessionId: fields.micSessionId,
  }),
  CloseRoom: (fields) => ({ type: 'CloseRoom', reason: fields.reason, note: fields.note }),
  SendGift: (fields) => ({
    type: 'SendGift',
    giftId: fields.giftId,
    giftCount: fields.giftCount,
    targetUserIds: fields.targetUserIds,
    comboId: fields.comboId,
  }),
  UpdateUser: (fields) => ({
    type: 'UpdateUser',
    profile: profileFromWire(fields.profile),
  }),
  KickUser: (fields) => ({
    type: 'KickUser',
    userId: fields.userId,
    reason: fields.reason,
    expiresAtMs: fields.expiresAtMs,
  }),
  UnbanUser: (fields) => ({
    type: 'UnbanUser',
    userId: fields.userId,
  }),
  EvictUser: (fields) => ({
    type: 'EvictUser',
    userId: fields.userId,
    reason: fields.reason,
  }),
  ChangeMicSeat: (fields) => ({
    type: 'ChangeMicSeat',
    toSeatNo: fields.toSeatNo,
  }),
  SetMicSeatLock: (fields) => ({
    type: 'SetMicSeatLock',
    seatNo: fields.seatNo,
    locked: fields.locked,
  }),
  SetMicSeatMute: (fields) => ({
    type: 'SetMicSeatMute',
    seatNo: fields.seatNo,
    muted: fields.muted,
  }),
  InviteToMic: (fields) => ({
    type: 'InviteToMic',
    userId: fields.userId,
    seatNo: fields.seatNo,
  }),
  ApplyForMic: (fields) => ({
    type: 'ApplyForMic',
    seatNo: fields.seatNo,
  }),
  AnswerMicRequest: (fields) => ({
    type: 'AnswerMicRequest',
    userId: fields.userId,
    answer: known(fields.answer, 'AnswerMicRequest.answer'),
  }),
  ApplyRtcEvent: (fields) => ({
    type: 'ApplyRtcEvent',
    kind: known(fields.kind, 'ApplyRtcEvent.kind'),
    eventTimeMs: fields.eventTimeMs,
  }),
  DeleteRoom: (fields) => ({
    type: 'DeleteRoom',
    reason: fields.reason,
    note: fields.note,
  }),
  UpdateRoomProfile: (fields) => ({
    type: 'UpdateRoomProfile',
    title: fields.title,
    coverUrl: fields.coverUrl,
    announcement: fields.announcement,
    backgroundUrl: fields.backgroundUrl,
    tags: fields.tags,
    ext: fields.ext,
  }),
  SetSeatCount: (fields) => ({
    type: 'SetSeatCount',
    seatCount: fields.seatCount,
  }),
  SetRoomPassword: (fields) => ({
    type: 'SetRoomPassword',
    passwordHash: fields.passwordHash,
  }),
  SetRoomMode: (fields) => ({
    type: 'SetRoomMode',
    mode: known(fields.mode, 'SetRoomMode.mode'),
  }),
  SetVisibleRegion: (fields) => ({
    type: 'SetVisibleRegion',
    visibleRegionId: fields.visibleRegionId,
  }),
  SetAdmin: (fields) => ({
    type: 'SetAdmin',
    userId: fields.userId,
    isAdmin: fields.isAdmin,
  }),
  TransferOwner: (fields) => ({
    type: 'TransferOwner',
    userId: fields.userId,
  }),
  ExpireMicHeartbeat: (fields) => ({
    type: 'ExpireMicHeartbeat',
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
  }),
  ExpireMicRequests: () => ({ type: 'ExpireMicRequests' }),
  SweepStaleUsers: (fields) => ({
    type: 'SweepStaleUsers',
    userIds: fields.userIds,
  }),
  ExpireBans: () => ({ type: 'ExpireBans' }),
  FinishClosing: () => ({ type: 'FinishClosing' }),
  LaunchRocket: (fields) => ({ type: 'LaunchRocket', roundNo: fields.roundNo }),
  NotePasswordAttempt: (fields) => ({
    type: 'NotePasswordAttempt',
    userId: fields.userId,
  }),
  ExpireMicPublish: (fields) => ({
    type: 'ExpireMicPublish',
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
    publishDeadlineMs: fields.publishDeadlineMs,
  }),
};

/** The record as the encoder takes it. */
export function commandToWire(record: CommandTopicRecord): unknown {
  if (record.kind === 'heartbeats') return { content: branchOf('HeartbeatFold', record) };
  const command = { ...record, body: branchOf(record.body.type, record.body) };
  return { content: branchOf('Command', command) };
}

/** The record that a decoded value holds. Throws WireFault on what a newer release added. */
export function commandFromWire(wire: unknown): CommandTopicRecord {
  const content = openBranch((wire as { readonly content: unknown }).content);
  if (content?.name === 'Command') return commandRecord(content.value as WireCommand);
  if (content?.name === 'HeartbeatFold') return heartbeatFold(content.value as Wire<HeartbeatFold>);
  throw new WireFault(`commands topic record of unknown kind ${content?.name ?? 'null'}`);
}

/** A profile as plain data. */
export function profileFromWire(profile: Wire<UserProfile>): UserProfile {
  const { nickname, avatarUrl, countryCode, ext } = profile;
  return { nickname, avatarUrl, countryCode, ext };
}

/** A room's profile as plain data. */
export function roomProfileFromWire(profile: Wire<RoomProfile>): RoomProfile {
  const { title, coverUrl, announcement, backgroundUrl, tags, ext } = profile;
  return { title, coverUrl, announcement, backgroundUrl, tags, ext };
}

type WireCommand = Wire<Omit<CommandRecord, 'kind' | 'body'>> & { readonly body: unknown };

function commandRecord(wire: WireCommand): CommandRecord {
  return {
    kind: 'command',
    appCode: wire.appCode,
    roomId: wire.roomId,
    commandId: wire.commandId,
    actorUserId: wire.actorUserId,
    actorRole: known(wire.actorRole, 'actorRole'),
    clientTimeMs: wire.clientTimeMs,
    // Decides only how much the reply carries, so an unknown mode is no reason to refuse.
    snapshotMode: wire.snapshotMode === unknownSymbol ? 'none' : wire.snapshotMode,
    body: commandBody(wire.body),
  };
}

function commandBody(wire: unknown): CommandBody {
  const body = openBranch(wire);
  if (body === null || !Object.hasOwn(commandReaders, body.name)) {
    throw new WireFault(`unknown command type ${body?.name ?? 'null'}`);
  }
  const read = commandReaders[body.name as CommandType] as (fields: unknown) => CommandBody;
  return read(body.value);
}

function heartbeatFold(wire: Wire<HeartbeatFold>): HeartbeatFold {
  const items = wire.items.map(({ appCode, roomId, userId, micSessionId }) => ({
    appCode,
    roomId,
    userId,
    micSessionId,
  }));
  return { kind: 'heartbeats', items };
}
