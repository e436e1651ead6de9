/**
 * The log against what clients sent. INV-3: each row comes from a command that some client sent, with
 * the same payload hash, and a command that was not applied changed nothing. INV-4: an id belongs to
 * the payload that was stored first; another one is refused, the same one is not; a refusal that is
 * not stored leaves the id free, so that nothing is executed behind its back.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { CallEnd, Observation, SentCall } from '../observations.ts';
import {
  askedByRtc,
  askedText,
  bodyFields,
  isSameAsk,
  requestFields,
  withoutFacts,
} from './asked.ts';
import { commandOf, leavesFree, roomOfKey, textOf, toldBy } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { recordsOf, rowKeyOf } from './command-records.ts';
import type { SentCommand } from './command-records.ts';
import { eventIdOf, payloadHashOf } from './derived.ts';
import { robotOriginOf } from './robot-ids.ts';

interface Try {
  readonly call: SentCall;
  /** Who asks for what, in one text. */
  readonly asked: string;
  end: CallEnd | null;
}

/** Makes it; see the file header. */
export const sentCommands: CheckerFactory = (world, report) => new SentCommands(world, report);

class SentCommands implements Checker {
  readonly invariants = ['INV-3', 'INV-4'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** Every try of a command, by row key. */
  private readonly tries = new Map<string, Try[]>();
  private readonly byCall = new Map<number, Try>();
  /** App, room and user of mic heartbeats that said they publish. */
  private readonly publishers = new Set<string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'answered') {
      const known = this.byCall.get(observation.call.callId);
      if (known !== undefined) known.end = observation.end;
    }
    if (observation.kind !== 'sent') return;
    const { call } = observation;
    const { ask } = call;
    const command = commandOf(call);
    if (command !== null && ask.kind === 'command') {
      const asked = askedText(ask.meta.actorUserId, requestFields(ask.request));
      this.tried(command.key, { call, asked, end: null });
    }
    if (ask.kind === 'micHeartbeat' && ask.publishing) {
      const { appCode, roomId, actorUserId } = ask.meta;
      this.publishers.add(`${appCode}\0${roomId}\0${actorUserId}`);
    }
    if (ask.kind === 'rtcEvent') {
      const { key, asked } = askedByRtc(ask.event);
      this.tried(key, { call, asked, end: null });
    }
  }

  private tried(key: string, made: Try): void {
    this.tries.set(key, [...(this.tries.get(key) ?? []), made]);
    this.byCall.set(made.call.callId, made);
  }

  atEnd(): void {
    const copies = this.copiesOnTopic();
    for (const [key, row] of this.world.database.log) {
      if (row.kafkaOffset === null) this.checkSystemRow(row);
      else this.checkRow(key, row);
      if (row.outcome !== 'applied') this.checkNoChange(row);
    }
    for (const [key, tries] of this.tries) this.checkTries(key, tries, copies.get(key) ?? 0);
  }

  private checkSystemRow(row: LogRow): void {
    const [prefix, name, version] = row.commandId.split(':');
    const isOurs = prefix === 'sys' && version === String(row.appliedVersion);
    if (isOurs && name === 'mic-confirm' && this.hasSaidToPublish(row)) return;
    if (isOurs && name !== 'mic-confirm' && row.actorUserId === 'system') return;
    this.fault(
      'INV-3',
      row,
      `${row.commandId} by ${row.actorUserId} at version ${row.appliedVersion} has no offset and is no command of the room itself`,
    );
  }

  /** A confirmation that nobody sent stands for a mic heartbeat of its user in that room (decision 7). */
  private hasSaidToPublish({ appCode, roomId, actorUserId, commandType }: LogRow): boolean {
    if (commandType !== 'ConfirmMicPublishing') return false;
    return this.publishers.has(`${appCode}\0${roomId}\0${actorUserId}`);
  }

  private checkRow(key: string, row: LogRow): void {
    const command = this.commandAt(row);
    if (command === null || rowKeyOf(command) !== key) {
      this.fault(
        'INV-3',
        row,
        `${row.commandId} names offset ${row.partition}/${row.kafkaOffset}, which holds ${command === null ? 'no command' : command.commandId}`,
      );
      return;
    }
    const fields = bodyFields(command);
    if (row.commandType !== command.type || row.actorUserId !== command.actorUserId) {
      this.fault(
        'INV-3',
        row,
        `${row.commandId} is stored as ${row.commandType} of ${row.actorUserId} and was sent as ${command.type} of ${command.actorUserId}`,
      );
    }
    const hash = payloadHashOf(command.type, command.actorUserId, withoutFacts(command));
    if (row.payloadHashVersion !== 1 || !hash.equals(row.payloadHash)) {
      this.fault(
        'INV-3',
        row,
        `${row.commandId} is stored under another payload hash than its record has`,
      );
    }
    // No client sends those of robots; they have a judge of their own.
    if (robotOriginOf(row.commandId) !== null) return;
    const tries = this.tries.get(key) ?? [];
    const mayHaveRun = tries.filter(({ end }) => end?.kind !== 'notSent');
    if (mayHaveRun.some((each) => isSameAsk(each.asked, askedText(command.actorUserId, fields))))
      return;
    const ends = tries.map(({ call, end }) => `call ${call.callId}: ${end?.kind ?? 'open'}`);
    this.fault(
      'INV-3',
      row,
      `${row.commandId} is stored as ${textOf(fields)}, which no client sent (${ends.join(', ') || 'no call at all'})`,
    );
  }

  private checkNoChange(row: LogRow): void {
    const { appCode, roomId, commandId, outcome } = row;
    const hasEvent = this.world.database.events.has(
      eventIdOf(appCode, roomId, commandId, 0) as never,
    );
    if (row.appliedVersion === null && row.events === null && row.chainHash === null && !hasEvent)
      return;
    this.fault(
      'INV-3',
      row,
      `${commandId} ended ${outcome} and has ${hasEvent ? 'an event that was sent out' : `a version (${row.appliedVersion}) or events`}`,
    );
  }

  private checkTries(key: string, tries: readonly Try[], copies: number): void {
    const row = this.world.database.log.get(key);
    const command = row === undefined ? null : this.commandAt(row);
    const stored = command === null ? null : askedText(command.actorUserId, bodyFields(command));
    for (const { call, asked, end } of tries) {
      if (end === null) continue;
      const isOfStored = stored !== null && isSameAsk(asked, stored);
      const isReused = end.kind === 'refused' && end.reason === 'COMMAND_ID_REUSED';
      const who = `call ${call.callId} of ${call.client} for ${key.split('\0').at(-1)}`;
      if (stored !== null && !isOfStored && toldBy(end) !== null) {
        this.told(key, `${who} asked for ${asked} and was answered the end of ${stored}`);
      }
      if (isReused && (row === undefined || isOfStored)) {
        this.told(
          key,
          `${who} was refused as COMMAND_ID_REUSED, and ${row === undefined ? 'the id was never used' : 'it is the very command that used the id'}`,
        );
      }
    }
    // With more copies on the topic than calls, one copy may be refused and another executed.
    const isFree = tries.every(({ end }) => end !== null && leavesFree(end));
    if (row === undefined || !isFree || copies > tries.length) return;
    const reasons = tries.map(({ end }) => (end?.kind === 'refused' ? end.reason : ''));
    this.told(
      key,
      `${row.commandId} was refused (${reasons.join(', ')}) in all ${tries.length} calls, its id left free, and was executed all the same (offset ${row.kafkaOffset})`,
    );
  }

  /** How many records of each command the topic holds. */
  private copiesOnTopic(): ReadonlyMap<string, number> {
    const copies = new Map<string, number>();
    for (let partition = 0; partition < this.world.partitionCount; partition += 1) {
      for (const { command } of recordsOf(this.world, partition).values()) {
        if (command === null) continue;
        copies.set(rowKeyOf(command), (copies.get(rowKeyOf(command)) ?? 0) + 1);
      }
    }
    return copies;
  }

  private commandAt({ partition, kafkaOffset }: LogRow): SentCommand | null {
    return recordsOf(this.world, partition).get(kafkaOffset ?? -1n)?.command ?? null;
  }

  private fault(invariant: string, { appCode, roomId }: LogRow, text: string): void {
    this.report({ invariant, text, room: { appCode, roomId } });
  }

  private told(key: string, text: string): void {
    this.report({ invariant: 'INV-4', text, room: roomOfKey(key) });
  }
}
