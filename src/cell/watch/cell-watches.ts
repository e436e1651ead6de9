/**
 * Watches at a cell (architecture section 3). The owner shows the room, and from then on tells what
 * it commits; what a watcher missed is read from the log. Every other node passes the watch on, once.
 *
 * Race 1 (test "steps that are committed while a watch begins come once"):
 *   1. The room is seen at version 7, or the log is read up to 7.
 *   2. Version 8 is committed before the watcher is in the room's list: it would miss it.
 * Closed by [A]: it is enlisted first, and what it gets twice that way is passed over by its version.
 *
 * Race 2 (test "a reader of the log that is overtaken by commits reads on"):
 *   1. A watcher far behind reads page after page, and more is committed meanwhile than may wait for it.
 *   2. What waits was let go: joined to the last page it would leave a gap.
 * Closed by [B]: only the step after the last one told is told; any other is looked for in the log.
 *
 * Race 3 (test "a user who was away does not see what happened in between"):
 *   1. A user watches up to version 7, is kicked with version 8, comes back with 20.
 *   2. It goes on behind 7: the guard says yes, and the log has what it was kept from.
 * Closed by [C]: a user goes on only from within its present stay. So its own leave can only stand
 * behind the version at which the guard let it in, and there it ends the watch.
 */
import type { RoomVersion } from '../../domain/ids.ts';
import type { Reason } from '../../domain/reasons.ts';
import { roomView } from '../../domain/room/room-view.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ReadAsker } from '../../ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../../ports/room-watch.ts';
import type { CellContext } from '../cell-context.ts';
import type { RoomDraft } from '../lane/draft.ts';
import type { Partition } from '../partition/partition.ts';
import { refuseUnguarded } from '../reads/answer-question.ts';
import type { OwnedRooms } from '../reads/owned-rooms.ts';
import { passOn } from '../reads/pass-on.ts';
import { refused } from '../reads/refused.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { storedSteps, type RoomStep } from './room-steps.ts';
import { RoomWatchers } from './room-watchers.ts';
import { Watcher } from './watcher.ts';
import { WatchPulse } from './watch-pulse.ts';

/** Steps of the log that are read at a time. */
export const stepsPerPage = 100;
/** Who is further behind is shown the room again: a view is less than so many steps. */
export const resumeStepsMax = 5_000;

/** How a watch begins. */
interface First {
  readonly message: WatchMessage;
  /** The steps behind it follow. */
  readonly position: RoomVersion;
  /** The room is deleted, and no step follows. */
  readonly isLast: boolean;
}

/** See the file header. */
export class CellWatches implements OwnerWatches {
  private readonly context: CellContext;
  private readonly owned: OwnedRooms;
  private readonly watchers: RoomWatchers;
  private readonly pulse: WatchPulse;
  private open = 0;
  private draining = false;

  constructor(context: CellContext, owned: OwnedRooms) {
    this.context = context;
    this.owned = owned;
    this.watchers = new RoomWatchers(context);
    this.pulse = new WatchPulse(context, owned, this.watchers);
  }

  async *watch(watch: OwnerWatch, signal: AbortSignal): AsyncGenerator<WatchMessage> {
    const { metrics, options } = this.context;
    let outcome = 'left';
    if (this.draining) throw refused('DRAINING');
    if (this.open >= options.watchersMax) throw refused('OWNER_BUSY');
    this.countOpen(1);
    try {
      for await (const message of this.messages(watch, signal)) {
        if (message.kind === 'end') outcome = message.end.reason;
        yield message;
      }
    } catch (error) {
      // Nobody listens any more: whatever the way out was, it is no failure.
      if (signal.aborted) return;
      outcome = error instanceof Failure ? error.reason : 'fault';
      throw error;
    } finally {
      this.countOpen(-1);
      metrics.count('cell_watches_total', { outcome });
    }
  }

  /** A batch was put into effect: told to whoever watches its rooms. */
  committed(drafts: readonly RoomDraft[]): void {
    this.watchers.committed(drafts);
  }

  /** From now on every new watch is refused DRAINING; the others end with their partitions. */
  drain(): void {
    this.draining = true;
  }

  /** The partition is another node's, or nobody's. */
  lost(partition: Partition): void {
    const reason = this.draining ? 'DRAINING' : 'NOT_OWNER';
    for (const watcher of this.watchers.of(partition)) watcher.end(reason);
  }

  stop(): void {
    this.pulse.stop();
  }

  private countOpen(by: 1 | -1): void {
    this.open += by;
    this.context.metrics.gauge('cell_watches_open', this.open);
  }

  private async *messages(watch: OwnerWatch, signal: AbortSignal): AsyncGenerator<WatchMessage> {
    const { context, owned } = this;
    const { partition } = owned.placeOf(watch.roomKey);
    if (partition === undefined) {
      yield* await passOn(context, owned, watch, async (node) => {
        const forwarded = { ...watch, forwardedBy: context.options.nodeId };
        return begun(node.watch(forwarded, signal));
      });
      return;
    }
    const watcher = new Watcher({ roomKey: watch.roomKey, partition });
    const leave = (): void => watcher.end('UNAVAILABLE');
    signal.addEventListener('abort', leave, { once: true });
    this.watchers.enlist(watcher); // [A]
    this.pulse.begin();
    try {
      yield* this.follow(watcher, watch, signal);
    } finally {
      signal.removeEventListener('abort', leave);
      this.watchers.dismiss(watcher);
    }
  }

  private async *follow(
    watcher: Watcher,
    watch: OwnerWatch,
    signal: AbortSignal,
  ): AsyncGenerator<WatchMessage> {
    let asked = watch.afterVersion;
    for (;;) {
      const first = await this.owned.look(watcher, signal, (room) => {
        watcher.seen(room.state.version);
        return this.firstOf(room, { ...watch, afterVersion: asked });
      });
      yield first.message;
      if (first.isLast) yield endOf('ROOM_CLOSED', first.position);
      if (first.isLast || (yield* this.tell(watcher, first.position, watch, signal))) return;
      // The log has lost what comes next: the room is shown anew.
      asked = 0n as RoomVersion;
    }
  }

  /** View or resumption, and behind which version the steps follow. */
  private firstOf({ state }: RoomCell, { asker, afterVersion }: OwnerWatch): First {
    if (state.status === 'absent') throw refused('ROOM_NOT_FOUND');
    refuseUnguarded(state, asker, this.context.clock.wallMs());
    const { version } = state;
    const stay = asker.userId === null ? undefined : state.users.get(asker.userId);
    const since = asker.role === 'user' ? (stay?.joinedAtVersion ?? version) : 1n; // [C]
    const isTellable =
      afterVersion >= since &&
      afterVersion <= version &&
      version - afterVersion <= BigInt(resumeStepsMax);
    const position = isTellable ? afterVersion : version;
    const isLast = state.status === 'deleted' && position === version;
    if (isTellable) return { message: { kind: 'resumed', version }, position, isLast };
    const { giftRankMax } = this.context.options.limits;
    const view = roomView(state, asker.userId, giftRankMax);
    return { message: { kind: 'view', view }, position, isLast };
  }

  /** False: the step that comes next cannot be told any more. */
  private async *tell(
    watcher: Watcher,
    after: RoomVersion,
    { asker }: OwnerWatch,
    signal: AbortSignal,
  ): AsyncGenerator<WatchMessage, boolean> {
    let position = after;
    for (;;) {
      if (signal.aborted) return true;
      const taken = watcher.take(position);
      if (taken.kind === 'nothing') await watcher.changed();
      if (taken.kind === 'alive') yield { kind: 'alive' };
      if (taken.kind === 'ended' && taken.reason === 'WATCH_TOO_SLOW') throw refused(taken.reason);
      if (taken.kind === 'ended') {
        yield endOf(taken.reason, position);
        return true;
      }
      const steps = await this.stepsOf(taken, watcher, position); // [B]
      if (steps === null) return false;
      for (const step of steps) {
        position = step.step.version;
        yield { kind: 'step', step: step.step };
        refuseFrom(step, asker);
        if (!step.isLast) continue;
        yield endOf('ROOM_CLOSED', position);
        return true;
      }
    }
  }

  private stepsOf(
    taken: ReturnType<Watcher['take']>,
    watcher: Watcher,
    position: RoomVersion,
  ): Promise<readonly RoomStep[] | null> | readonly RoomStep[] {
    if (taken.kind === 'step') return [taken.step];
    if (taken.kind !== 'behind') return [];
    return storedSteps(this.context, watcher.roomKey, position, stepsPerPage);
  }
}

/** Throws the guard's refusal behind the step that took a user's yes. */
function refuseFrom(step: RoomStep, { role, userId }: ReadAsker): void {
  if (role !== 'user' || userId === null) return;
  const end = step.guardEnd(userId);
  if (end !== null) throw refused(end, { user_id: userId });
}

function endOf(reason: Reason, resumeAfterVersion: RoomVersion): WatchMessage {
  return { kind: 'end', end: { reason, resumeAfterVersion } };
}

/** The messages of a stream that has begun: a failure to begin is thrown here. */
async function begun<T>(stream: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const iterator = stream[Symbol.asyncIterator]();
  const first = await iterator.next();
  const rest = { [Symbol.asyncIterator]: () => iterator };
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* rest;
    } finally {
      // Left at the first message, the rest was never begun.
      await iterator.return?.();
    }
  })();
}
