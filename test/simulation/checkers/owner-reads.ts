/**
 * INV-42: what a room's owner answers shows everything that was committed before it was asked and
 * nothing that is not, under an epoch that MySQL had in between, and says of that version what the log
 * makes of it: to those who may know, and to nobody else.
 */
import type { CallAsk, Observation, ReadAnswer, SentCall } from '../observations.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { guardVerdicts, rightAnswer, rightRefusals, type AskedWithin } from './owner-answers.ts';
import { absentRoom, type RoomModel } from './room-model.ts';
import { Cursor, readingOf, type LoggedStep, type WorldReading } from './world-reading.ts';

type Ask = Extract<CallAsk, { kind: 'readOwner' }>;
type Ended = Extract<Observation, { kind: 'answered' }>;

/** What MySQL had when somebody asked. */
interface Floor {
  readonly version: bigint;
  /** Null: no row has told the room's partition yet. */
  readonly epoch: bigint | null;
}

/** The room's own refusals. All others say that nobody could be asked, and may be given at any time. */
const ofRoom: ReadonlySet<string> = new Set([
  ...['ROOM_NOT_FOUND', 'NOT_ROOM_MANAGER'],
  ...['ROOM_CLOSED', 'USER_BANNED', 'USER_NOT_PRESENT'],
]);
const ofNobody: ReadonlySet<string> = new Set([
  ...['NOT_OWNER', 'UNAVAILABLE', 'DRAINING', 'OWNER_BUSY'],
]);

/** Makes it; see the file header. */
export const ownerReads: CheckerFactory = (world, report) => new OwnerReads(world, report);

class OwnerReads implements Checker {
  readonly invariants = ['INV-42'];
  private readonly database: CheckedWorld['database'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly partitions = new Map<string, number>();
  private readonly floors = new Map<number, Floor>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'sent' && observation.kind !== 'answered') return;
    const { ask } = observation.call;
    if (ask.kind !== 'readOwner') return;
    this.reading.catchUp();
    for (const { room, row } of this.steps.fresh()) this.partitions.set(room.key, row.partition);
    if (observation.kind === 'sent') this.floors.set(observation.call.callId, this.now(ask));
    else this.judge(observation, ask);
  }

  /** What MySQL has at this moment. */
  private now(ask: Ask): Floor {
    const key = keyOf(ask);
    const partition = this.partitions.get(key);
    const owner = partition === undefined ? undefined : this.database.owners.get(partition);
    const version = this.database.rooms.get(key as never)?.version ?? 0n;
    return { version, epoch: owner?.epoch ?? null };
  }

  private judge({ call, end, atMs }: Ended, ask: Ask): void {
    const floor = this.floors.get(call.callId);
    if (floor === undefined) return;
    this.floors.delete(call.callId);
    const within = { fromMs: call.sentAtMs, untilMs: atMs };
    if (end.kind === 'refused') this.judgeRefusal(end.reason, { call, ask, floor, within });
    if (end.kind !== 'read') return;
    const who = `call ${call.callId} of ${call.client} (${ask.question.kind})`;
    const { version, ownerEpoch, answer } = end;
    const top = this.now(ask);
    if (version < floor.version || version > top.version) {
      const had = `the last committed one was ${floor.version} when it asked and is ${top.version}`;
      this.fault(ask, `${who} was answered version ${version}, and ${had}`);
      return;
    }
    const isEpoch =
      ownerEpoch === null || floor.epoch === null || top.epoch === null
        ? true
        : ownerEpoch >= floor.epoch && ownerEpoch <= top.epoch;
    if (!isEpoch) {
      const had = `it was ${floor.epoch} when it asked and is ${top.epoch}`;
      this.fault(ask, `${who} was answered in epoch ${ownerEpoch}, and ${had}`);
    }
    const room = this.roomAt(ask, version);
    if (!rightRefusals(room, ask, within).has(null)) {
      this.fault(ask, `${who} was answered at version ${version}, and it may not know`);
    }
    const wrong = wrongWith(answer, { room, ask, within });
    if (wrong !== null) this.fault(ask, `${who} at version ${version}: ${wrong}`);
  }

  /** Right at one of the versions that the room had meanwhile. */
  private judgeRefusal(
    reason: string,
    { call, ask, floor, within }: { call: SentCall; ask: Ask; floor: Floor; within: AskedWithin },
  ): void {
    if (ofNobody.has(reason)) return;
    const who = `call ${call.callId} of ${call.client} (${ask.question.kind})`;
    const last = this.now(ask).version;
    for (let version = floor.version; ofRoom.has(reason) && version <= last; version += 1n) {
      if (rightRefusals(this.roomAt(ask, version), ask, within).has(reason)) return;
    }
    this.fault(ask, `${who} was refused ${reason}, at no version from ${floor.version} to ${last}`);
  }

  private roomAt(ask: Ask, version: bigint): RoomModel {
    const { appCode, roomId } = ask;
    const known = this.reading.rooms.get(keyOf(ask))?.states.get(version);
    return known ?? absentRoom(appCode, roomId);
  }

  private fault(ask: Ask, text: string): void {
    this.report({ invariant: 'INV-42', text, room: roomOfKey(keyOf(ask)) });
  }
}

function keyOf({ appCode, roomId }: Ask): string {
  return `${appCode}\0${roomId}`;
}

function wrongWith(
  answer: ReadAnswer,
  { room, ask, within }: { room: RoomModel; ask: Ask; within: AskedWithin },
): string | null {
  const { question } = ask;
  if (answer.kind !== question.kind) return `it is an answer to ${answer.kind}`;
  if (answer.kind === 'guard' && question.kind === 'guard') {
    const verdicts = guardVerdicts(room, question.userId, within);
    if (verdicts.has(answer.refusal)) return null;
    const right = [...verdicts].map((verdict) => verdict ?? 'yes').join(' or ');
    return `the guard says ${answer.refusal ?? 'yes'} of ${question.userId}, and the log ${right}`;
  }
  const [said, made] = [textOf(saidIn(answer)), textOf(rightAnswer(room, ask))];
  return said === made ? null : `it says ${said}, and the log makes ${made}`;
}

/** An answer without its kind, a view without its gift rank. */
function saidIn(answer: ReadAnswer): unknown {
  if (answer.kind === 'view') {
    const { giftRank: _, ...view } = answer.view;
    return view;
  }
  const { kind: _, ...said } = answer;
  return said;
}
