/**
 * INV-6: real time. What was sent after another command of the room had been answered has a higher
 * version: one pass, since only the highest version answered by the time of sending counts. INV-7: a
 * client's reads of a room never go back, never fall below its own last answered write, and show
 * nothing that is not committed.
 */
import type { Observation, SentCall } from '../observations.ts';
import { commandOf, roomOfKey, toldBy, viewIn } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';

interface Floor {
  readonly version: bigint;
  /** Who had been told of it. */
  readonly callId: number;
}

/** Makes it; see the file header. */
export const orderInTime: CheckerFactory = (world, report) => new OrderInTime(world, report);

class OrderInTime implements Checker {
  readonly invariants = ['INV-6', 'INV-7'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** The highest version answered so far, by room. */
  private readonly answered = new Map<string, Floor>();
  /** That, when a command was first sent, by row key. */
  private readonly floors = new Map<string, Floor>();
  /** The highest version that a client knows of, by client and room, and when a call was sent. */
  private readonly known = new Map<string, Floor>();
  private readonly knownAtSending = new Map<number, Floor>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'sent') this.sent(observation.call);
    if (observation.kind === 'answered') this.ended(observation);
  }

  atEnd(): void {
    for (const [key, floor] of this.floors) {
      const row = this.world.database.log.get(key);
      if (row === undefined) continue;
      const { appliedVersion, decidedVersion, commandId } = row;
      const version = appliedVersion ?? decidedVersion;
      if (appliedVersion === null ? version >= floor.version : version > floor.version) continue;
      const text = `${commandId} was sent after call ${floor.callId} had been answered version ${floor.version}, and ${appliedVersion === null ? 'was decided at' : 'made'} version ${version}`;
      this.report({ invariant: 'INV-6', text, room: roomOfKey(key) });
    }
  }

  private sent(call: SentCall): void {
    const roomKey = roomKeyOf(call);
    if (roomKey === null) return;
    const known = this.known.get(`${call.client}\0${roomKey}`);
    if (known !== undefined) this.knownAtSending.set(call.callId, known);
    const command = commandOf(call);
    if (command === null || call.ask.kind !== 'command' || this.floors.has(command.key)) return;
    this.floors.set(command.key, this.answered.get(roomKey) ?? { version: 0n, callId: 0 });
  }

  private ended({ call, end }: Extract<Observation, { kind: 'answered' }>): void {
    const roomKey = roomKeyOf(call);
    if (roomKey === null) return;
    const told = toldBy(end);
    if (told?.outcome === 'applied' && told.version !== null) {
      raise(this.answered, roomKey, { version: told.version, callId: call.callId });
    }
    const own = `${call.client}\0${roomKey}`;
    const view = viewIn(end);
    if (view !== null) this.checkView(call, roomKey, view.version, told?.version ?? null);
    const learned = [told?.version ?? 0n, view?.version ?? 0n];
    for (const version of learned) raise(this.known, own, { version, callId: call.callId });
  }

  private checkView(
    call: SentCall,
    roomKey: string,
    version: bigint,
    resultVersion: bigint | null,
  ): void {
    const who = `call ${call.callId} of ${call.client} was shown version ${version}`;
    const floor = this.knownAtSending.get(call.callId);
    if (floor !== undefined && version < floor.version) {
      this.fault(
        roomKey,
        `${who} after call ${floor.callId} had told it of version ${floor.version}`,
      );
    }
    if (resultVersion !== null && version < resultVersion) {
      this.fault(roomKey, `${who} beside its own result of version ${resultVersion}`);
    }
    const committed = this.world.database.rooms.get(roomKey as never)?.version ?? 0n;
    if (version > committed) {
      this.fault(roomKey, `${who} while version ${committed} is the last committed one`);
    }
  }

  private fault(roomKey: string, text: string): void {
    this.report({ invariant: 'INV-7', text, room: roomOfKey(roomKey) });
  }
}

function roomKeyOf(call: SentCall): string | null {
  const { ask } = call;
  const isRead = ask.kind === 'getRoomSnapshot' || ask.kind === 'readOwner';
  if (isRead) return `${ask.appCode}\0${ask.roomId}`;
  return commandOf(call)?.roomKey ?? null;
}

function raise(floors: Map<string, Floor>, key: string, floor: Floor): void {
  if ((floors.get(key)?.version ?? 0n) < floor.version) floors.set(key, floor);
}
