/**
 * INV-3 for those who were told that nothing was sent: the topic holds no more records of a command
 * than calls of it may have sent one. Records are told apart by their correlation ids, for a log may
 * store one twice. Not for JoinRoom: a call of it sends again when the password has changed.
 */
import type { CallEnd, Observation, SentCall } from '../observations.ts';
import { commandOf, roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { recordsOf, rowKeyOf } from './command-records.ts';

const correlationHeader = 'rc-correlation-id';

/** Makes it; see the file header. */
export const notSent: CheckerFactory = (world, report) => new NotSent(world, report);

class NotSent implements Checker {
  readonly invariants = ['INV-3'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** Calls of a command with their ends, by row key; null: none yet. */
  private readonly calls = new Map<string, Map<number, CallEnd | null>>();
  /** Correlation ids by `partition/offset`. */
  private readonly correlations = new Map<string, string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'sent') this.note(observation.call, null);
    if (observation.kind === 'answered') this.note(observation.call, observation.end);
    if (observation.kind !== 'appended' || observation.topic !== this.world.commandsTopic) return;
    const { partition, offset, headers } = observation;
    const correlation = headers?.[correlationHeader];
    if (correlation !== undefined) this.correlations.set(`${partition}/${offset}`, correlation);
  }

  atEnd(): void {
    for (const [key, records] of this.recordsByCommand()) {
      const ends = [...(this.calls.get(key) ?? new Map<number, CallEnd | null>())];
      const mayHaveSent = ends.filter(([, end]) => end?.kind !== 'notSent').length;
      if (records.size <= mayHaveSent) continue;
      const told = ends.map(([callId, end]) => `call ${callId}: ${end?.kind ?? 'open'}`);
      const name = key.split('\0').at(-1);
      const text = `${name} lies on the topic in ${records.size} sendings, and ${mayHaveSent} calls may have sent it (${told.join(', ') || 'no call at all'}): somebody was told that nothing was sent`;
      this.report({ invariant: 'INV-3', text, room: roomOfKey(key) });
    }
  }

  private note(call: SentCall, end: CallEnd | null): void {
    const command = call.ask.kind === 'command' ? commandOf(call) : null;
    if (command === null) return;
    const ofCommand = this.calls.get(command.key) ?? new Map<number, CallEnd | null>();
    this.calls.set(command.key, ofCommand.set(call.callId, end));
  }

  private recordsByCommand(): ReadonlyMap<string, ReadonlySet<string>> {
    const byCommand = new Map<string, Set<string>>();
    for (let partition = 0; partition < this.world.partitionCount; partition += 1) {
      for (const { offset, command } of recordsOf(this.world, partition).values()) {
        const correlation = this.correlations.get(`${partition}/${offset}`);
        if (command === null || command.type === 'JoinRoom' || correlation === undefined) continue;
        const key = rowKeyOf(command);
        byCommand.set(key, (byCommand.get(key) ?? new Set()).add(correlation));
      }
    }
    return byCommand;
  }
}
