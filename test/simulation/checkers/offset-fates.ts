/**
 * INV-11: every offset up to the applied one has exactly one fate: a log row, a repeat of a command
 * that has one, a dead letter, a heartbeat, or a refusal that somebody was told. A record that was
 * passed over without any of them was forgotten.
 *
 * A refusal leaves no row, so a word of it is looked for: a refusing reply to the record's own
 * correlation id, if the world shows headers; otherwise the end of any call of the command. A node
 * that died or was cut off around its commit may have told nobody; then none is asked for. The death
 * of another node is no excuse: who passes an offset later has to say what became of it.
 */
import type { Observation } from '../observations.ts';
import { branchOf, readIfAny } from './avro-reading.ts';
import { commandOf, toldBy } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { recordsOf, rowKeyOf } from './command-records.ts';
import type { CommandsRecord } from './command-records.ts';
import { robotOriginOf } from './robot-ids.ts';

/** How long after a commit a fault excuses that nothing was said, and how long before. */
const excusedForMs = 10_000;
/** Faults by which a word that was said may never reach the log; others have no part in it. */
const silencing: ReadonlySet<string> = new Set([
  'brokerSilent',
  'brokerRefused',
  'clientCut',
  'lateBatch',
]);
/** The same for a single send of replies, at the time when it meets the fault. */
const losingSend = /^(?:notStored|ackWithoutStore) hits the log at \S+\.replies$/;

/** A commit that settled something, and whose it was. */
interface Settling {
  readonly atMs: number;
  readonly incarnation: string;
}

/** How far the applied offset came by it. */
interface Pass extends Settling {
  readonly upTo: bigint;
}
const correlationHeader = 'rc-correlation-id';

/** Makes it; see the file header. */
export const offsetFates: CheckerFactory = (world, report) => new OffsetFates(world, report);

class OffsetFates implements Checker {
  readonly invariants = ['INV-11'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** Commands of which some call ended without a stored result, by row key. */
  private readonly toldFree = new Set<string>();
  /** Correlation ids of commands, by `partition/offset`. */
  private readonly correlations = new Map<string, string>();
  private readonly refused = new Set<string>();
  /** By the process that they befell; those of the way to the log befall all. */
  private readonly faults: { readonly atMs: number; readonly incarnation: string | null }[] = [];
  /** By partition, the oldest first. */
  private readonly passes = new Map<number, Pass[]>();
  /** Of refusals above the applied offset, which a later owner may pass: by `partition/offset`. */
  private readonly marked = new Map<string, Settling>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'answered': {
        const command = commandOf(observation.call);
        const isStored = toldBy(observation.end) !== null;
        if (command !== null && !isStored) this.toldFree.add(command.key);
        return;
      }
      case 'committed':
        this.lookAtOwners(observation.atMs);
        return;
      case 'appended':
        this.appended(observation);
        return;
      case 'fault':
        if (isSilencing(observation.text)) {
          this.faults.push({ atMs: observation.atMs, incarnation: null });
        }
        return;
      case 'pod':
        if (observation.what !== 'started') this.faults.push(observation);
        return;
      default:
    }
  }

  atEnd(): void {
    const { database, partitionCount } = this.world;
    const logged = new Map<string, string>();
    for (const row of database.log.values()) {
      if (row.kafkaOffset === null) continue;
      const at = `${row.partition}/${row.kafkaOffset}`;
      const other = logged.get(at);
      const key = `${row.appCode}\0${row.roomId}\0${row.commandId}`;
      if (other !== undefined)
        this.fault(at, key, `it has two log rows: ${inWords(other)} and ${inWords(key)}`);
      logged.set(at, key);
    }
    const aside = new Set(
      database.deadLetters
        .filter(({ topic }) => topic === this.world.commandsTopic)
        .map(({ partition, kafkaOffset }) => `${partition}/${kafkaOffset}`),
    );
    for (let partition = 0; partition < partitionCount; partition += 1) {
      this.checkPartition(partition, logged, aside);
    }
  }

  private checkPartition(
    partition: number,
    logged: ReadonlyMap<string, string>,
    aside: ReadonlySet<string>,
  ): void {
    const { database } = this.world;
    const applied = database.owners.get(partition)?.appliedOffset ?? -1n;
    const marks = database.settled.get(partition) ?? new Set<bigint>();
    const records = recordsOf(this.world, partition);
    for (const [at, key] of logged) {
      const [of, offset = '0'] = at.split('/');
      if (of !== String(partition) || records.has(BigInt(offset))) continue;
      this.fault(at, key, `${inWords(key)} names it, and there is no such record`);
    }
    for (const record of records.values()) {
      const at = `${partition}/${record.offset}`;
      const row = logged.get(at);
      const named = record.command === null ? '' : rowKeyOf(record.command);
      if (row !== undefined && row !== named) {
        this.fault(at, row, `the row of ${inWords(row)} names it, and it holds ${inWords(named)}`);
      }
      const fates = [
        ...(row === undefined ? [] : ['a log row']),
        ...(aside.has(at) ? ['a dead letter'] : []),
        ...(marks.has(record.offset) && record.offset > applied ? ['a refusal’s mark'] : []),
      ];
      if (fates.length > 1) this.fault(at, named, `it has ${fates.join(' and ')}`);
      if (fates.length > 0 || record.offset > applied) continue;
      const why = this.whyForgotten(record, named);
      if (why !== null) this.fault(at, named, why);
    }
  }

  /** Null: the record has a fate that leaves no row of its own. */
  private whyForgotten(record: CommandsRecord, key: string): string | null {
    if (record.kind === 'heartbeats') return null;
    if (record.kind === 'unreadable') {
      return 'it cannot be read, was passed, and has no dead letter';
    }
    if (this.world.database.log.has(key)) return null;
    if (record.command?.type === 'ApplyRtcEvent' && !this.isMadeBefore(record)) return null;
    // Nobody waits for a robot: what is refused leaves no word.
    if (robotOriginOf(record.command?.commandId ?? '') !== null) return null;
    const at = `${record.partition}/${record.offset}`;
    const correlation = this.correlations.get(at);
    const isTold =
      correlation === undefined ? this.toldFree.has(key) : this.refused.has(correlation);
    if (isTold || this.isExcused(record)) return null;
    return `${inWords(key)} was passed by the applied offset without a row, a dead letter or a word to its caller`;
  }

  /** Nobody waits for a word about an RTC event; of a room that nobody has made it changes nothing. */
  private isMadeBefore({ command, offset }: CommandsRecord): boolean {
    const key = `${command?.appCode}\0${command?.roomId}`;
    const first = this.world.database.log
      .rowsBy('room', key)
      .find(({ appliedVersion }) => appliedVersion === 1n);
    return (first?.kafkaOffset ?? offset) < offset;
  }

  private isExcused({ partition, offset }: CommandsRecord): boolean {
    const pass = this.passes.get(partition)?.find(({ upTo }) => upTo >= offset);
    const settling = this.marked.get(`${partition}/${offset}`) ?? pass;
    if (settling === undefined) return false;
    return this.faults.some(({ atMs, incarnation }) => {
      const isNear = Math.abs(atMs - settling.atMs) <= excusedForMs;
      return isNear && (incarnation === null || incarnation === settling.incarnation);
    });
  }

  private lookAtOwners(atMs: number): void {
    for (const [partition, owner] of this.world.database.owners) {
      const { appliedOffset: upTo, incarnation } = owner;
      const passes = this.passes.get(partition) ?? [];
      this.passes.set(partition, passes);
      if ((passes.at(-1)?.upTo ?? -1n) < upTo) passes.push({ upTo, atMs, incarnation });
      for (const offset of this.world.database.settled.get(partition) ?? []) {
        const at = `${partition}/${offset}`;
        if (!this.marked.has(at)) this.marked.set(at, { atMs, incarnation });
      }
    }
  }

  private appended(record: Extract<Observation, { kind: 'appended' }>): void {
    const correlation = record.headers?.[correlationHeader];
    if (correlation === undefined) return;
    if (record.topic === this.world.commandsTopic) {
      this.correlations.set(`${record.partition}/${record.offset}`, correlation);
      return;
    }
    if (record.value === null) return;
    const reply = readIfAny<{ readonly content: unknown }>('ReplyRecord', record.value);
    if (branchOf(reply?.content)?.name === 'RefusalReply') this.refused.add(correlation);
  }

  private fault(at: string, key: string, text: string): void {
    const [appCode = '', roomId = ''] = key.split('\0');
    const room = key === '' ? null : { appCode, roomId };
    this.report({ invariant: 'INV-11', text: `offset ${at}: ${text}`, room });
  }
}

function inWords(key: string): string {
  return key === '' ? 'no command' : key.replaceAll('\0', '/');
}

function isSilencing(text: string): boolean {
  return silencing.has(text.split(' ')[0] ?? '') || losingSend.test(text);
}
