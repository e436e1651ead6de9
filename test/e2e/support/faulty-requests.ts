/** Requests with one fault each, for every rule of the fields, and the good request they differ from. */
import type { MicAnswer } from '../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import {
  RoomMode,
  SnapshotMode,
} from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { fleetApp, type FleetClient } from './fleet.ts';

/** The meta of a command as tests write it. */
export interface Meta {
  appCode: string;
  roomId: string;
  commandId: string;
  actorUserId: string;
  clientTimeMs: bigint;
  snapshotMode: SnapshotMode;
}

/** A meta without fault, of the user `owner`. */
export const goodMeta: Meta = {
  appCode: fleetApp,
  roomId: 'faulty',
  commandId: 'f1',
  actorUserId: 'owner',
  clientTimeMs: 0n,
  snapshotMode: SnapshotMode.VIEW,
};

/** CreateRoom's own fields without fault. */
export const goodRoom = { title: 'Evening talk', seatCount: 4, mode: RoomMode.FREE };

/** CreateRoom's own fields, each of them optional. */
export interface RoomInit {
  title?: string;
  coverUrl?: string;
  seatCount?: number;
  mode?: RoomMode;
  visibleRegionId?: bigint;
  password?: string;
  tags?: string[];
  ext?: string;
}

/** What it is, the call, the field that the refusal must name, and a part of the fault. */
export type FaultyRequest = readonly [string, () => Promise<unknown>, string, string];

/** Every rule broken once. `token` is of the user `owner`. */
export function faultyRequests({ commands }: FleetClient, token: string): FaultyRequest[] {
  const call = { timeoutMs: 10_000, token };
  const create = (meta: Partial<Meta>, body: RoomInit = {}) =>
    commands.createRoom({ meta: { ...goodMeta, ...meta }, ...goodRoom, ...body }, call);
  const micUp = (meta: Partial<Meta>, seatNo = 1) =>
    commands.micUp({ meta: { ...goodMeta, ...meta }, seatNo }, call);
  const join = (profile: { nickname?: string; ext?: string; avatarUrl?: string }) =>
    commands.joinRoom({ meta: goodMeta, profile }, call);
  const confirm = (micSessionId: string) =>
    commands.confirmMicPublishing({ meta: goodMeta, micSessionId }, call);
  const takeDown = (userId: string) =>
    commands.micDown({ meta: goodMeta, userId, micSessionId: '' }, call);
  const close = (reason: string) => commands.closeRoom({ meta: goodMeta, reason }, call);
  return [
    ['no app_code', () => create({ appCode: '' }), 'app_code', 'missing'],
    ['no room_id', () => micUp({ roomId: '' }), 'room_id', 'missing'],
    ['a room_id with a space', () => create({ roomId: 'my room' }), 'room_id', 'malformed'],
    ['a room_id of 65 bytes', () => create({ roomId: 'r'.repeat(65) }), 'room_id', 'malformed'],
    ['no command_id', () => create({ commandId: '' }), 'command_id', 'missing'],
    ['a command_id in Chinese', () => create({ commandId: '命令' }), 'command_id', 'malformed'],
    ['an id of the system', () => create({ commandId: 'sys:x:1' }), 'command_id', 'reserved'],
    ['an id of RTC', () => create({ commandId: 'rtc:e1' }), 'command_id', 'reserved'],
    ['a time before 1970', () => create({ clientTimeMs: -1n }), 'client_time_ms', 'not a time'],
    [
      'an unknown snapshot mode',
      () => create({ snapshotMode: 9 as SnapshotMode }),
      'snapshot_mode',
      'unknown',
    ],
    ['an unknown room mode', () => create({}, { mode: 77 as RoomMode }), 'mode', 'unknown value'],
    ['no title', () => create({}, { title: '' }), 'title', 'missing'],
    ['a title of 129 bytes', () => create({}, { title: 'é'.repeat(64) + 'e' }), 'title', 'longer'],
    ['a title of two lines', () => create({}, { title: 'a\nb' }), 'title', 'control'],
    ['no seats', () => create({}, { seatCount: 0 }), 'seat_count', 'not one of'],
    ['21 seats', () => create({}, { seatCount: 21 }), 'seat_count', 'not one of'],
    ['a negative region', () => create({}, { visibleRegionId: -1n }), 'visible_region_id', 'neg'],
    ['a long password', () => create({}, { password: 'p'.repeat(65) }), 'password', 'longer'],
    ['eleven tags', () => create({}, { tags: [...'abcdefghijk'] }), 'tags', 'more than'],
    ['a tag twice', () => create({}, { tags: ['a', 'a'] }), 'tags', 'twice'],
    ['2049 bytes of ext', () => create({}, { ext: 'x'.repeat(2049) }), 'ext', 'longer'],
    [
      'a cover of 513 bytes',
      () => create({}, { coverUrl: 'u'.repeat(513) }),
      'cover_url',
      'longer',
    ],
    ['seat -1', () => micUp({}, -1), 'seat_no', 'not a whole number'],
    [
      'a nickname of 65 bytes',
      () => join({ nickname: 'n'.repeat(65) }),
      'profile.nickname',
      'longer',
    ],
    ['1025 bytes of a user’s ext', () => join({ ext: 'x'.repeat(1025) }), 'profile.ext', 'longer'],
    ['an empty mic session', () => confirm(''), 'mic_session_id', 'missing'],
    ['a malformed user to take down', () => takeDown('u 1'), 'user_id', 'malformed'],
    ['a close reason of 65 bytes', () => close('r'.repeat(65)), 'reason', 'longer'],
    ...faultyManaging(commands, call),
    ...faultyMic(commands, call),
  ];
}

type Commands = FleetClient['commands'];
type Call = Parameters<Commands['leaveRoom']>[1];

function faultyManaging(commands: Commands, call: Call): FaultyRequest[] {
  const meta = goodMeta;
  const profile = (part: { title?: string; announcement?: string; tags?: { tags: string[] } }) =>
    commands.updateRoomProfile({ meta, ...part }, call);
  const kick = (userId: string, reason = '', expiresAtMs = 0n) =>
    commands.kickUser({ meta, userId, reason, expiresAtMs }, call);
  const mode = (value: number) => commands.setRoomMode({ meta, mode: value as RoomMode }, call);
  const region = () => commands.setVisibleRegion({ meta, visibleRegionId: -1n }, call);
  const password = () => commands.setRoomPassword({ meta, password: 'p'.repeat(65) }, call);
  const note = () => commands.deleteRoom({ meta, note: 'n'.repeat(513) }, call);
  const update = () => commands.updateUser({ meta, profile: { countryCode: 'c'.repeat(9) } }, call);
  return [
    ['an empty title', () => profile({ title: '' }), 'title', 'missing'],
    ['1025 bytes to say', () => profile({ announcement: 'a'.repeat(1025) }), 'announcement', 'lon'],
    ['a tag without text', () => profile({ tags: { tags: [''] } }), 'tags[0]', 'missing'],
    [
      'seats nobody allowed',
      () => commands.setSeatCount({ meta, seatCount: 21 }, call),
      'seat_count',
      'not',
    ],
    ['a new password of 65 bytes', password, 'password', 'longer'],
    ['no mode', () => mode(0), 'mode', 'missing'],
    ['a mode of tomorrow', () => mode(77), 'mode', 'unknown value'],
    ['a region below 0', region, 'visible_region_id', 'negative'],
    [
      'nobody as admin',
      () => commands.setAdmin({ meta, isAdmin: true }, call),
      'user_id',
      'missing',
    ],
    ['nobody as owner', () => commands.transferOwner({ meta }, call), 'user_id', 'missing'],
    ['513 bytes of note', note, 'note', 'longer'],
    ['a country of 9 bytes', update, 'profile.country_code', 'longer'],
    ['nobody to kick', () => kick(''), 'user_id', 'missing'],
    ['a kick’s reason of 65 bytes', () => kick('u1', 'r'.repeat(65)), 'reason', 'longer'],
    ['a ban until before 1970', () => kick('u1', '', -1n), 'expires_at_ms', 'not a time'],
    ['nobody to unban', () => commands.unbanUser({ meta }, call), 'user_id', 'missing'],
  ];
}

function faultyMic(commands: Commands, call: Call): FaultyRequest[] {
  const meta = goodMeta;
  const answer = (value: number) =>
    commands.answerMicRequest({ meta, answer: value as MicAnswer }, call);
  return [
    [
      'a move to no seat',
      () => commands.changeMicSeat({ meta }, call),
      'to_seat_no',
      'not a whole',
    ],
    ['no seat to lock', () => commands.setMicSeatLock({ meta }, call), 'seat_no', 'not a whole'],
    ['no seat to mute', () => commands.setMicSeatMute({ meta }, call), 'seat_no', 'not a whole'],
    ['nobody to invite', () => commands.inviteToMic({ meta }, call), 'user_id', 'missing'],
    [
      'seat -1 to apply for',
      () => commands.applyForMic({ meta, seatNo: -1 }, call),
      'seat_no',
      'not',
    ],
    ['no answer', () => answer(0), 'answer', 'missing'],
    ['an answer of tomorrow', () => answer(77), 'answer', 'unknown value'],
    [
      'a heartbeat of no session',
      () => commands.micHeartbeat({ meta }, call),
      'mic_session_id',
      'mis',
    ],
  ];
}
