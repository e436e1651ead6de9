/** Faults that wait for their moment (`plan/aimed-kinds.ts`): who is hit when, and what ends it. */
import type { TracePoint } from '../../../src/ports/trace.ts';
import type { AimedKind } from '../plan/aimed-kinds.ts';
import { aimed, frozen, holdRows, later, owningCell, partitionsOf, whenTaken } from './aiming.ts';
import { chosen, type FaultTable, type MakeFault } from './fault-effect.ts';
import { refuseOneOfMany } from './one-of-many.ts';
import { askedBehindCommit, formerOwnerAsked } from './owner-asked.ts';
import { staleReader } from './stale-reader.ts';

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
/** What a lane waits for an owner row. */
const lockWaitMs = 1_000;
/** Relays look for rows at least so often. */
const aheadForMs = 1_500;
/** Kafka's hint comes once in so many ms. */
const hintEveryMs = 1_000;
/** Long enough for several commands of a room, and the looks behind them. */
const readsLateForMs = 4_000;

/** See the file header. */
export const aimedFaults: FaultTable<AimedKind> = {
  frozenOverTakeover(world, fault) {
    const pod = world.podsOf('cell').length < 2 ? undefined : owningCell(world, fault);
    const point = chosen(halfDone, fault.choice) ?? 'cell.record_read';
    return aimed(world, fault, { pod, point }, (hit, ends) => {
      const thaw = frozen(world, hit, ends);
      whenTaken(world, hit, partitionsOf(world, hit), ends, () => {
        later(world, ends, chosen(thawAfterMs, fault.target) ?? 0, thaw);
      });
    });
  },
  staleReader,
  formerOwnerAsked,
  askedBehindCommit,
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
  readsLateAtCommit: lateAtCommit('reading the log of a room'),
  copiesLateAtCommit: lateAtCommit('reading list entries'),
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
  claimTakenEarly(world, fault) {
    const adapters = world.podsOf('adapter-im').filter(({ state }) => state === 'up');
    const aim = { pod: chosen(adapters, fault.target), point: 'adapter.after_start' } as const;
    return aimed(world, fault, aim, (_, ends) => {
      world.servers.im.faults.add({ kind: 'hang', times: 1 });
      const aheadMs = 2 * world.claimLockMs;
      for (const { clock } of world.podsOf('relay')) {
        clock.jump(aheadMs);
        later(
          world,
          ends,
          aheadForMs,
          ends.add(() => clock.jump(-aheadMs)),
        );
      }
    });
  },
};

/** From a cell's next packet on, answers to this question take their time for a while. */
function lateAtCommit(what: string): MakeFault {
  return (world, fault) => {
    const aim = { pod: owningCell(world, fault), point: 'cell.before_commit_packet' } as const;
    return aimed(world, fault, aim, (_, ends) => {
      const { server } = world.database;
      server.late = { what, ms: 200 + (fault.choice % 600) };
      const onTime = ends.add(() => {
        server.late = null;
      });
      later(world, ends, readsLateForMs, onTime);
    });
  };
}
