/**
 * An RTC callback becomes a command of its room (RTC-4): without a deadline, for nobody asks again
 * after a minute, and without a reply, for the RTC service has five seconds and no use for it. It is
 * answered when the command is certain to be in the topic, and not when the room has taken it.
 */
import { roomKeyOf, userIdFault, wideIdFault } from '../domain/ids.ts';
import type { AppCode, RoomId, UserId } from '../domain/ids.ts';
import type { CommandSink } from '../ports/command-sink.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RtcEvents, RtcUserEvent } from '../ports/rtc-events.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import type { Codec } from '../protocol/codec-api.ts';
import { crc32cHex } from '../protocol/crc32c.ts';
import { rtcCommandId } from '../protocol/derived-ids.ts';
import { partitionKeyBytes, partitionOf } from '../protocol/partition.ts';
import type { CommandRecord } from '../protocol/records.ts';
import { headerNames } from '../protocol/topics.ts';
import { createEnabledCommands } from './enabled-commands.ts';
import { refusal } from './refusals.ts';

/** What it stands on. */
export interface RtcEventPorts {
  readonly codec: Pick<Codec, 'encodeCommand'>;
  readonly commandSink: Pick<CommandSink, 'produce'>;
  readonly schemaRegistry: Pick<SchemaRegistry, 'level'>;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** See the file header and `RtcEvents`. */
export function createApplyRtcEvent(
  ports: RtcEventPorts,
  partitionCount: number,
): RtcEvents['applyRtcEvent'] {
  const enabled = createEnabledCommands(ports.schemaRegistry);
  return async (event) => {
    const command = commandOf(event);
    if (command === null) {
      ports.metrics.count('gateway_rtc_events_total', { outcome: 'ignored' });
      ports.log.debug({ event }, 'an RTC callback names no room or user of ours');
      return 'ignored';
    }
    // A cell of the former release would set it aside: refused, it comes again, for a minute.
    if (!enabled.isKnown(command.body.type)) await enabled.require(command.body.type);
    const roomKey = roomKeyOf(command.appCode, command.roomId);
    const value = ports.codec.encodeCommand(command);
    const outcome = await ports.commandSink.produce({
      partition: partitionOf(roomKey, partitionCount),
      key: partitionKeyBytes(roomKey),
      value,
      headers: { [headerNames.crc32c]: crc32cHex(value) },
    });
    ports.metrics.count('gateway_rtc_events_total', { outcome: outcome.kind });
    if (outcome.kind === 'stored') return 'taken';
    // Race: the produce was stored and its answer lost. The service sends the callback again, the
    // same id is in the topic twice, and the room decides it once.
    // Test: "a callback whose produce is unknown is asked for again under the same id".
    throw refusal('UNAVAILABLE', { produced: outcome.kind === 'notSent' ? 'no' : 'unknown' });
  };
}

/** Null when an id is none that a room or user of ours can have. */
function commandOf(event: RtcUserEvent): CommandRecord | null {
  const { kind, eventTimeMs } = event;
  const isNamed =
    wideIdFault(event.appCode) === null &&
    wideIdFault(event.roomId) === null &&
    userIdFault(event.userId) === null;
  if (!isNamed) return null;
  const appCode = event.appCode as AppCode;
  const roomId = event.roomId as RoomId;
  const actorUserId = event.userId as UserId;
  return {
    kind: 'command',
    appCode,
    roomId,
    commandId: rtcCommandId(appCode, roomId, actorUserId, [
      String(event.sdkAppId),
      kind,
      String(eventTimeMs),
    ]),
    actorUserId,
    actorRole: 'rtc',
    clientTimeMs: eventTimeMs,
    snapshotMode: 'none',
    body: { type: 'ApplyRtcEvent', kind, eventTimeMs },
  };
}
