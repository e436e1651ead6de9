/**
 * Rebuilds a room in two ways, from its log alone and from its newest snapshot and the log behind it,
 * and compares both with each other and with its row. It reads committed data and changes nothing: what
 * the owner holds in memory is not looked at.
 *
 * Race: the room goes on while it is read, and the second way would see more than the first one. Both
 * therefore end at the version of the row as it was read once. Test: "what is committed meanwhile makes
 * no difference".
 */
import { roomKeyOf, wideIdFault } from '../../domain/ids.ts';
import type { AppCode, RoomId, RoomKey } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OperatorApi, RoomVerification } from '../../ports/operator-api.ts';
import type { RoomReader } from '../../ports/room-reader.ts';
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { rebuildRoom } from '../../protocol/room-history.ts';
import type { RebuiltRoom, RoomHistory, StoredRoom } from '../../protocol/room-history.ts';
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

type StoredMeta = NonNullable<StoredRoom['meta']>;
type Rebuilt = { readonly room: RebuiltRoom } | { readonly fault: string };
type Rebuild = (snapshots: StoredRoom['snapshots']) => Promise<Rebuilt>;

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
    return verify(meta, snapshots, (from) => rebuiltFrom(ports, roomKey, meta, from, checkTime), {
      codec: ports.codec,
    });
  };
}

async function verify(
  meta: StoredMeta,
  snapshots: StoredRoom['snapshots'],
  rebuild: Rebuild,
  { codec }: { readonly codec: Codec },
): Promise<RoomVerification> {
  const newest = snapshots.find(({ version }) => version <= meta.version);
  const snapshotVersion = newest?.version ?? 0n;
  const ofLog = await rebuild([]);
  const ofSnapshot = newest === undefined ? null : await rebuild([newest]);
  const difference =
    faultOf('from the log alone', ofLog) ??
    faultOf(`from the snapshot of version ${snapshotVersion}`, ofSnapshot) ??
    unusedSnapshot(snapshotVersion, ofSnapshot) ??
    differenceOfStates(ofLog, ofSnapshot) ??
    differenceOfRow(meta, ofLog) ??
    '';
  return {
    equal: difference === '',
    difference,
    roomVersion: meta.version,
    snapshotVersion,
    stateHashOfLog: hashOf(ofLog, codec),
    stateHashOfSnapshot: hashOf(ofSnapshot, codec),
  };
}

async function rebuiltFrom(
  { roomReader, codec, schemaRegistry }: VerifyRoomPorts,
  roomKey: RoomKey,
  meta: StoredMeta,
  snapshots: StoredRoom['snapshots'],
  checkTime: () => void,
): Promise<Rebuilt> {
  const history: RoomHistory = {
    loadRoom: () => Promise.resolve({ meta, snapshots }),
    async stepsAfter(key, afterVersion, limit) {
      checkTime();
      const steps = await roomReader.stepsAfter(key, afterVersion, limit);
      return steps.filter(({ version }) => version <= meta.version);
    },
  };
  const find = (fingerprint: string) => schemaRegistry.find(fingerprint);
  try {
    const room = await rebuildRoom(history, codec, roomKey, find);
    return room === null ? { fault: 'there is no room' } : { room };
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'corrupt') throw thrown;
    return { fault: thrown.facts['detail'] ?? thrown.message };
  }
}

function faultOf(way: string, rebuilt: Rebuilt | null): string | null {
  if (rebuilt === null || 'room' in rebuilt) return null;
  return `the room cannot be rebuilt ${way}: ${rebuilt.fault}`;
}

/** A rebuild passes over a snapshot that it cannot use; here that is what was asked. */
function unusedSnapshot(snapshotVersion: bigint, rebuilt: Rebuilt | null): string | null {
  if (rebuilt === null || !('room' in rebuilt)) return null;
  if (rebuilt.room.snapshotVersion === snapshotVersion) return null;
  return `the snapshot of version ${snapshotVersion} is damaged, unreadable or off the log`;
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
