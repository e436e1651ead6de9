/** The copy of the room list, as the roles of a process take part in it. */
import type { RoomKey } from '../domain/ids.ts';
import type { RoomListCache } from '../ports/room-list-cache.ts';
import { ListProjector } from '../projections/list-projector.ts';
import { ListRefresher } from '../projections/list-refresher.ts';
import type { WiringContext } from './wiring-context.ts';

/** Changed rooms that may wait to be copied; above it a full pass puts them right. */
const waitingRoomsMax = 10_000;

/** What a role has of it. */
export interface ListProjection {
  readonly cache: RoomListCache;
  /** Call it after the COMMIT that changed these rooms. */
  changed(roomKeys: readonly RoomKey[]): void;
  /** Begins to make full passes. */
  startPasses(): void;
  stop(): Promise<void>;
}

/** Null: `list_cache.enabled` is false, and lists come from MySQL. */
export function openListProjection(context: WiringContext): ListProjection | null {
  const { config, drivers, driverPorts, clock, timers, log, metrics, nodeId, incarnation } =
    context;
  const { listCache } = config;
  if (!listCache.enabled) return null;
  const cache = drivers.roomListCache(driverPorts);
  const ports = { cache, queries: drivers.stores.roomQueries, clock, timers, log, metrics };
  const projector = new ListProjector(ports, {
    copyIntervalMs: listCache.copyIntervalMs,
    waitingMax: waitingRoomsMax,
  });
  const refresher = new ListRefresher(ports, {
    holder: `${nodeId}:${incarnation}`,
    lookIntervalMs: listCache.lookIntervalMs,
    passIntervalMs: listCache.passIntervalMs,
  });
  return {
    cache,
    changed: (roomKeys) => projector.changed(roomKeys),
    startPasses: () => refresher.start(),
    async stop() {
      await Promise.all([projector.stop(), refresher.stop()]);
      await cache.stop();
    },
  };
}
