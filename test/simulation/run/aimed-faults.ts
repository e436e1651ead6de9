/** Faults that wait for their moment (`plan/aimed-kinds.ts`): who is hit when, and what ends it. */
import type { LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { AimedKind } from '../plan/aimed-kinds.ts';
import type { Pod } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import { readCommand } from '../checkers/command-records.ts';
import { aimed, type Ends, holdRows, later, owningCell, partitionsOf } from './aiming.ts';
import { chosen, type FaultTable } from './fault-effect.ts';

/** Where a takeover finds something half done. */
const halfDone: readonly TracePoint[] = [
  'cell.before_commit_packet',
  'cell.record_read',
  'cell.before_commit_packet',
  'cell.packet_answered_before_commit',
  'cell.before_debit',
  'cell.after_reply_before_kafka_commit',
];
/** After the takeover: at once, while the successor reads, or when it has worked for a while. */
const thawAfterMs: readonly number[] = [3, 10, 30, 300, 3_000];
/** Beyond session and rebalance: then nobody takes it over any more. */
const patienceMs = 12_000;
/** What a lane waits for an owner row. */
const lockWaitMs = 1_000;
/** Kafka's hint comes once in so many ms. */
const hintEveryMs = 1_000;
/** So much longer than a gift's time the successor stands still: clocks differ. */
const graceMs = 700;
const ttlHeader = 'rc-ttl-ms';

/** See the file header. */
export const aimedFaults: FaultTable<AimedKind> = {
  frozenOverTakeover(world, fault) {
    const pod = world.podsOf('cell').length < 2 ? undefined : owningCell(world, fault);
    const point = chosen(halfDone, fault.choice) ?? 'cell.record_read';
    return aimed(world, fault, { pod, point }, (hit, ends) => {
      const thaw = frozen(world, hit, ends);
      whenTaken(world, hit, ends, () => {
        later(world, ends, chosen(thawAfterMs, fault.target) ?? 0, thaw);
      });
    });
  },
  staleReader(world, fault) {
    const pod = world.podsOf('cell').length < 2 ? undefined : owningCell(world, fault);
    return aimed(world, fault, { pod, point: 'cell.record_read' }, (hit, ends) => {
      const thaw = frozen(world, hit, ends);
      whenTaken(world, hit, ends, (partition, successor) => {
        whenGiftComes(world, partition, ends, (ttlMs) => {
          if (successor.freeze()) {
            const goOn = ends.add(() => successor.thaw());
            later(world, ends, ttlMs + graceMs, goOn);
          }
          later(world, ends, fault.choice % 5, thaw);
        });
      });
    });
  },
  heldAtCommit(world, fault) {
    const aim = { pod: owningCell(world, fault), point: 'cell.before_commit_packet' } as const;
    return aimed(world, fault, aim, (hit, ends) => {
      const release = holdRows(world, partitionsOf(world, hit), ends);
      later(world, ends, lockWaitMs * (1.1 + (fault.choice % 20) / 10), release);
    });
  },
  heldInSplit(world, fault) {
    const aim = { pod: owningCell(world, fault), point: 'cell.before_commit_packet' } as const;
    return aimed(world, fault, aim, (hit, ends) => {
      // Meanwhile commands gather, so that the next batch has several of one room.
      const release = holdRows(world, partitionsOf(world, hit), ends);
      later(world, ends, lockWaitMs * (1.1 + (fault.choice % 10) / 10), release);
      const holdMs = lockWaitMs * (1.05 + (fault.target % 85) / 100);
      refuseOneOfMany(world, hit, ends, (partition) => {
        later(world, ends, holdMs, holdRows(world, [partition], ends));
      });
    });
  },
  heldThenKilled(world, fault) {
    const aim = { pod: owningCell(world, fault), point: 'cell.before_commit_packet' } as const;
    return aimed(world, fault, aim, (hit, ends) => {
      const { incarnation } = hit;
      const release = holdRows(world, partitionsOf(world, hit), ends);
      later(world, ends, hintEveryMs * (1.2 + (fault.choice % 20) / 10), () => {
        if (hit.incarnation === incarnation && hit.kill(true)) world.startLater(hit);
        release();
      });
    });
  },
};

/** Freezes; answers how to end that, which comes by itself after a while. */
function frozen(world: World, pod: Pod, ends: Ends): () => void {
  pod.freeze();
  const thaw = ends.add(() => pod.thaw());
  later(world, ends, patienceMs, thaw);
  return thaw;
}

/** When another process takes a partition of this one over: which, and who. Once. */
function whenTaken(
  world: World,
  { incarnation: former }: Pod,
  ends: Ends,
  then: (partition: number, successor: Pod) => void,
): void {
  const had = new Set(
    [...world.database.owners.values()]
      .filter(({ incarnation }) => incarnation === former)
      .map(({ partition }) => partition),
  );
  let isOver = false;
  world.watch(({ kind }) => {
    if (isOver || ends.isOver || kind !== 'committed') return;
    for (const partition of had) {
      const owner = world.database.owners.get(partition)?.incarnation;
      const successor = world.pods.find(({ incarnation }) => incarnation === owner);
      if (owner === former || successor === undefined) continue;
      isOver = true;
      then(partition, successor);
      return;
    }
  });
}

/** When a gift is appended to the partition that expires before its reader's session could: once. */
function whenGiftComes(
  world: World,
  partition: number,
  ends: Ends,
  then: (ttlMs: number) => void,
): void {
  let isOver = false;
  world.watch((seen) => {
    if (isOver || ends.isOver || seen.kind !== 'appended') return;
    if (seen.topic !== world.commandsTopic || seen.partition !== partition) return;
    const ttlMs = Number(seen.headers?.[ttlHeader] ?? Infinity);
    const isShort = ttlMs + graceMs < world.options.sessionTimeoutMs;
    if (!isShort || readCommand(seen.value).command?.type !== 'SendGift') return;
    isOver = true;
    then(ttlMs);
  });
}

/**
 * Of the next batch with several commands of a room the last of these is refused from now on, alone
 * as well; when only that room is left of the batch, so that it is split into its commands: `split`.
 */
function refuseOneOfMany(
  world: World,
  pod: Pod,
  ends: Ends,
  split: (partition: number) => void,
): void {
  const lane = world.servers.lanes.get(pod.incarnation);
  if (lane === undefined) return;
  let victim: string | null = null;
  let isSplit = false;
  lane.dataFault = (batch) => {
    victim ??= lastOfSeveral(batch);
    const isIn = batch.logRows.some((row) => row.events !== null && nameOf(row) === victim);
    if (!isIn) return false;
    const [row, ...others] = batch.logRows;
    const isOneRoom = others.every((other) => roomOf(other) === (row && roomOf(row)));
    if (row !== undefined && others.length > 0 && isOneRoom && !isSplit) {
      isSplit = true;
      split(row.partition);
    }
    return true;
  };
  ends.add(() => {
    lane.dataFault = () => false;
  });
}

type LogRow = LaneBatch['logRows'][number];

function lastOfSeveral({ logRows }: LaneBatch): string | null {
  const last = logRows.findLast(({ events }) => events !== null);
  if (last === undefined) return null;
  return logRows.filter((row) => roomOf(row) === roomOf(last)).length > 1 ? nameOf(last) : null;
}

function roomOf({ appCode, roomId }: LogRow): string {
  return `${appCode}\0${roomId}`;
}

function nameOf(row: LogRow): string {
  return `${roomOf(row)}\0${row.commandId}`;
}
