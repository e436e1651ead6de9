/**
 * Rebuilds a room in two ways, from its log alone and from its newest snapshot and the log behind it,
 * and compares both with each other and with its row. Where retention has cut the log, the snapshot
 * before the newest stands for what has left. It reads committed data and changes nothing: what
 * the owner holds in memory is not looked at.
 *
 * Race: the room goes on while it is read, and the second way would see more than the first one. Both
 * therefore end at the version of the row as it was read once. Test: "what is committed meanwhile makes
 * no difference".
 */
import { roomKeyOf, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomVersion } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperatorApi, RoomVerification } from '../../ports/operator-api.ts';
import type { RoomReader } from '../../ports/room-reader.ts';
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { rebuildFrom } from '../../protocol/rebuild-from.ts';
import type { Rebuilt, StoredMeta } from '../../protocol/rebuild-from.ts';
import type { StoredRoom, StoredSnapshot } from '../../protocol/room-history.ts';
import { stateHashOf } from '../../protocol/state-hash.ts';
import { snapshotToWire } from '../../protocol/state-mapping.ts';
import { allowedMs } from '../call-time.ts';
import { createFieldFaults } from '../field-faults.ts';
import type { GatewayLimits } from '../limits.ts';
import { notProduced, refusal } from '../refusals.ts';
import { authorizeOperator } from './authorize-operator.ts';

/** What a verification reads with. */
export interface VerifyRoomPorts {
  readonly clock: Pick<Clock, 'monoMs'>;
  readonly roomReader: Pick<RoomReader, 'loadRoom' | 'stepsAfter'>;
  readonly schemaRegistry: Pick<SchemaRegistry, 'find'>;
  readonly codec: Codec;
}

type Rebuild = (snapshot: StoredSnapshot | null) => Promise<Rebuilt>;

/**
 * Throws ROOM_NOT_FOUND (also for a deleted room, of which only the row is left), EXPIRED when the
 * caller's time does not do for the log, or a Retry failure when MySQL is out of reach.
 */
export function createVerifyRoom(
  ports: VerifyRoomPorts,
  limits: Pick<GatewayLimits, 'defaultDeadlineMs' | 'maxDeadlineMs'>,
): OperatorApi['verifyRoom'] {
  return async (frame, { appCode, roomId }) => {
    const deadlineMonoMs = ports.clock.monoMs() + allowedMs(frame, limits);
    authorizeOperator(frame, { appCode, actorUserId: '' });
    const faults = createFieldFaults();
    faults.add('app_code', wideIdFault(appCode));
    faults.add('room_id', wideIdFault(roomId));
    faults.throwIfAny();
    const roomKey = roomKeyOf(appCode as AppCode, roomId as RoomId);
    const { meta, snapshots } = await ports.roomReader.loadRoom(roomKey);
    if (meta === null || meta.status === 'deleted') throw refusal('ROOM_NOT_FOUND');
    const checkTime = (): void => {
      const isOver = frame.signal.aborted || ports.clock.monoMs() >= deadlineMonoMs;
      if (isOver) throw refusal('EXPIRED', notProduced);
    };
    const stepsAfter: VerifyRoomPorts['roomReader']['stepsAfter'] = (...read) => {
      checkTime();
      return ports.roomReader.stepsAfter(...read);
    };
    const findSchema = (fingerprint: string) => ports.schemaRegistry.find(fingerprint);
    const reading = { stepsAfter, codec: ports.codec, findSchema };
    const usable = snapshots.filter(({ version }) => version <= meta.version);
    const [oldest] = await stepsAfter(roomKey, 0n as RoomVersion, 1);
    const isCut = meta.version > 0n && oldest?.version !== 1n;
    return verify(
      { meta, snapshots: usable, isCut },
      (snapshot) => rebuildFrom(reading, roomKey, meta, snapshot),
      ports.codec,
    );
  };
}

interface StoredParts {
  readonly meta: StoredMeta;
  /** Newest first. */
  readonly snapshots: StoredRoom['snapshots'];
  /** The log begins behind version 1. */
  readonly isCut: boolean;
}

async function verify(
  { meta, snapshots, isCut }: StoredParts,
  rebuild: Rebuild,
  codec: Codec,
): Promise<RoomVerification> {
  const [newest, older] = snapshots;
  const snapshotVersion = newest?.version ?? 0n;
  const logFromVersion = isCut ? (older?.version ?? snapshotVersion) : 0n;
  const ofLog = await rebuild(isCut ? (older ?? newest ?? null) : null);
  const ofSnapshot = newest === undefined ? null : await rebuild(newest);
  const way = isCut ? `from the log behind version ${logFromVersion}` : 'from the log alone';
  const difference =
    faultOf(way, ofLog) ??
    faultOf(`from the snapshot of version ${snapshotVersion}`, ofSnapshot) ??
    differenceOfStates(ofLog, ofSnapshot) ??
    differenceOfRow(meta, ofLog) ??
    '';
  return {
    equal: difference === '',
    difference,
    roomVersion: meta.version,
    snapshotVersion,
    logFromVersion,
    stateHashOfLog: hashOf(ofLog, codec),
    stateHashOfSnapshot: hashOf(ofSnapshot, codec),
  };
}

function faultOf(way: string, rebuilt: Rebuilt | null): string | null {
  if (rebuilt === null || 'room' in rebuilt) return null;
  return `the room cannot be rebuilt ${way}: ${rebuilt.fault}`;
}

function differenceOfStates(ofLog: Rebuilt, ofSnapshot: Rebuilt | null): string | null {
  if (ofSnapshot === null || !('room' in ofLog) || !('room' in ofSnapshot)) return null;
  const at = firstDifference(
    snapshotToWire({ state: ofLog.room.state }),
    snapshotToWire({ state: ofSnapshot.room.state }),
  );
  return at === null ? null : `the log and the snapshot differ in ${at}`;
}

function differenceOfRow(meta: StoredMeta, ofLog: Rebuilt): string | null {
  if (!('room' in ofLog)) return null;
  const { state } = ofLog.room;
  const pairs: readonly [string, unknown, unknown][] = [
    ['status', meta.status, state.status],
    ['owner', meta.ownerUserId, state.ownerUserId],
    ['creation time', meta.createdAtMs, state.createdAtMs],
  ];
  const pair = pairs.find(([, ofRow, ofState]) => ofRow !== ofState);
  return pair === undefined ? null : `the row and the log differ in the ${pair[0]}`;
}

function hashOf(rebuilt: Rebuilt | null, codec: Codec): string {
  if (rebuilt === null || !('room' in rebuilt)) return '';
  const bytes = codec.encodeSnapshot({ state: rebuilt.room.state });
  return Buffer.from(stateHashOf(bytes)).toString('hex');
}

/** Where two pieces of plain data first differ, such as `state.users[2].joinedAtMs`; never what by. */
function firstDifference(left: unknown, right: unknown, at = ''): string | null {
  if (Object.is(left, right)) return null;
  if (!isNode(left) || !isNode(right)) return at;
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const place = Array.isArray(left) ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`;
    const found = firstDifference(left[name], right[name], place);
    if (found !== null) return found;
  }
  return null;
}

function isNode(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
