/**
 * Steps of a room as watchers are told them, made of envelopes: those that were just committed, and
 * those that MySQL gives back, by one way and so with the same bytes.
 */
import { guardAfter, type GuardEnd } from '../../domain/presence/guard-after.ts';
import type { RoomKey, RoomVersion, UserId } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { StoredEvents } from '../../ports/room-reader.ts';
import type { WatchStep } from '../../ports/room-watch.ts';
import { clientEventText, isForClients } from '../../protocol/client-event.ts';
import type { EnvelopeEvent } from '../../protocol/records.ts';
import type { CellContext } from '../cell-context.ts';
import type { RoomDraft } from '../lane/draft.ts';

/** A step with what is asked of it here. One object for all watchers of the room. */
export interface RoomStep {
  readonly step: WatchStep;
  /** Size by which what waits for a watcher is bounded: bytes of the texts. */
  readonly bytes: number;
  /** The room is deleted: no step follows. */
  readonly isLast: boolean;
  /** Why a user who had the guard's yes before it has it no more; null: it has. */
  guardEnd(userId: UserId): GuardEnd | null;
}

/** The steps of a batch in one room, in order. */
export function stepsOfDraft({ codec }: Pick<CellContext, 'codec'>, draft: RoomDraft): RoomStep[] {
  return draft.ends.flatMap((end) => {
    if (end.kind !== 'logged' || end.step === null) return [];
    const { version, events } = end.step;
    const envelopes = events.map(({ envelope }) => envelope);
    return [stepOf(codec, { version, decidedAtMs: end.decidedAtMs, envelopes })];
  });
}

/**
 * The steps above `afterVersion` as MySQL has them, at most `limit`; null when the next one has left
 * by retention. Throws Retry when MySQL is out of reach, Corrupt for what nobody can read.
 */
export async function storedSteps(
  { rooms, codec, schemas }: Pick<CellContext, 'rooms' | 'codec' | 'schemas'>,
  roomKey: RoomKey,
  afterVersion: RoomVersion,
  limit: number,
): Promise<readonly RoomStep[] | null> {
  const stored = await rooms.eventsAfter(roomKey, afterVersion, limit);
  if (stored[0] === undefined || stored[0].version !== afterVersion + 1n) return null;
  for (const bytes of stored.flatMap(({ envelopes }) => envelopes)) {
    const fingerprint = codec.unknownFingerprint(bytes);
    const json = fingerprint === null ? null : await schemas.find(fingerprint);
    if (json !== null) codec.learnSchema(json);
  }
  return stored.map((events) => stepOf(codec, events));
}

function stepOf(codec: CellContext['codec'], stored: StoredEvents): RoomStep {
  const { version, decidedAtMs } = stored;
  const told: WatchStep['events'][number][] = [];
  const happened: EnvelopeEvent[] = [];
  let bytes = 0;
  for (const envelopeBytes of stored.envelopes) {
    const decoded = codec.decodeEnvelope(envelopeBytes);
    if (!decoded.ok) throw new Failure('corrupt', 'ROOM_CORRUPT', decoded.fault);
    const envelope = decoded.value;
    const { event, eventId, eventType, eventIndex } = envelope;
    // Of a newer release: its room cannot be rebuilt here, and so is not watched here for long.
    if (event === null) continue;
    happened.push(event);
    if (!isForClients(event.type)) continue;
    const text = clientEventText(envelope);
    bytes += Buffer.byteLength(text);
    told.push({ eventId, eventType, eventIndex, text });
  }
  return {
    step: { version, occurredAtMs: decidedAtMs, events: told },
    bytes,
    isLast: happened.some(({ type }) => type === 'RoomDeleted'),
    guardEnd: (userId) => guardAfter(happened, userId),
  };
}
