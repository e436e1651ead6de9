/**
 * From the source's hands to the rooms' queues. The source's handler only appends; one loop then
 * reads records in order, looks their ids up in one batched SELECT, and routes them. Order within a
 * partition is the order of offsets, because the loop works on one gathering at a time.
 * What may be in memory at once is bounded by `water-marks.ts`.
 */
import type { RoomKey } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type { StoredResult } from '../../ports/room-reader.ts';
import { commandLevel } from '../../protocol/schema-levels.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { retryForever } from '../retry-forever.ts';
import {
  brokenRoomRefusal,
  looseOf,
  startClock,
  type CommandItem,
  type LooseItem,
} from '../work.ts';
import type { Arrival } from './arrival.ts';
import { readWithCare, replayed, type HeartbeatWork, type ReadRecord } from './read-record.ts';

/** Most records looked up in one SELECT. */
const gatherMax = 500;
/** Hint with ROOM_BUSY: by then a room that works at all has worked a good part of its queue off. */
const roomBusyRetryMs = 200;

/** Where routed work goes. */
export interface IntakeTargets {
  readonly registry: RoomRegistry;
  /** The room has work that may be decided. */
  roomHasWork(room: RoomCell): void;
  /** The partition has loose items, or an offset to flush. */
  partitionHasWork(partition: Partition): void;
  heartbeats(partition: Partition, work: HeartbeatWork): void;
  /** Records of the partition were taken over. */
  delivered(partition: Partition): void;
  /** True: the record is kept back and comes through `read` in its turn. */
  hold(arrival: Arrival): boolean;
}

/** A record that was read, and what it is the work of. */
interface Routable {
  readonly partition: Partition;
  readonly work: ReadRecord;
}

/** See the file header. */
export class Intake {
  private readonly context: CellContext;
  private readonly targets: IntakeTargets;
  private readonly partitionCount: number;
  private inbox: Arrival[] = [];
  private running = false;

  constructor(context: CellContext, partitionCount: number, targets: IntakeTargets) {
    this.context = context;
    this.partitionCount = partitionCount;
    this.targets = targets;
  }

  /** Nothing waits to be routed. */
  get idle(): boolean {
    return !this.running && this.inbox.length === 0;
  }

  /** Takes a batch over. Synchronous and O(batch). */
  accept(partition: Partition, records: readonly SourceRecord[]): void {
    const nowMonoMs = this.context.clock.monoMs();
    for (const record of records) {
      if (!partition.offsets.deliver(record.offset, record.recordTimeMs, sizeOf(record))) {
        this.context.metrics.count('cell_redelivered_total');
        continue;
      }
      this.context.trace.at('cell.record_read');
      const arrival: Arrival = { partition, record, clock: startClock(nowMonoMs), care: 'begin' };
      if (!this.targets.hold(arrival)) this.inbox.push(arrival);
    }
    this.targets.delivered(partition);
    if (!this.running) void this.run();
  }

  /** Reads what was kept back. */
  read(arrivals: readonly Arrival[]): void {
    this.inbox.push(...arrivals);
    if (!this.running) void this.run();
  }

  /**
   * Race (test "executes a redelivered record once"): were `running` cleared a turn after the last
   * look at the inbox, records accepted in that turn would wait for the next delivery, maybe for
   * ever. So it is cleared in the same turn in which the inbox was seen empty.
   */
  private async run(): Promise<void> {
    this.running = true;
    while (this.inbox.length > 0) {
      const arrivals = this.inbox.slice(0, gatherMax);
      this.inbox = this.inbox.slice(gatherMax);
      await this.learnSchemas(arrivals);
      const read = arrivals
        .filter((arrival) => arrival.partition.active)
        .map((arrival) => ({ partition: arrival.partition, work: this.begin(arrival) }));
      await this.learnLevel(read);
      await this.lookUp(read);
      for (const { partition, work } of read) {
        if (partition.active) this.route(partition, work);
      }
    }
    this.running = false;
  }

  /**
   * Race (test "asks for the level again before it refuses what came behind a raise"):
   *   1. An operator raises the level; a gateway reads it, and takes an RTC event that needs it.
   *   2. This node has not looked since, and would refuse the event as not yet enabled.
   *   3. Nobody sends it again: the RTC service was told that it is taken.
   * Closed by looking again before anything above the known level is decided.
   */
  private async learnLevel(read: readonly Routable[]): Promise<void> {
    const { enabledLevel, lookAtLevel } = this.context;
    if (enabledLevel === undefined || lookAtLevel === undefined) return;
    const level = enabledLevel();
    const ahead = read.filter(
      ({ work }) => work.kind === 'command' && commandLevel(work.command.body.type) > level,
    );
    if (ahead.length === 0) return;
    const isWanted = (): boolean => ahead.some(({ partition }) => partition.active);
    await retryForever(this.context, 'look at the schema level', isWanted, lookAtLevel);
  }

  private begin(arrival: Arrival): ReadRecord {
    const { partition, record, care } = arrival;
    const about = `${partition.id}:${record.offset}`;
    if (care === 'begin') this.context.trace.at('cell.record_begun', about);
    const work = readWithCare(arrival, this.partitionCount, this.context.codec);
    return record.offset <= partition.replayUntil ? replayed(work) : work;
  }

  /** A record of another release may need a schema that only the registry knows. */
  private async learnSchemas(arrivals: readonly Arrival[]): Promise<void> {
    const { codec, schemas } = this.context;
    for (const { partition, record, care } of arrivals) {
      if (care === 'endUnread') continue;
      const fingerprint = record.value === null ? null : codec.unknownFingerprint(record.value);
      if (fingerprint === null) continue;
      const json = await retryForever(
        this.context,
        'find schema',
        () => partition.active,
        () => schemas.find(fingerprint),
      );
      if (json !== null) this.learn(json, fingerprint);
    }
  }

  /** A registered text that is no schema makes its records unreadable, and nothing else. */
  private learn(json: string, fingerprint: string): void {
    try {
      this.context.codec.learnSchema(json);
    } catch (error) {
      this.context.log.error({ fingerprint, error }, 'a registered schema cannot be used');
    }
  }

  /**
   * Finds earlier results of the ids. What a look-up cannot see is covered elsewhere: an id of a
   * batch that commits right now is in the room's memory when this command is decided, and should
   * even that fail, the primary key of the log answers 1062 (PIPE-17).
   */
  private async lookUp(read: readonly Routable[]): Promise<void> {
    const items = read.map(({ work }) => work).filter((work) => work.kind === 'command');
    const unknown = items.filter((item) => !this.answerFromMemory(item));
    if (unknown.length === 0) return;
    const startedMonoMs = this.context.clock.monoMs();
    const stillWanted = (): boolean => read.some(({ partition }) => partition.active);
    try {
      await this.findResults(unknown, stillWanted);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'corrupt') throw error;
      // One damaged row must not take the others' answers with it: ask for each alone.
      for (const item of unknown) await this.findOne(item, stillWanted);
    }
    const tookMs = this.context.clock.monoMs() - startedMonoMs;
    for (const item of unknown) item.clock.idempotencyMs = tookMs;
  }

  private async findResults(
    items: readonly CommandItem[],
    stillWanted: () => boolean,
  ): Promise<void> {
    const ids = items.map(({ roomKey, command }) => ({ roomKey, commandId: command.commandId }));
    const found = await retryForever(this.context, 'find results', stillWanted, () =>
      this.context.rooms.findResults(ids),
    );
    const byId = new Map<string, StoredResult>();
    for (const result of found ?? []) byId.set(idKey(result.roomKey, result.commandId), result);
    for (const item of items) {
      item.stored = byId.get(idKey(item.roomKey, item.command.commandId)) ?? null;
    }
  }

  private async findOne(item: CommandItem, stillWanted: () => boolean): Promise<void> {
    try {
      await this.findResults([item], stillWanted);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'corrupt') throw error;
      this.context.log.error({ roomKey: item.roomKey, error }, 'a stored result is damaged');
      item.damaged = true;
    }
  }

  private answerFromMemory(item: CommandItem): boolean {
    const room = this.targets.registry.find(item.roomKey);
    item.stored = room?.recentResult(item.command.commandId) ?? null;
    return item.stored !== null;
  }

  private route(partition: Partition, work: ReadRecord): void {
    if (work.kind === 'heartbeats') this.targets.heartbeats(partition, work);
    else if (work.kind === 'loose') this.refuse(partition, work);
    else this.routeCommand(partition, work);
  }

  private routeCommand(partition: Partition, item: CommandItem): void {
    const room = this.targets.registry.ensure(item.roomKey, partition);
    const { payment } = item;
    // Read by a former owner, perhaps, and perhaps paid for: it must end in the log.
    if (payment !== null && item.record.offset < partition.askedBelow) payment.asked = true;
    if (item.damaged || (room.phase === 'broken' && payment?.asked !== true)) {
      this.refuse(partition, brokenRoomRefusal(item));
      return;
    }
    // Commands nobody waits for are never refused for being many (architecture section 4).
    const mayRefuse = item.reply !== null && payment?.asked !== true;
    if (mayRefuse && room.pending.length >= this.context.options.roomQueueMax) {
      this.context.metrics.count('cell_room_busy_total');
      this.refuse(partition, looseOf(item, 'ROOM_BUSY', {}, roomBusyRetryMs));
      return;
    }
    room.pending.push(item);
    this.targets.roomHasWork(room);
  }

  private refuse(partition: Partition, item: LooseItem): void {
    partition.loose.push(item);
    this.targets.partitionHasWork(partition);
  }
}

/** What a record keeps in memory beside its object. */
function sizeOf({ key, value }: SourceRecord): number {
  return (key?.byteLength ?? 0) + (value?.byteLength ?? 0);
}

function idKey(roomKey: RoomKey, commandId: string): string {
  return `${roomKey}\0${commandId}`;
}
