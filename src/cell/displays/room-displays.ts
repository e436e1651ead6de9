/**
 * The display lane's beginning: hands over what committed commands show, at the pace of each type.
 * Behind COMMIT and behind the replies, so nothing here can cost or fail a command (DIM-1, DIM-2).
 *
 * Pace (SVC-20, ROCKET-4): the first display of a room, type and key leaves at once and begins a window;
 * what comes within it is gathered, and its end sends that and begins the next one.
 *
 * Race (test "shows nothing of a partition that it has lost"):
 *   1. A display waits for the end of its window, or in the queue of its room.
 *   2. The partition is lost; another node commits what follows.
 *   3. The window ends here and an older picture passes a newer one.
 * Closed by forgetting, at the loss, all that waits of the partition's rooms.
 */
import { displayRoutes, gatherDisplays } from '../../domain/events/displays.ts';
import { splitRoomKey, type RoomKey } from '../../domain/ids.ts';
import type { CancelTimer } from '../../ports/timers.ts';
import { displayIdOf } from '../../protocol/derived-ids.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { CellContext } from '../cell-context.ts';
import type { DraftStep, LoggedEnd, RoomDraft } from '../lane/draft.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { actorOf } from '../work.ts';
import { displaysOf, type CommittedCommand, type Shown } from './displays-of.ts';

/** Windows that may be open at a time; a display that finds no place leaves without one. */
const windowsMax = 20_000;

/** A display on its way, with the command that it is of. */
interface Showing {
  readonly shown: Shown;
  readonly committed: CommittedCommand;
}

/** The time in which no further display of its room, type and key leaves. */
interface Window {
  readonly windowMs: number;
  waiting: Showing | null;
  cancel: CancelTimer;
}

/** See the file header. One per membership of a cell. */
export class RoomDisplays {
  private readonly context: CellContext;
  private readonly partitionCount: number;
  private readonly windows = new Map<RoomKey, Map<string, Window>>();
  private openWindows = 0;

  constructor(context: CellContext, partitionCount: number) {
    this.context = context;
    this.partitionCount = partitionCount;
  }

  /** These drafts are stored. Never throws and never waits. */
  committed(drafts: readonly RoomDraft[]): void {
    const { options } = this.context;
    for (const { room, state, ends } of drafts) {
      if (!room.partition.active) continue;
      for (const end of ends) {
        if (end.kind !== 'logged' || end.step === null) continue;
        const committed = committedCommand(room, end, end.step);
        for (const shown of displaysOf(committed, options)) {
          this.show(room.key, { shown, committed });
        }
      }
      // Whoever watched it learns how it ended; nothing will happen in it any more.
      if (state.status !== 'active') this.flushRoom(room.key);
    }
  }

  /** Forgets what waits of the partition's rooms: they are another node's now. */
  lost(partition: Partition): void {
    const isOf = (roomKey: RoomKey): boolean =>
      partitionOf(roomKey, this.partitionCount) === partition.id;
    for (const [roomKey, windows] of this.windows) {
      if (!isOf(roomKey)) continue;
      for (const [id, window] of windows) this.end(roomKey, id, window);
    }
    this.context.displays.drop(isOf);
  }

  /** Sends what waits for the end of its window: before everything is given up. */
  flush(): void {
    for (const roomKey of this.windows.keys()) this.flushRoom(roomKey);
  }

  private show(roomKey: RoomKey, showing: Showing): void {
    const { shown } = showing;
    const id = windowIdOf(shown);
    const open = this.windows.get(roomKey)?.get(id);
    if (open === undefined) {
      this.send(roomKey, showing);
      this.begin(roomKey, id, windowMsOf(shown));
      return;
    }
    open.waiting = gathered(open.waiting, showing);
    if (shown.kind !== 'display' || shown.isLast !== true) return;
    this.end(roomKey, id, open);
    this.send(roomKey, open.waiting);
  }

  private begin(roomKey: RoomKey, id: string, windowMs: number | null): void {
    if (windowMs === null) return;
    if (this.openWindows >= windowsMax) {
      this.context.metrics.count('cell_displays_unpaced_total');
      return;
    }
    const windows = this.windows.get(roomKey) ?? new Map<string, Window>();
    this.windows.set(roomKey, windows);
    const window: Window = { windowMs, waiting: null, cancel: this.after(roomKey, id, windowMs) };
    windows.set(id, window);
    this.openWindows += 1;
  }

  private after(roomKey: RoomKey, id: string, windowMs: number): CancelTimer {
    return this.context.timers.after(windowMs, () => this.passed(roomKey, id));
  }

  private passed(roomKey: RoomKey, id: string): void {
    const window = this.windows.get(roomKey)?.get(id);
    if (window === undefined) return;
    const { waiting } = window;
    if (waiting === null) {
      this.end(roomKey, id, window);
      return;
    }
    window.waiting = null;
    window.cancel = this.after(roomKey, id, window.windowMs);
    this.send(roomKey, waiting);
  }

  private flushRoom(roomKey: RoomKey): void {
    for (const [id, window] of this.windows.get(roomKey) ?? []) {
      this.end(roomKey, id, window);
      if (window.waiting !== null) this.send(roomKey, window.waiting);
    }
  }

  private end(roomKey: RoomKey, id: string, window: Window): void {
    window.cancel();
    const windows = this.windows.get(roomKey);
    if (windows?.delete(id) !== true) return;
    this.openWindows -= 1;
    if (windows.size === 0) this.windows.delete(roomKey);
  }

  private send(roomKey: RoomKey, showing: Showing): void {
    const { displays, metrics, options } = this.context;
    const type = typeOf(showing.shown);
    if (options.suppressedDisplays.has(type)) {
      metrics.count('cell_displays_suppressed_total', { type });
      return;
    }
    metrics.count('cell_displays_total', { type });
    displays.offer({ roomKey, value: this.bytesOf(showing) });
  }

  private bytesOf({ shown, committed }: Showing): Uint8Array {
    if (shown.kind === 'fact') return shown.event.envelope;
    const { appCode, roomId, step, decidedAtMs, actorUserId } = committed;
    const { display, identity } = shown;
    return this.context.codec.encodeDisplay({
      eventId: displayIdOf(appCode, roomId, display.type, identity),
      appCode,
      roomId,
      displayType: display.type,
      roomVersion: step.version,
      occurredAtMs: decidedAtMs,
      actorUserId,
      display,
    });
  }
}

function committedCommand(room: RoomCell, end: LoggedEnd, step: DraftStep): CommittedCommand {
  const { item, commandId, decidedAtMs, result } = end;
  return {
    ...splitRoomKey(room.key),
    commandId,
    actorUserId: actorOf(item),
    body: item.kind === 'command' ? item.command.body : item.body,
    decidedAtMs,
    result,
    step,
    state: room.state,
  };
}

/** What waits and what comes, as the one that leaves: under the newest command. */
function gathered(waiting: Showing | null, next: Showing): Showing {
  if (waiting?.shown.kind !== 'display' || next.shown.kind !== 'display') return next;
  const display = gatherDisplays(waiting.shown.display, next.shown.display);
  return { ...next, shown: { ...next.shown, display } };
}

function typeOf(shown: Shown): string {
  return shown.kind === 'fact' ? shown.event.event.type : shown.display.type;
}

function windowMsOf(shown: Shown): number | null {
  return shown.kind === 'fact' ? shown.windowMs : displayRoutes[shown.display.type].windowMs;
}

function windowIdOf(shown: Shown): string {
  if (shown.kind === 'display') return `${typeOf(shown)} ${shown.key}`;
  // A sample of what robots do never takes the place of what a person did.
  return `${typeOf(shown)} ${shown.windowMs === null ? '' : 'sample'}`;
}
