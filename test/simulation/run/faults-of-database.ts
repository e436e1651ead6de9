/** Faults of the database: of single transactions and calls, and of the server as a whole. */
import type { LaneFault } from '../../../src/drivers/memory/lane-fault.ts';
import { ownerLock } from '../../../src/drivers/memory/lane-packet.ts';
import type {
  MemoryPort,
  PortFault,
  ServerMode,
} from '../../../src/drivers/memory/memory-server.ts';
import { MemoryTransaction } from '../../../src/drivers/memory/memory-session.ts';
import type { FaultTable, MakeFault } from './fault-effect.ts';
import { chosen, runningPod } from './fault-effect.ts';

const ports: readonly MemoryPort[] = [
  'partitions',
  'rooms',
  'snapshots',
  'queries',
  'replySlots',
  'schemas',
  'outbox',
  'settlements',
  'catalogue',
];
const frozenMaxMs = 8_000;
const refusedOneIn = 4;
const lateMaxMs = 600;

function lane(...kinds: readonly Exclude<LaneFault['kind'], 'fenceBusy'>[]): MakeFault {
  return (world, fault) => {
    const pod = runningPod(world, 'cell', fault);
    const kind = chosen(kinds, fault.choice);
    const hit = pod === undefined ? undefined : world.servers.lanes.get(pod.incarnation);
    if (hit === undefined || kind === undefined) return false;
    hit.faults.push({ kind });
    return true;
  };
}

/** One command in so many, the same ones on every try. */
function isOneOf(commandId: string, choice: number): boolean {
  const number = [...commandId].reduce((sum, letter) => sum + letter.charCodeAt(0), choice);
  return number % refusedOneIn === 0;
}

function port(kind: PortFault['kind']): MakeFault {
  return (world, { choice }) => {
    world.database.server.faults.push({ port: chosen(ports, choice) ?? 'rooms', kind });
    return true;
  };
}

function mode(mode: ServerMode): MakeFault {
  return (world) => {
    const { server } = world.database;
    server.mode = mode;
    return () => {
      server.mode = 'up';
    };
  };
}

/** See the file header. */
export const databaseFaults: FaultTable<
  | 'commitLostAfter'
  | 'commitLostBefore'
  | 'laneConflict'
  | 'laneLockWait'
  | 'fenceBusy'
  | 'laneSessionLost'
  | 'laneUnavailable'
  | 'dataRefused'
  | 'portRefused'
  | 'portAnswerLost'
  | 'databaseFrozen'
  | 'databaseCrash'
  | 'databaseReadOnly'
  | 'databaseFull'
  | 'killForbidden'
  | 'readsLate'
> = {
  commitLostAfter: lane('lostAfterCommit'),
  commitLostBefore: lane('lostBeforeCommit'),
  laneConflict: lane('conflict'),
  laneLockWait: lane('lockWait'),
  laneSessionLost: lane('lostBeforePacket', 'lostInPacket', 'lostAtGate'),
  laneUnavailable: lane('unavailable', 'readOnly', 'tooManyConnections'),
  dataRefused(world, fault) {
    const pod = runningPod(world, 'cell', fault);
    const hit = pod === undefined ? undefined : world.servers.lanes.get(pod.incarnation);
    if (hit === undefined) return false;
    // Only what changes a room: a rejection must fit whatever the payload was.
    hit.dataFault = ({ logRows }) =>
      logRows.some((row) => row.events !== null && isOneOf(row.commandId, fault.choice));
    return () => {
      hit.dataFault = () => false;
    };
  },
  portRefused: port('refused'),
  portAnswerLost: port('answerLost'),
  fenceBusy(world, { target, lengthMs }) {
    const holder = new MemoryTransaction(world.database);
    void holder.lock(ownerLock(target % world.partitionCount), lengthMs);
    return () => holder.rollBack();
  },
  databaseFrozen(world, { lengthMs }) {
    const { server } = world.database;
    server.freeze();
    const end = (): void => server.thaw();
    if (lengthMs > frozenMaxMs) world.kernel.timersOf('faults').after(frozenMaxMs, end);
    return end;
  },
  databaseCrash(world) {
    world.database.server.crash();
    return true;
  },
  databaseReadOnly: mode('readOnly'),
  databaseFull: mode('full'),
  killForbidden(world) {
    const { server } = world.database;
    server.mayKill = false;
    return () => {
      server.mayKill = true;
    };
  },
  readsLate(world, { choice }) {
    const { server } = world.database;
    server.late = { what: 'reading the log of a room', ms: 1 + (choice % lateMaxMs) };
    return () => {
      server.late = null;
    };
  },
};
