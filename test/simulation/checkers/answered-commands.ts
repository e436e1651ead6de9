/**
 * Answers against the log. INV-1: what was answered OK has its row, with the same result, at any
 * later time. INV-4: whoever asks about one id is told the same. INV-14: nobody is told an end that
 * is not committed when the answer leaves.
 */
import type { Observation, SentCall } from '../observations.ts';
import { branchOf, readIfAny } from './avro-reading.ts';
import { commandOf, isSameEnd, roomOfKey, saying, toldBy, toldByBytes } from './calls.ts';
import type { NamedCommand, ToldEnd } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { RowChange, WorldReading } from './world-reading.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';

interface Told {
  readonly command: NamedCommand;
  readonly end: ToldEnd;
  readonly call: SentCall;
  readonly atMs: number;
}

/** Makes it; see the file header. */
export const answeredCommands: CheckerFactory = (world, report) =>
  new AnsweredCommands(world, report);

class AnsweredCommands implements Checker {
  readonly invariants = ['INV-1', 'INV-4', 'INV-14'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly changes: Cursor<RowChange<string, LogRow>>;
  /** The first that was told of each command. */
  private readonly told = new Map<string, Told>();
  /** Results that were ever stored, as texts of their bytes. */
  private readonly stored = new Set<string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.changes = new Cursor(this.reading.log);
  }

  observe(observation: Observation): void {
    this.lookAtChanges();
    if (observation.kind === 'answered') this.answered(observation);
    if (observation.kind === 'appended' && observation.value !== null) {
      this.appended(observation.value, observation.offset);
    }
  }

  atEnd(): void {
    this.lookAtChanges();
    for (const told of this.told.values()) this.checkRow(told);
  }

  private lookAtChanges(): void {
    for (const { key, before, after } of this.changes.fresh()) {
      if (after !== undefined) this.stored.add(Buffer.from(after.result).toString('latin1'));
      if (before === undefined) continue;
      const [appCode = '', roomId = '', commandId = ''] = key.split('\0');
      const what = after === undefined ? 'is gone' : 'was written over';
      const text = `the row of ${commandId} (${before.outcome}, offset ${before.kafkaOffset}) ${what}: a committed command does not stay`;
      this.report({ invariant: 'INV-1', text, room: { appCode, roomId } });
    }
  }

  private answered({ call, end, atMs }: Extract<Observation, { kind: 'answered' }>): void {
    const command = commandOf(call);
    const told = toldBy(end);
    if (command === null || told === null) return;
    const row = this.world.database.log.get(command.key);
    if (row === undefined) {
      const text = `call ${call.callId} of ${call.client} was answered ${saying(told)} for ${command.commandId} at ${atMs} ms, and no row of it is committed`;
      this.report({ invariant: 'INV-14', text, room: roomOfKey(command.roomKey) });
    }
    const first = this.told.get(command.key);
    if (first === undefined) {
      this.told.set(command.key, { command, end: told, call, atMs });
      return;
    }
    if (isSameEnd(first.end, told)) return;
    const text = `${command.commandId} was answered ${saying(first.end)} to call ${first.call.callId} (${first.call.client}, ${first.atMs} ms) and ${saying(told)} to call ${call.callId} (${call.client}, ${atMs} ms): ${first.end.text ?? '?'} / ${told.text ?? '?'}`;
    this.report({ invariant: 'INV-4', text, room: roomOfKey(command.roomKey) });
  }

  /** A reply on its topic has left its cell: what it carries must be stored by now. */
  private appended(value: Uint8Array, offset: bigint): void {
    const branch = branchOf(readIfAny<{ content: unknown }>('ReplyRecord', value)?.content);
    if (branch?.name !== 'ResultReply') return;
    const { resultBytes, view } = branch.value as {
      readonly resultBytes: Uint8Array;
      readonly view: { readonly appCode: string; readonly roomId: string } | null;
    };
    if (this.stored.has(Buffer.from(resultBytes).toString('latin1'))) return;
    const room = view === null ? null : { appCode: view.appCode, roomId: view.roomId };
    const text = `the reply at offset ${offset} carries a result that no committed row has: ${saying(toldByBytes(resultBytes))}`;
    this.report({ invariant: 'INV-14', text, room });
  }

  private checkRow({ command, end, call, atMs }: Told): void {
    const row = this.world.database.log.get(command.key);
    const who = `${command.commandId} was answered ${saying(end)} to call ${call.callId} (${call.client}, ${atMs} ms)`;
    const fault = row === undefined ? 'it has no row' : rowFault(row, end);
    if (fault === null) return;
    this.report({
      invariant: 'INV-1',
      text: `${who}, yet ${fault}`,
      room: roomOfKey(command.roomKey),
    });
  }
}

/** What in a row contradicts its own result record, or what was told of it; null when nothing does. */
function rowFault(row: LogRow, told: ToldEnd): string | null {
  let stored: ToldEnd;
  try {
    stored = toldByBytes(row.result);
  } catch (error) {
    return `its stored result cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!isSameEnd(stored, told)) {
    return `its row says ${saying(stored)}: ${stored.text ?? ''} / ${told.text ?? ''}`;
  }
  const version = row.outcome === 'applied' ? row.appliedVersion : row.decidedVersion;
  if (stored.outcome !== row.outcome || stored.version !== version) {
    return `its row says ${row.outcome} at ${version} beside a result of ${saying(stored)}`;
  }
  return null;
}
