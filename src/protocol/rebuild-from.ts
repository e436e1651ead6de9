/**
 * Rebuilds a room as its row says it is, from one snapshot or from its log alone: for those who want
 * to know whether that way leads there. What was committed after the row was read makes no difference.
 */
import type { RoomKey } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { Codec } from './codec-api.ts';
import { rebuildRoom } from './room-history.ts';
import type {
  FindSchema,
  RebuiltRoom,
  RoomHistory,
  StoredRoom,
  StoredSnapshot,
} from './room-history.ts';

/** The row of a room that was committed. */
export type StoredMeta = NonNullable<StoredRoom['meta']>;

/** The room, or why this way does not lead to it. */
export type Rebuilt = { readonly room: RebuiltRoom } | { readonly fault: string };

/** What rebuilding reads with. `stepsAfter` may throw to end it. */
export interface RebuildPorts {
  readonly stepsAfter: RoomHistory['stepsAfter'];
  readonly codec: Codec;
  readonly findSchema: FindSchema;
}

/**
 * Null: from the log alone. A snapshot that is damaged, unreadable or off the log is a fault here,
 * and nothing else takes its place. Throws whatever a read throws.
 */
export async function rebuildFrom(
  { stepsAfter, codec, findSchema }: RebuildPorts,
  roomKey: RoomKey,
  meta: StoredMeta,
  snapshot: StoredSnapshot | null,
): Promise<Rebuilt> {
  const snapshots = snapshot === null ? [] : [snapshot];
  const history: RoomHistory = {
    loadRoom: () => Promise.resolve({ meta, snapshots }),
    async stepsAfter(key, afterVersion, limit) {
      const steps = await stepsAfter(key, afterVersion, limit);
      return steps.filter(({ version }) => version <= meta.version);
    },
  };
  try {
    const room = await rebuildRoom(history, codec, roomKey, findSchema);
    if (room === null) return { fault: 'there is no room' };
    const isUsed = snapshot === null || room.snapshotVersion === snapshot.version;
    return isUsed ? { room } : { fault: unusable };
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.kind !== 'corrupt') throw thrown;
    return { fault: thrown.facts['detail'] ?? thrown.message };
  }
}

const unusable = 'the snapshot is damaged, unreadable or off the log';
