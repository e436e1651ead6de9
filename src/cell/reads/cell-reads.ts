/**
 * Strongly consistent reads at a cell (architecture section 3). The owner answers from memory, after
 * MySQL has confirmed the epoch and memory shows all that MySQL has (`owned-rooms.ts`); every other
 * node passes the call on, once (`pass-on.ts`).
 */
import { Failure } from '../../kernel/failure.ts';
import type { OwnerRead, OwnerReads, OwnerReply, ReadCall } from '../../ports/owner-reads.ts';
import type { CellContext } from '../cell-context.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { answerQuestion } from './answer-question.ts';
import { tooLate, type OwnedRooms } from './owned-rooms.ts';
import { passOn } from './pass-on.ts';
import { refused } from './refused.ts';

/** How long a read may take. */
interface Until {
  readonly untilMonoMs: number;
  readonly signal: AbortSignal;
}

/** See the file header. */
export class CellReads implements OwnerReads {
  private readonly context: CellContext;
  private readonly owned: OwnedRooms;
  private inHand = 0;
  private draining = false;

  constructor(context: CellContext, owned: OwnedRooms) {
    this.context = context;
    this.owned = owned;
  }

  async read(read: OwnerRead, call: ReadCall): Promise<OwnerReply> {
    const { clock, metrics, options } = this.context;
    const kind = read.question.kind;
    const startedMonoMs = clock.monoMs();
    let outcome = 'answered';
    try {
      if (this.draining) throw refused('DRAINING');
      if (this.inHand >= options.readsMax) throw refused('OWNER_BUSY');
      this.inHand += 1;
      try {
        return await this.withinTime(read, call);
      } finally {
        this.inHand -= 1;
      }
    } catch (error) {
      outcome = error instanceof Failure ? error.reason : 'fault';
      throw error;
    } finally {
      metrics.count('cell_reads_total', { kind, outcome });
      metrics.observeMs('cell_read_ms', clock.monoMs() - startedMonoMs, { kind });
    }
  }

  /** From now on every new read is refused DRAINING; those in hand end with their partitions. */
  drain(): void {
    this.draining = true;
  }

  private async withinTime(read: OwnerRead, call: ReadCall): Promise<OwnerReply> {
    const { clock, timers } = this.context;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const untilMonoMs = clock.monoMs() + Math.max(call.withinMs, 0);
    const cancel = timers.after(untilMonoMs - clock.monoMs(), end);
    call.signal.addEventListener('abort', end, { once: true });
    if (call.signal.aborted) end();
    try {
      const until = { untilMonoMs, signal: ended.signal };
      return await Promise.race([this.answer(read, until), refusedAtEnd(ended.signal)]);
    } finally {
      cancel();
      call.signal.removeEventListener('abort', end);
      // Whatever still waits for this read ends with it.
      ended.abort();
    }
  }

  private async answer(read: OwnerRead, until: Until): Promise<OwnerReply> {
    const { context, owned } = this;
    const { partition } = owned.placeOf(read.roomKey);
    if (partition === undefined) {
      return passOn(context, owned, read, (node) => {
        const withinMs = until.untilMonoMs - context.clock.monoMs();
        const forwarded = { ...read, forwardedBy: context.options.nodeId };
        return node.read(forwarded, { withinMs, signal: until.signal });
      });
    }
    return owned.look({ ...read, partition }, until.signal, (room) => this.reply(read, room));
  }

  private reply(read: OwnerRead, room: RoomCell): OwnerReply {
    const nowMs = this.context.clock.wallMs();
    const { giftRankMax } = this.context.options.limits;
    const answer = answerQuestion(room.state, read, { nowMs, giftRankMax });
    return { roomVersion: room.state.version, ownerEpoch: room.partition.epoch, answer };
  }
}

function refusedAtEnd(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = (): void => reject(tooLate());
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}
