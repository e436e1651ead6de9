/**
 * INV-13: a call is settled at most once, after it was sent, by an answer of its own kind and about
 * its own room. INV-15: a command past its deadline is not started (a gift may be: what was paid for
 * is never left to expire), and one that had run before answers what is stored, however late.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { CallEnd, Observation, SentCall } from '../observations.ts';
import { commandOf, roomOfKey, viewIn } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { readingOf } from './world-reading.ts';

const ttlHeader = 'rc-ttl-ms';
const endsOf: Readonly<Record<SentCall['ask']['kind'], CallEnd['kind']>> = {
  command: 'ok',
  heartbeat: 'heartbeatTaken',
  micHeartbeat: 'heartbeatTaken',
  rtcEvent: 'rtcTaken',
  getCommand: 'lookup',
  getRoomSnapshot: 'snapshot',
  readOwner: 'read',
};

/** Makes it; see the file header. */
export const settledCalls: CheckerFactory = (world, report) => new SettledCalls(world, report);

class SettledCalls implements Checker {
  readonly invariants = ['INV-13', 'INV-15'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly open = new Map<number, { readonly wasStored: boolean }>();
  private readonly ended = new Map<number, CallEnd>();
  /** The longest that any client of the command was willing to wait, by row key. */
  private readonly ttls = new Map<string, number>();
  /** When a record came to lie at an offset, and its own ttl where headers are shown. */
  private readonly records = new Map<string, { atMs: number; ttlMs: number | null }>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'sent':
        this.sent(observation.call);
        return;
      case 'answered':
        this.answered(observation);
        return;
      case 'appended': {
        const { topic, partition, offset, recordTimeMs, atMs, headers } = observation;
        if (topic !== this.world.commandsTopic) return;
        const ttl = headers?.[ttlHeader];
        const ttlMs = ttl === undefined ? null : Number(ttl);
        this.records.set(`${partition}/${offset}`, { atMs: recordTimeMs ?? atMs, ttlMs });
        return;
      }
      default:
    }
  }

  atEnd(): void {
    readingOf(this.world).catchUp();
    for (const [key, row] of this.world.database.log) this.checkStart(key, row);
  }

  private sent(call: SentCall): void {
    const command = commandOf(call);
    const wasStored = command !== null && this.world.database.log.has(command.key);
    this.open.set(call.callId, { wasStored });
    if (command === null || call.ask.kind !== 'command') return;
    this.ttls.set(command.key, Math.max(this.ttls.get(command.key) ?? 0, call.ask.ttlMs));
  }

  private answered({ call, end, atMs }: Extract<Observation, { kind: 'answered' }>): void {
    const who = `call ${call.callId} of ${call.client} (${call.ask.kind})`;
    const before = this.ended.get(call.callId);
    const opened = this.open.get(call.callId);
    this.ended.set(call.callId, end);
    if (before !== undefined) {
      this.fault(
        'INV-13',
        call,
        `${who} was answered ${before.kind} and at ${atMs} ms ${end.kind} again`,
      );
    } else if (opened === undefined) {
      this.fault('INV-13', call, `${who} was answered ${end.kind} and had never been sent`);
    }
    const isFailure = ['refused', 'unknown', 'notSent'].includes(end.kind);
    if (!isFailure && end.kind !== endsOf[call.ask.kind]) {
      this.fault('INV-13', call, `${who} was answered like another kind of call: ${end.kind}`);
    }
    const view = viewIn(end);
    const place = placeOf(call);
    if (view !== null && `${view.appCode}\0${view.roomId}` !== place) {
      this.fault('INV-13', call, `${who} was shown the room ${view.appCode}/${view.roomId}`);
    }
    if (end.kind !== 'refused' || end.reason !== 'EXPIRED' || opened?.wasStored !== true) return;
    // What the gateway refuses by itself says nothing of what is stored.
    if ((end.facts as Readonly<Record<string, unknown>>)['produced'] === 'no') return;
    this.fault(
      'INV-15',
      call,
      `${who} was refused as EXPIRED although its command had its row before it was sent`,
    );
  }

  private checkStart(key: string, row: LogRow): void {
    if (row.kafkaOffset === null || row.commandType === 'SendGift') return;
    const record = this.records.get(`${row.partition}/${row.kafkaOffset}`);
    const ttlMs = record?.ttlMs ?? this.ttls.get(key);
    if (record === undefined || ttlMs === undefined) return;
    const room = readingOf(this.world).rooms.get(`${row.appCode}\0${row.roomId}`);
    const judgedOn = row.appliedVersion === null ? row.decidedVersion : row.appliedVersion - 1n;
    const lastEventAtMs = Number(room?.states.get(judgedOn)?.lastEventAtMs ?? 0n);
    // Not later than the room's last event: then that time was taken and not the cell's clock.
    if (row.decidedAtMs <= lastEventAtMs || row.decidedAtMs < record.atMs + ttlMs) return;
    const text = `${row.commandId} lay on ${row.partition}/${row.kafkaOffset} since ${record.atMs} ms for at most ${ttlMs} ms, and was decided at ${row.decidedAtMs} ms by ${row.ownerNodeId}`;
    this.report({ invariant: 'INV-15', text, room: roomOfKey(key) });
  }

  private fault(invariant: string, call: SentCall, text: string): void {
    const place = placeOf(call);
    this.report({ invariant, text, room: place === null ? null : roomOfKey(place) });
  }
}

function placeOf(call: SentCall): string | null {
  const { ask } = call;
  if (ask.kind === 'command') return commandOf(call)?.roomKey ?? null;
  const { appCode, roomId } = 'meta' in ask ? ask.meta : ask.kind === 'rtcEvent' ? ask.event : ask;
  return `${appCode}\0${roomId}`;
}
