/**
 * Strongly consistent reads at a cell (architecture section 3). The owner answers from memory, after
 * MySQL has confirmed the epoch and memory shows all that MySQL has; every other node passes the call
 * on, once.
 *
 * Race 1 (test "a node that lost its partition without noticing answers NOT_OWNER, and not from its memory"):
 *   1. A is frozen or cut off; B takes the partition over and commits.
 *   2. A thaws and is asked. Its memory is old, and nothing has told it.
 * Closed by [A]: MySQL is asked after the read has come.
 *
 * Race 2 (test "a commit that MySQL has and memory does not is waited for"):
 *   1. COMMIT is stored, its answer is on the way or lost; the relay already delivers the events.
 *   2. Somebody who has seen them asks the owner, whose memory is one transaction behind.
 * Closed by [B]: the owner row counts the transactions of the epoch.
 *
 * Race 3 (test "a room that leaves memory while its read waits is loaded again"):
 *   1. The room is loaded; while MySQL is asked it leaves memory, and a command brings another copy in.
 *   2. The copy that the read has seen is not written any more.
 * Closed by [C]: the state is taken from the registry in the turn in which it is answered.
 *
 * Race 4 (test "an address that leads back to the one who forwards ends after one hop"): an
 * `advertise_addr` of a load balancer sends a forwarded call anywhere (TST-14). Closed by [D].
 */
import type { RoomKey } from '../../domain/ids.ts';
import { reasonRow, type Reason } from '../../domain/reasons.ts';
import { Failure, type FailureFacts } from '../../kernel/failure.ts';
import {
  unreached,
  type OwnerRead,
  type OwnerReads,
  type OwnerReply,
  type ReadCall,
} from '../../ports/owner-reads.ts';
import { partitionOf } from '../../protocol/partition.ts';
import type { CellContext } from '../cell-context.ts';
import type { PartitionSet } from '../partition/partition-set.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { answerQuestion } from './answer-question.ts';
import { EpochConfirmation } from './epoch-confirmation.ts';
import { ownerByRoute, ownerByRow, type OwnerPlace } from './find-owner.ts';
import { ReadWaits } from './read-waits.ts';

/** Pause that a refused caller is asked to make: about what a takeover takes. */
const askAgainMs = 200;

/** What the reads stand on. */
export interface ReadParts {
  readonly partitionCount: number;
  readonly partitions: Pick<PartitionSet, 'find'>;
  readonly registry: RoomRegistry;
  /** MySQL gives the partition to somebody else. */
  fenced(partition: Partition): void;
}

/** How long a read may take. */
interface Until {
  readonly untilMonoMs: number;
  readonly signal: AbortSignal;
}

/** See the file header. */
export class CellReads implements OwnerReads {
  private readonly context: CellContext;
  private readonly parts: ReadParts;
  private readonly confirmation: EpochConfirmation;
  private readonly waits = new ReadWaits();
  private inHand = 0;
  private draining = false;

  constructor(context: CellContext, parts: ReadParts) {
    this.context = context;
    this.parts = parts;
    this.confirmation = new EpochConfirmation(context, (partition) => parts.fenced(partition));
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

  /** The room is `ready` or `broken`. */
  loaded(room: RoomCell): void {
    this.waits.loaded(room);
  }

  /** A batch was put into effect. */
  committed(): void {
    this.waits.committed();
  }

  lost(partition: Partition): void {
    this.waits.lost(partition);
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
    const { parts, context } = this;
    const id = partitionOf(read.roomKey, parts.partitionCount);
    const partition = parts.partitions.find(id);
    if (partition === undefined) return this.passOn(read, id, until);
    for (;;) {
      const room = await this.loadedRoom(read.roomKey, partition, until.signal);
      if (room !== null) await this.confirm(partition, until.signal);
      if (!partition.active) throw await this.notOwner(id);
      if (until.signal.aborted) throw tooLate();
      const present = parts.registry.find(read.roomKey); // [C]
      if (present?.partition !== partition || present.phase === 'loading') continue;
      return this.reply(read, present, context.clock.wallMs());
    }
  }

  private reply(read: OwnerRead, room: RoomCell, nowMs: number): OwnerReply {
    if (room.phase === 'broken') throw refused('ROOM_CORRUPT');
    const { giftRankMax } = this.context.options.limits;
    const answer = answerQuestion(room.state, read, { nowMs, giftRankMax });
    return { roomVersion: room.state.version, ownerEpoch: room.partition.epoch, answer };
  }

  /** Null: it is not, or the read has ended. */
  private async loadedRoom(
    roomKey: RoomKey,
    partition: Partition,
    signal: AbortSignal,
  ): Promise<RoomCell | null> {
    if (!partition.active) return null;
    const room = this.parts.registry.ensure(roomKey, partition);
    return (await this.waits.untilLoaded(room, signal)) ? room : null;
  }

  private async confirm(partition: Partition, signal: AbortSignal): Promise<void> {
    const confirmation = await this.confirmation.confirm(partition); // [A]
    if (confirmation.kind === 'unreachable') {
      throw refused('UNAVAILABLE', {}, confirmation.cause);
    }
    if (confirmation.kind === 'lost') throw await this.notOwner(partition.id);
    const isBehind = partition.commitSeq < confirmation.commitSeq;
    if (isBehind) this.context.metrics.count('cell_reads_waited_total');
    await this.waits.untilShown(partition, confirmation.commitSeq, signal); // [B]
  }

  private async passOn(read: OwnerRead, id: number, until: Until): Promise<OwnerReply> {
    if (read.forwardedBy !== '') throw await this.notOwner(id); // [D]
    const { options, metrics } = this.context;
    const byRoute = await ownerByRoute(this.context, read.roomKey);
    metrics.count('cell_reads_forwarded_total', { by: byRoute === null ? 'row' : 'route' });
    if (byRoute !== null) {
      try {
        return await this.ask(byRoute, read, until);
      } catch (error) {
        // Nobody has seen the call: the route names a node that is gone, and the row may know better.
        if (!(error instanceof Failure) || error.facts['node'] !== unreached.node) throw error;
      }
    }
    const byRow = await ownerByRow(this.context, id);
    if (byRow === null || byRow.advertiseAddr === options.advertiseAddr) throw notOwner(null);
    return this.ask(byRow, read, until);
  }

  private ask({ advertiseAddr }: OwnerPlace, read: OwnerRead, until: Until): Promise<OwnerReply> {
    const { peers, options, clock } = this.context;
    const withinMs = until.untilMonoMs - clock.monoMs();
    const forwarded = { ...read, forwardedBy: options.nodeId };
    return peers.at(advertiseAddr).read(forwarded, { withinMs, signal: until.signal });
  }

  /** With the owner by MySQL as a hint, if MySQL can be asked. */
  private async notOwner(id: number): Promise<Failure> {
    try {
      return notOwner(await ownerByRow(this.context, id));
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      return refused('UNAVAILABLE', {}, cause);
    }
  }
}

function refusedAtEnd(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const refuse = (): void => reject(tooLate());
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

function tooLate(): Failure {
  return refused('UNAVAILABLE', {}, 'the time of the read is over');
}

function notOwner(owner: OwnerPlace | null): Failure {
  return refused('NOT_OWNER', owner === null ? {} : { owner: owner.nodeId });
}

function refused(reason: Reason, facts: FailureFacts = {}, cause?: unknown): Failure {
  const row = reasonRow(reason);
  const rest = row?.memory === 'free' ? { retryAfterMs: askAgainMs } : {};
  const kind = row?.memory === 'free' ? 'retry' : 'reject';
  return new Failure(kind, reason, row?.sentence ?? reason, { facts, cause, ...rest });
}
