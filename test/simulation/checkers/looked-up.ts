/**
 * INV-4 for GetCommand: "not executed" is the last word. Whatever lay on the topic when the look-up
 * began is settled by then, so that no record from before it gets a row afterwards.
 */
import type { Observation, SentCall } from '../observations.ts';
import { commandOf, roomOfKey } from './calls.ts';
import type { NamedCommand } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';

interface Lookup {
  readonly call: SentCall;
  readonly command: NamedCommand;
  /** Ends of the partitions when it left its client. */
  readonly ends: readonly bigint[];
}

/** Makes it; see the file header. */
export const lookedUp: CheckerFactory = (world, report) => new LookedUp(world, report);

class LookedUp implements Checker {
  readonly invariants = ['INV-4'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly open = new Map<number, Lookup>();
  private readonly notExecuted: Lookup[] = [];

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'sent') this.sent(observation.call);
    if (observation.kind !== 'answered') return;
    const { call, end } = observation;
    const lookup = this.open.get(call.callId);
    this.open.delete(call.callId);
    if (lookup === undefined || end.kind !== 'lookup') return;
    if (end.lookup.kind === 'notExecuted') this.notExecuted.push(lookup);
  }

  atEnd(): void {
    for (const { call, command, ends } of this.notExecuted) {
      const row = this.world.database.log.get(command.key);
      if (row === undefined || row.kafkaOffset === null) continue;
      if (row.kafkaOffset >= (ends[row.partition] ?? 0n)) continue;
      const text = `call ${call.callId} of ${call.client} was told that ${command.commandId} was not executed; its record lay at offset ${row.partition}/${row.kafkaOffset} when the call was made (${call.sentAtMs} ms), and ended ${row.outcome}`;
      this.report({ invariant: 'INV-4', text, room: roomOfKey(command.roomKey) });
    }
  }

  private sent(call: SentCall): void {
    const command = call.ask.kind === 'getCommand' ? commandOf(call) : null;
    if (command === null) return;
    const ends = Array.from({ length: this.world.partitionCount }, (_, partition) => {
      return (this.world.commandRecords(partition).at(-1)?.offset ?? -1n) + 1n;
    });
    this.open.set(call.callId, { call, command, ends });
  }
}
