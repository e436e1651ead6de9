/**
 * What a record of the display topic becomes in instant messaging: at most one message to the room's
 * group. A copy of a fact makes the very message that the fact's outbox row would, so that the vendor
 * drops one of the two (DIM-3).
 */
import { displayRoutes, type RoomDisplayType } from '../../domain/events/displays.ts';
import type { AppCode } from '../../domain/ids.ts';
import type { GroupMessage } from '../../ports/im-client.ts';
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import { bareClientDisplayText, clientDisplayText } from '../../protocol/client-event.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { imGroupId } from '../../protocol/im-group-id.ts';
import { messageRandom } from '../../protocol/message-random.ts';
import type { DisplayEnvelope } from '../../protocol/records.ts';
import { createEnvelopeReader } from '../read-envelope.ts';
import { imCallsOf, imDataBytesMax, requestBytesOf, vendorPriority } from './im-message.ts';

/** A message to be sent, or why there is none. */
export type DisplayReading =
  | {
      readonly kind: 'message';
      readonly appCode: AppCode;
      /** When its command was decided. */
      readonly occurredAtMs: number;
      readonly message: GroupMessage;
    }
  | { readonly kind: 'none'; readonly why: 'unreadable' | 'no_form' };

/** Never throws. */
export type ReadDisplay = (bytes: Uint8Array) => Promise<DisplayReading>;

/** Makes the reader. `registry` is asked only for schemas that the codec does not know. */
export function createDisplayReader(
  codec: Pick<Codec, 'decodeDisplay' | 'decodeEnvelope' | 'unknownFingerprint' | 'learnSchema'>,
  registry: Pick<SchemaRegistry, 'find'>,
): ReadDisplay {
  const readFact = createEnvelopeReader(codec, registry);
  return async (bytes) => {
    const own = codec.decodeDisplay(bytes);
    if (own.ok) return displayReading(own.value);
    const fact = await readFact(bytes);
    if (fact.kind !== 'envelope') {
      // What the fact's reader learned on the way may have been the schema of a display.
      const learned = codec.decodeDisplay(bytes);
      return learned.ok ? displayReading(learned.value) : { kind: 'none', why: 'unreadable' };
    }
    const { appCode, occurredAtMs } = fact.envelope;
    const form = imCallsOf(fact.envelope);
    const call = form.kind === 'calls' ? form.calls.find(({ kind }) => kind === 'message') : null;
    if (call?.kind !== 'message') return { kind: 'none', why: 'no_form' };
    return { kind: 'message', appCode, occurredAtMs, message: call.message };
  };
}

function displayReading(envelope: DisplayEnvelope): DisplayReading {
  const { appCode, occurredAtMs, displayType } = envelope;
  if (!Object.hasOwn(displayRoutes, displayType)) return { kind: 'none', why: 'no_form' };
  const { imPriority } = displayRoutes[displayType as RoomDisplayType];
  const message: GroupMessage = {
    groupId: imGroupId(appCode, envelope.roomId),
    random: messageRandom(envelope.eventId),
    priority: vendorPriority(imPriority),
    data: fittingText(envelope),
  };
  return { kind: 'message', appCode, occurredAtMs, message };
}

/** Too long for a message: tells only that something happened, as with an event. */
function fittingText(envelope: DisplayEnvelope): string {
  const text = clientDisplayText(envelope);
  return requestBytesOf(text) <= imDataBytesMax ? text : bareClientDisplayText(envelope);
}
