/**
 * Takes what is old out of one room's log. A step may go when recovery can do without it: it lies at
 * or below the older of the room's two newest snapshots, and both were just rebuilt from and led to
 * the room as its row says it is. A room that is idle, or whose snapshots failed, has none so high: it
 * is given them here, from committed data, as its owner would write them.
 *
 * Race (simulation, INV-47): the room goes on while it is looked at.
 *   1. Snapshots 40 and 50 are proven; steps up to 40 may go.
 *   2. Its owner stores 60; 40 is pruned.
 *   3. Steps up to 40 are removed.
 * Recovery begins at 50 or 60: what it needs lies above both. A floor never becomes wrong later.
 */
import type { RoomKey, RoomVersion } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RetentionStore } from '../../ports/retention-store.ts';
import type { RoomReader } from '../../ports/room-reader.ts';
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { Codec } from '../../protocol/codec-api.ts';
import { rebuildFrom, type Rebuilt, type StoredMeta } from '../../protocol/rebuild-from.ts';
import { stateHashOf } from '../../protocol/state-hash.ts';

/** What retiring a room stands on. */
export interface RetireContext {
  readonly store: Pick<RetentionStore, 'oldSteps' | 'removeSteps'>;
  readonly rooms: Pick<RoomReader, 'loadRoom' | 'stepsAfter'>;
  readonly snapshots: SnapshotStore;
  readonly schemas: Pick<SchemaRegistry, 'find'>;
  readonly codec: Codec;
  readonly clock: Clock;
}

/** How a look at a room went. */
export type Retired =
  | { readonly kind: 'removed'; readonly steps: number; readonly isMore: boolean }
  | { readonly kind: 'nothing' }
  /** Its snapshots do not lead to the room: nothing of it may leave. */
  | { readonly kind: 'unproven'; readonly fault: string };

/** Snapshots that a room keeps here: those that prove its floor. */
const snapshotsKept = 2;

/** One page of one room. Throws Retry when MySQL cannot be reached. */
export async function retireSteps(
  context: RetireContext,
  roomKey: RoomKey,
  decidedBeforeMs: number,
  pageRows: number,
): Promise<Retired> {
  const { store, rooms } = context;
  const old = await store.oldSteps(roomKey, decidedBeforeMs, pageRows);
  if (old === null) return { kind: 'nothing' };
  const { meta } = await rooms.loadRoom(roomKey);
  if (meta === null) return { kind: 'unproven', fault: 'there is a log and no room' };
  const floor = meta.status === 'deleted' ? old.upTo : await floorOf(context, roomKey, old.upTo);
  if (typeof floor === 'string') return { kind: 'unproven', fault: floor };
  const upTo = floor < old.upTo ? floor : old.upTo;
  const steps = await store.removeSteps(roomKey, upTo, decidedBeforeMs, pageRows);
  return { kind: 'removed', steps, isMore: old.isMore && steps > 0 };
}

/**
 * Up to where steps may go; a text: why nothing may. Snapshots are written only where old steps lie
 * above what is there, so that a room that goes on, and whose owner writes them, costs no more here
 * than two rebuilds.
 */
async function floorOf(
  context: RetireContext,
  roomKey: RoomKey,
  upTo: RoomVersion,
): Promise<RoomVersion | string> {
  const proven = await provenFloor(context, roomKey);
  if (typeof proven === 'string' && proven !== noTwoSnapshots) return proven;
  if (typeof proven !== 'string' && proven >= upTo) return proven;
  const raised = await raiseSnapshots(context, roomKey, upTo);
  if (raised !== null) return raised;
  const after = await provenFloor(context, roomKey);
  // One snapshot only, of a room that has one version: it has nothing that could leave.
  return after === noTwoSnapshots ? noVersion : after;
}

const noVersion = 0n as RoomVersion;
const noTwoSnapshots = 'it has no two snapshots';

/** The older of the two newest snapshots when both lead to the room, and to the same state of it. */
async function provenFloor(
  context: RetireContext,
  roomKey: RoomKey,
): Promise<RoomVersion | string> {
  const { meta, snapshots } = await context.rooms.loadRoom(roomKey);
  const [newest, older] = snapshots.filter(({ version }) => version <= (meta?.version ?? 0n));
  if (meta === null || newest === undefined || older === undefined) return noTwoSnapshots;
  const ofNewest = await rebuilt(context, roomKey, meta, newest);
  if ('fault' in ofNewest) return `snapshot ${newest.version}: ${ofNewest.fault}`;
  const ofOlder = await rebuilt(context, roomKey, meta, older);
  if ('fault' in ofOlder) return `snapshot ${older.version}: ${ofOlder.fault}`;
  const isSame = hashOf(context, ofNewest) === hashOf(context, ofOlder);
  return isSame ? older.version : `snapshots ${newest.version} and ${older.version} differ`;
}

/** Stores the room below its head and at it, as high as old steps reach; a text: why it cannot. */
async function raiseSnapshots(
  context: RetireContext,
  roomKey: RoomKey,
  upTo: RoomVersion,
): Promise<string | null> {
  const { meta } = await context.rooms.loadRoom(roomKey);
  if (meta === null) return 'the room is gone';
  const below = (upTo < meta.version ? upTo : meta.version - 1n) as RoomVersion;
  for (const version of [below, meta.version]) {
    if (version <= 0n) continue;
    const fault = await storeAt(context, roomKey, version);
    if (fault !== null) return fault;
  }
  return null;
}

async function storeAt(
  context: RetireContext,
  roomKey: RoomKey,
  version: RoomVersion,
): Promise<string | null> {
  const { rooms, snapshots, codec, clock } = context;
  const stored = await rooms.loadRoom(roomKey);
  if (stored.snapshots.some((snapshot) => snapshot.version === version)) return null;
  const [step] = await rooms.stepsAfter(roomKey, (version - 1n) as RoomVersion, 1);
  if (stored.meta === null || step?.version !== version) return `step ${version} is missing`;
  // The row as it stood at that version, as far as a rebuild looks at it.
  const meta = { ...stored.meta, version, chainHash: step.chainHash };
  const start = stored.snapshots.find((snapshot) => snapshot.version <= version) ?? null;
  const way = await rebuilt(context, roomKey, meta, start);
  if ('fault' in way) return way.fault;
  const bytes = codec.encodeSnapshot({ state: way.room.state });
  const { chainHash } = way.room;
  const createdAtMs = clock.wallMs();
  const row = { roomKey, version, bytes, stateHash: stateHashOf(bytes), chainHash, createdAtMs };
  await snapshots.save(row, snapshotsKept);
  return null;
}

function rebuilt(
  { rooms, codec, schemas }: RetireContext,
  roomKey: RoomKey,
  meta: StoredMeta,
  snapshot: Parameters<typeof rebuildFrom>[3],
): Promise<Rebuilt> {
  const ports = {
    stepsAfter: (...read: Parameters<RoomReader['stepsAfter']>) => rooms.stepsAfter(...read),
    codec,
    findSchema: (fingerprint: string) => schemas.find(fingerprint),
  };
  return rebuildFrom(ports, roomKey, meta, snapshot);
}

function hashOf({ codec }: RetireContext, way: Rebuilt): string {
  if ('fault' in way) return way.fault;
  const bytes = codec.encodeSnapshot({ state: way.room.state });
  return Buffer.from(stateHashOf(bytes)).toString('hex');
}
