/**
 * A room as MySQL keeps it, and the way back to its state: newest readable snapshot, then `evolve`
 * over the events of every later step. Used by the owner when it loads a room and by the gateway for
 * a committed view. Calls nothing outside the history it is given (LEASE-33).
 */
import type { RoomKey, RoomVersion, UserId } from '../domain/ids.ts';
import { splitRoomKey } from '../domain/ids.ts';
import { evolveCommand } from '../domain/room/evolve.ts';
import { initialRoomState, tombstoneState } from '../domain/room/initial-state.ts';
import type { RoomState } from '../domain/room/state.ts';
import { Failure } from '../kernel/failure.ts';
import type { Codec } from './codec-api.ts';
import { chainHash, chainStart } from './event-chain.ts';
import { stateHashOf } from './state-hash.ts';

/** One applied step of the log. */
export interface StoredStep {
  readonly version: RoomVersion;
  readonly decidedAtMs: number;
  /** Encoded LoggedEvents. */
  readonly events: Uint8Array;
  readonly chainHash: Uint8Array;
}

/** A stored snapshot. `stateHash` is SHA-256 of `bytes`. */
export interface StoredSnapshot {
  readonly version: RoomVersion;
  readonly bytes: Uint8Array;
  readonly stateHash: Uint8Array;
  /** h(version): where the chain goes on. */
  readonly chainHash: Uint8Array;
}

/** What a rebuild starts from. Null `meta` means: no such room was ever committed. */
export interface StoredRoom {
  readonly meta: {
    readonly version: RoomVersion;
    readonly chainHash: Uint8Array;
    readonly status: string;
    readonly ownerUserId: UserId;
    readonly createdAtMs: number;
    /** Time of the room's newest event. */
    readonly updatedAtMs: number;
  } | null;
  /** Newest first, at most two. */
  readonly snapshots: readonly StoredSnapshot[];
}

/** Where a room's history is read from. */
export interface RoomHistory {
  loadRoom(roomKey: RoomKey): Promise<StoredRoom>;
  /** Applied steps with a version above `afterVersion`, ascending, at most `limit`. */
  stepsAfter(
    roomKey: RoomKey,
    afterVersion: RoomVersion,
    limit: number,
  ): Promise<readonly StoredStep[]>;
}

/** The schema with this fingerprint as JSON, or null when nobody registered it. */
export type FindSchema = (fingerprint: string) => Promise<string | null>;

/** A room's state with the end of its chain. */
export interface RebuiltRoom {
  readonly state: RoomState;
  readonly chainHash: Uint8Array;
  /** Version of the snapshot it began at; 0 when it was rebuilt from the log alone. */
  readonly snapshotVersion: RoomVersion;
}

/** Steps read at a time. */
const stepsPerRead = 500;

/**
 * The room as last committed, or null when it never existed. Every release before this one, and on
 * the way up the one after it, may have written a part: their schemas are looked up. A snapshot that
 * is damaged, written by a schema we cannot read, or does not lead on to the log is passed over for
 * the one before it, and then for the log alone (SNAP-3). A log that does not add up by itself is
 * Corrupt: never a guess.
 */
export async function rebuildRoom(
  history: RoomHistory,
  codec: Codec,
  roomKey: RoomKey,
  findSchema: FindSchema,
): Promise<RebuiltRoom | null> {
  const stored = await history.loadRoom(roomKey);
  if (stored.meta === null) return null;
  if (stored.meta.status === 'deleted') return tombstoneOf(roomKey, stored.meta);
  for (const { bytes } of stored.snapshots) await learnSchemaOf(bytes, codec, findSchema);
  const replaying = { history, codec, roomKey, findSchema, stored };
  let firstFault: unknown = null;
  for (const start of startsOf(stored, codec, roomKey)) {
    try {
      return await replay(replaying, start);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'corrupt') throw error;
      firstFault ??= error;
    }
  }
  throw firstFault;
}

/**
 * A deleted room is what its row says, whatever else is left of it.
 *
 * Race (tests "a deleted room comes back from its row alone", "a late snapshot of a deleted room …"):
 *   1. The room is deleted, and its snapshots with it; its log leaves by retention.
 *   2. A snapshot that was being written for the closed room is stored behind the deletion.
 *   3. The room is loaded. Begun at that snapshot it would be closed and not deleted, or Corrupt.
 * Closed here; the store's own look at the row keeps such snapshots rare, not out.
 */
function tombstoneOf(roomKey: RoomKey, meta: NonNullable<StoredRoom['meta']>): RebuiltRoom {
  const { appCode, roomId } = splitRoomKey(roomKey);
  const { version, chainHash, ownerUserId, createdAtMs, updatedAtMs } = meta;
  const tombstone = tombstoneState({ appCode, roomId, ownerUserId, createdAtMs });
  const state = { ...tombstone, version, lastEventAtMs: updatedAtMs };
  return { state, chainHash, snapshotVersion: version };
}

interface Replaying {
  readonly history: RoomHistory;
  readonly codec: Codec;
  readonly roomKey: RoomKey;
  readonly findSchema: FindSchema;
  readonly stored: StoredRoom;
}

/** Goes on from `start` to the end of the log. Throws Corrupt when the two do not fit. */
async function replay(replaying: Replaying, start: RebuiltRoom): Promise<RebuiltRoom> {
  const { history, codec, roomKey, findSchema, stored } = replaying;
  const { snapshotVersion } = start;
  let room = start;
  checkMeta(room, stored, roomKey);
  for (;;) {
    const steps = await history.stepsAfter(roomKey, room.state.version, stepsPerRead);
    for (const step of steps) {
      await learnSchemaOf(step.events, codec, findSchema);
      room = { ...applyStep(room, step, codec, roomKey), snapshotVersion };
      checkMeta(room, stored, roomKey);
    }
    if (steps.length < stepsPerRead) break;
  }
  if (room.state.version < (stored.meta?.version ?? 0n)) {
    throw corrupt(roomKey, 'the log ends below the version of the rooms row');
  }
  return room;
}

/** An unregistered schema stays unknown, and what it wrote unreadable. */
async function learnSchemaOf(
  bytes: Uint8Array,
  codec: Codec,
  findSchema: FindSchema,
): Promise<void> {
  const fingerprint = codec.unknownFingerprint(bytes);
  if (fingerprint === null) return;
  const json = await findSchema(fingerprint);
  if (json !== null) codec.learnSchema(json);
}

/** Where a replay may begin, best first: readable snapshots from the newest, then nothing at all. */
function startsOf(stored: StoredRoom, codec: Codec, roomKey: RoomKey): RebuiltRoom[] {
  const starts: RebuiltRoom[] = [];
  for (const snapshot of stored.snapshots) {
    if (!sameBytes(stateHashOf(snapshot.bytes), snapshot.stateHash)) continue;
    const decoded = codec.decodeSnapshot(snapshot.bytes);
    if (!decoded.ok || decoded.value.state.version !== snapshot.version) continue;
    const { chainHash, version: snapshotVersion } = snapshot;
    starts.push({ state: decoded.value.state, chainHash, snapshotVersion });
  }
  const { appCode, roomId } = splitRoomKey(roomKey);
  const state = initialRoomState(appCode, roomId);
  return [...starts, { state, chainHash: chainStart, snapshotVersion: 0n as RoomVersion }];
}

function applyStep(
  room: RebuiltRoom,
  step: StoredStep,
  codec: Codec,
  roomKey: RoomKey,
): Omit<RebuiltRoom, 'snapshotVersion'> {
  if (step.version !== room.state.version + 1n) {
    throw corrupt(roomKey, `step ${room.state.version + 1n} is missing`);
  }
  const chain = chainHash(room.chainHash, step.events);
  if (!sameBytes(chain, step.chainHash)) {
    throw corrupt(roomKey, `the hash chain breaks at version ${step.version}`);
  }
  const events = codec.decodeLoggedEvents(step.events);
  if (!events.ok) throw corrupt(roomKey, `version ${step.version}: ${events.fault}`);
  const position = { version: step.version, occurredAtMs: step.decidedAtMs };
  return { state: evolveCommand(room.state, events.value, position), chainHash: chain };
}

/** A gateway may read steps that were committed after it read the meta row: only equals compare. */
function checkMeta(room: RebuiltRoom, stored: StoredRoom, roomKey: RoomKey): void {
  const { meta } = stored;
  if (meta === null || room.state.version !== meta.version) return;
  if (!sameBytes(room.chainHash, meta.chainHash)) {
    throw corrupt(roomKey, 'the rooms row and the log end in different hashes');
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

function corrupt(roomKey: RoomKey, detail: string): Failure {
  const { appCode, roomId } = splitRoomKey(roomKey);
  return new Failure('corrupt', 'ROOM_CORRUPT', `${appCode}/${roomId}: ${detail}`, {
    facts: { app_code: appCode, room_id: roomId, detail },
  });
}
