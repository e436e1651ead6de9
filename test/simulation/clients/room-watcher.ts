/**
 * One watcher of a run: asks for a stream, keeps the last version that it was told, and asks again
 * from there whenever the stream ends, as the document for clients has it (docs/events.md).
 */
import type { Timers } from '../../../src/ports/timers.ts';
import type { RoomWatchMessage } from '../../../src/ports/room-read-api.ts';
import type { WatchStop } from '../observations.ts';
import type { PlannedWatch } from '../plan/planned-call.ts';
import { roomIdOf } from './client-call.ts';

/** What a watcher asks the network for. */
export interface WatchAsk extends Pick<PlannedWatch, 'appCode' | 'role' | 'userId' | 'gateway'> {
  readonly client: string;
  readonly roomId: string;
  readonly afterVersion: bigint;
}

/** What a watcher stands on. */
export interface WatcherContext {
  readonly timers: Timers;
  /** Opens a stream; resolves when it has ended, after each message was heard. */
  watch(
    ask: WatchAsk,
    hear: (message: RoomWatchMessage) => void,
    hangUp: AbortSignal,
  ): Promise<WatchStop>;
  /** A pause before the next try, drawn. */
  pauseMs(): number;
}

/** Who may not watch now asks again after so long. */
const refusedPauseMs = 2_000;

/** See the file header. */
export class RoomWatcher {
  readonly name: string;
  readonly appCode: string;
  readonly roomId: string;
  private readonly plan: PlannedWatch;
  private readonly context: WatcherContext;
  /** The last version that it was told. */
  private version = 0n;
  private isOver = false;

  constructor(context: WatcherContext, plan: PlannedWatch, nth: number) {
    this.context = context;
    this.plan = plan;
    this.name = `watcher-${nth}`;
    this.appCode = plan.appCode;
    this.roomId = roomIdOf(plan.room);
  }

  /** Watches until the room is deleted, or for ever. */
  async run(): Promise<void> {
    const { role, userId, gateway } = this.plan;
    for (let tries = 0; !this.isOver; tries += 1) {
      const hangUp = new AbortController();
      let heard = 0;
      let steps = 0;
      const ask: WatchAsk = {
        ...{ client: this.name, appCode: this.appCode, roomId: this.roomId, role, userId },
        gateway: gateway + tries,
        afterVersion: this.version,
      };
      const stop = await this.context.watch(
        ask,
        (message) => {
          this.hear(message);
          heard += 1;
          if (message.kind === 'step') steps += 1;
          if (steps > 0 && steps === this.plan.hangsUpAfter) hangUp.abort();
        },
        hangUp.signal,
      );
      if (this.isOver) return;
      const isRefused = stop.kind === 'failed' && heard === 0;
      await this.context.timers.sleep(isRefused ? refusedPauseMs : this.context.pauseMs());
    }
  }

  /**
   * What it has not been told of a room at this version; null: nothing. A user is told what its stay
   * lets it know, and is not asked.
   */
  missing(version: bigint): string | null {
    if (this.plan.role !== 'user' && this.version < version) {
      return `${this.name} was told ${this.roomId} up to version ${this.version} of ${version}`;
    }
    return null;
  }

  private hear(message: RoomWatchMessage): void {
    if (message.kind === 'view') this.version = message.view.version;
    if (message.kind === 'step') this.version = message.step.version;
    if (message.kind === 'end') this.isOver = message.end.reason === 'ROOM_CLOSED';
  }
}
