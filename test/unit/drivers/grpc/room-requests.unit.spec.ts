/** From a message of the wire to what the gateway is asked: nothing is lost, nothing made up. */
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  AnswerMicRequestRequestSchema,
  CreateRoomRequestSchema,
  JoinRoomRequestSchema,
  MicAnswer,
  SetRoomModeRequestSchema,
  UpdateRoomProfileRequestSchema,
  UpdateUserRequestSchema,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import {
  CommandMetaSchema,
  RoomMode,
  SnapshotMode,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { answerMicRequestOf } from '../../../../src/drivers/grpc/mic-requests.ts';
import {
  createRoomOf,
  joinRoomOf,
  metaOf,
  setRoomModeOf,
  updateRoomProfileOf,
  updateUserOf,
} from '../../../../src/drivers/grpc/room-requests.ts';

/** A number that this release has no name for. */
const newer = 9;

describe('an enum', () => {
  test.each([
    [RoomMode.UNSPECIFIED, ''],
    [RoomMode.FREE, 'free'],
    [RoomMode.APPLY, 'apply'],
    [newer as RoomMode, 'unknown:9'],
  ])('room mode %d is %o, for both commands that name one', (mode, text) => {
    expect(setRoomModeOf(create(SetRoomModeRequestSchema, { mode }))).toMatchObject({ mode: text });
    expect(createRoomOf(create(CreateRoomRequestSchema, { mode }))).toMatchObject({ mode: text });
  });

  test.each([
    [MicAnswer.UNSPECIFIED, ''],
    [MicAnswer.ACCEPTED, 'accepted'],
    [MicAnswer.DECLINED, 'declined'],
    [newer as MicAnswer, 'unknown:9'],
  ])('answer %d is %o', (answer, text) => {
    const request = create(AnswerMicRequestRequestSchema, { answer });
    expect(answerMicRequestOf(request)).toMatchObject({ answer: text });
  });

  test.each([
    [SnapshotMode.UNSPECIFIED, ''],
    [SnapshotMode.NONE, 'none'],
    [SnapshotMode.VIEW, 'view'],
    [newer as SnapshotMode, 'unknown:9'],
  ])('snapshot mode %d is %o', (snapshotMode, text) => {
    expect(metaOf(create(CommandMetaSchema, { snapshotMode })).snapshotMode).toBe(text);
  });
});

describe('UpdateRoomProfile', () => {
  const parts = ['title', 'coverUrl', 'announcement', 'backgroundUrl', 'ext'] as const;

  test('leaves what is not set', () => {
    const request = updateRoomProfileOf(create(UpdateRoomProfileRequestSchema, {}));
    const nothing = Object.fromEntries([...parts, 'tags'].map((part) => [part, null]));
    expect(request).toEqual({ type: 'UpdateRoomProfile', ...nothing });
  });

  test.each(parts)('clears a %s that is set and empty', (part) => {
    const request = create(UpdateRoomProfileRequestSchema, { [part]: '' });
    expect(updateRoomProfileOf(request)).toMatchObject({ [part]: '' });
  });

  test('clears the tags when their list is set and empty', () => {
    const request = create(UpdateRoomProfileRequestSchema, { tags: { tags: [] } });
    expect(updateRoomProfileOf(request)).toMatchObject({ tags: [] });
  });
});

test('no profile is an empty one', () => {
  const empty = { nickname: '', avatarUrl: '', countryCode: '', ext: '' };
  expect(joinRoomOf(create(JoinRoomRequestSchema, {}))).toMatchObject(empty);
  expect(updateUserOf(create(UpdateUserRequestSchema, {}))).toMatchObject(empty);
});

test('a request without meta is one whose ids are all missing', () => {
  expect(metaOf(undefined)).toEqual({
    appCode: '',
    roomId: '',
    commandId: '',
    actorUserId: '',
    clientTimeMs: 0n,
    snapshotMode: '',
  });
});
