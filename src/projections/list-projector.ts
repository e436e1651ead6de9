/**
 * Copies rooms whose list entry may have changed, behind the commits that changed them and out of
 * their way. The first change is copied at once; those that follow within the interval are copied
 * together, once per room. Rooms that cannot be copied now wait, up to a limit; above it a full pass
 * puts right what was dropped.
 */
import { roomKeyOf, splitRoomKey, type AppCode, type RoomId, type RoomKey } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { roomIdsMax } from '../ports/room-queries.ts';
import type { Timers } from '../ports/timers.ts';
import { copyRooms, type CopyPorts } from './copy-rooms.ts';
import { OutageLines } from './outage-lines.ts';
import { PacedRounds } from './paced-rounds.ts';

/** What it stands on. */
export interface ListProjectorPorts extends CopyPorts {
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Times in ms. */
export interface ListProjectorOptions {
  /** Between two copies. */
  readonly copyIntervalMs: number;
  /** Rooms that may wait. Full: the newest is dropped and counted. */
  readonly waitingMax: number;
}

/** See the file header. */
export class ListProjector {
  private readonly ports: ListProjectorPorts;
  private readonly options: ListProjectorOptions;
  private readonly waiting = new Set<RoomKey>();
  private readonly rounds: PacedRounds;
  private stopped = false;
  private readonly outage: OutageLines;

  constructor(ports: ListProjectorPorts, options: ListProjectorOptions) {
    this.ports = ports;
    this.options = options;
    this.rounds = new PacedRounds(ports.timers, options.copyIntervalMs, {
      waits: () => this.waiting.size > 0,
      round: () => this.copyWaiting(),
    });
    this.outage = new OutageLines(ports.log, {
      begun: 'changed rooms wait to be listed',
      over: 'changed rooms are listed again',
    });
  }

  /** Call it after the COMMIT. Never waits and never throws. */
  changed(roomKeys: readonly RoomKey[]): void {
    if (this.stopped) return;
    for (const roomKey of roomKeys) {
      if (this.waiting.size < this.options.waitingMax) this.waiting.add(roomKey);
      else if (!this.waiting.has(roomKey)) this.note('dropped', 1);
    }
    this.rounds.wake();
  }

  /** Resolves when nothing is under way; what still waits is left to the next full pass. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.rounds.stop();
  }

  /** One round over everything that waited when it began. */
  private async copyWaiting(): Promise<void> {
    for (const [appCode, roomIds] of this.takeByApp()) {
      for (let at = 0; at < roomIds.length; at += roomIdsMax) {
        const part = roomIds.slice(at, at + roomIdsMax);
        const outcome = await this.copy(appCode, part);
        this.note(outcome, part.length);
        // Both mean: read again and write under a new stamp. A flush ends every stamp.
        if (outcome !== 'stored') this.putBack(appCode, part);
      }
    }
  }

  private async copy(
    appCode: AppCode,
    roomIds: readonly RoomId[],
  ): Promise<'stored' | 'too_late' | 'unreachable' | 'failed'> {
    try {
      const outcome = await copyRooms(this.ports, appCode, roomIds);
      this.outage.note(outcome === 'unreachable' ? { what: 'the list cache' } : null);
      return outcome;
    } catch (error) {
      // MySQL is away, or a fault of ours: commands go on, and the rooms are looked at again.
      if (error instanceof Failure && error.kind === 'retry') {
        this.outage.note({ what: error.message });
      } else this.ports.log.error({ error }, 'rooms cannot be copied into the list cache');
      return 'failed';
    }
  }

  private takeByApp(): ReadonlyMap<AppCode, readonly RoomId[]> {
    const byApp = new Map<AppCode, RoomId[]>();
    for (const roomKey of this.waiting) {
      const { appCode, roomId } = splitRoomKey(roomKey);
      const ids = byApp.get(appCode);
      if (ids === undefined) byApp.set(appCode, [roomId]);
      else ids.push(roomId);
    }
    this.waiting.clear();
    return byApp;
  }

  private putBack(appCode: AppCode, roomIds: readonly RoomId[]): void {
    this.changed(roomIds.map((roomId) => roomKeyOf(appCode, roomId)));
  }

  private note(outcome: string, rooms: number): void {
    this.ports.metrics.count('projection_list_copies_total', { outcome }, rooms);
  }
}
