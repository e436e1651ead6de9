/** What is told of a watched room, on the wire, both ways. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { EventId, RoomVersion } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RoomWatchMessage } from '../../ports/room-read-api.ts';
import type { WatchMessage, WatchStep } from '../../ports/room-watch.ts';
import {
  OwnerWatchResponseSchema,
  type OwnerWatchResponse,
} from './generated/roomcell/v1/owner_reads_pb.ts';
import type { WatchRoomResponseSchema } from './generated/roomcell/v1/room_queries_pb.ts';
import type {
  RoomStep,
  RoomStepSchema,
  WatchEnd,
  WatchEndSchema,
} from './generated/roomcell/v1/room_types_pb.ts';
import { roomSnapshot, type RtcSdkAppIds } from './room-answers.ts';
import { roomViewOf } from './room-view-reading.ts';

type WireMessage = MessageInitShape<typeof OwnerWatchResponseSchema>;

/** Addresses of a room are the gateway's to add. */
const noAddresses: RtcSdkAppIds = new Map();
/** One message object per step, so that a step is encoded once for all who watch its room. */
const stepMessages = new WeakMap<WatchStep, OwnerWatchResponse>();
const aliveMessage = create(OwnerWatchResponseSchema, { message: { case: 'alive', value: {} } });

/** A message as a cell sends it. */
export function ownerWatchResponse(message: WatchMessage): WireMessage {
  switch (message.kind) {
    case 'view':
      return { message: { case: 'view', value: roomSnapshot(message.view, noAddresses) } };
    case 'resumed':
      return { message: { case: 'resumed', value: { roomVersion: message.version } } };
    case 'step':
      return stepResponse(message.step);
    case 'alive':
      return aliveMessage;
    case 'end':
      return { message: { case: 'end', value: watchEnd(message.end) } };
  }
}

/** A message as another node reads it. Throws Retry UNAVAILABLE for what this release cannot read. */
export function watchMessageOf({ message }: OwnerWatchResponse): WatchMessage {
  switch (message.case) {
    case 'view':
      return { kind: 'view', view: roomViewOf(message.value) };
    case 'resumed':
      return { kind: 'resumed', version: message.value.roomVersion as RoomVersion };
    case 'step':
      return { kind: 'step', step: stepOf(message.value) };
    case 'alive':
      return { kind: 'alive' };
    case 'end':
      return { kind: 'end', end: endOf(message.value) };
    case undefined:
      throw new Failure('retry', 'UNAVAILABLE', 'the owner told something of another release');
  }
}

/** A message as clients get it. */
export function watchRoomResponse(
  message: RoomWatchMessage,
  rtcSdkAppIds: RtcSdkAppIds,
): MessageInitShape<typeof WatchRoomResponseSchema> {
  switch (message.kind) {
    case 'view':
      return { message: { case: 'snapshot', value: roomSnapshot(message.view, rtcSdkAppIds) } };
    case 'resumed':
      return { message: { case: 'resumed', value: { roomVersion: message.version } } };
    case 'step':
      return { message: { case: 'step', value: roomStep(message.step) } };
    case 'end':
      return { message: { case: 'end', value: watchEnd(message.end) } };
  }
}

function stepResponse(step: WatchStep): OwnerWatchResponse {
  const known = stepMessages.get(step);
  if (known !== undefined) return known;
  const response = create(OwnerWatchResponseSchema, {
    message: { case: 'step', value: roomStep(step) },
  });
  stepMessages.set(step, response);
  return response;
}

function roomStep({
  version,
  occurredAtMs,
  events,
}: WatchStep): MessageInitShape<typeof RoomStepSchema> {
  return {
    roomVersion: version,
    occurredAtMs: BigInt(occurredAtMs),
    events: events.map(({ eventId, eventType, eventIndex, text }) => ({
      eventId,
      type: eventType,
      eventIndex,
      data: text,
    })),
  };
}

function stepOf({ roomVersion, occurredAtMs, events }: RoomStep): WatchStep {
  return {
    version: roomVersion as RoomVersion,
    occurredAtMs: Number(occurredAtMs),
    events: events.map(({ eventId, type, eventIndex, data }) => ({
      eventId: eventId as EventId,
      eventType: type,
      eventIndex,
      text: data,
    })),
  };
}

function watchEnd(
  end: Extract<WatchMessage, { kind: 'end' }>['end'],
): MessageInitShape<typeof WatchEndSchema> {
  return { ...end };
}

function endOf({ resumeAfterVersion, reason }: WatchEnd) {
  return { resumeAfterVersion: resumeAfterVersion as RoomVersion, reason };
}
