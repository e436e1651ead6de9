/**
 * INV-11 at the moment it is decided: when the applied offset passes a command that nobody can have
 * refused, its row is there; when a refusal is told, its offset is settled, and it never gets a row.
 * `offset-fates` judges at the end, by words that were said; a retry may have made good by then what
 * was forgotten here.
 *
 * Nobody can have refused: a command of the room's own rules (every end of it is stored) in a room
 * that was made at an earlier offset, which cannot have expired on any clock, is no dead letter, is not
 * of a release for which some cell still waits, and of no robot of another epoch.
 */
import type { Observation } from '../observations.ts';
import { branchOf, readIfAny, recordNameOf } from './avro-reading.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { recordsOf, rowKeyOf } from './command-records.ts';
import type { CommandsRecord } from './command-records.ts';
import { LevelHeard, mayHaveToWait } from './levels.ts';
import { robotOriginOf } from './robot-ids.ts';

/** Types whose refusals leave the id free for no other reason than the time. */
const neverFree: ReadonlySet<string> = new Set([
  ...[
    'UpdateUser',
    'LeaveRoom',
    'KickUser',
    'UnbanUser',
    'EvictUser',
    'MicUp',
    'MicDown',
    'ChangeMicSeat',
  ],
  ...['ConfirmMicPublishing', 'SetMicSeatLock', 'SetMicSeatMute', 'InviteToMic', 'ApplyForMic'],
  ...['AnswerMicRequest', 'ApplyRtcEvent', 'UpdateRoomProfile', 'SetSeatCount', 'SetRoomPassword'],
  ...['SetRoomMode', 'SetVisibleRegion', 'SetAdmin', 'TransferOwner', 'CloseRoom', 'DeleteRoom'],
]);
/** How far the wall clock of a cell may be ahead: its offset and a jump. */
const clockSkewMs = 3_100;
const correlationHeader = 'rc-correlation-id';
const ttlHeader = 'rc-ttl-ms';

interface Sent {
  readonly correlation: string | undefined;
  /** True time from which on some cell may hold it for expired. */
  readonly mayExpireAtMs: number;
}

/** Makes it; see the file header. */
export const passedOffsets: CheckerFactory = (world, report) => new PassedOffsets(world, report);

class PassedOffsets implements Checker {
  readonly invariants = ['INV-11'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** By `partition/offset`. */
  private readonly sent = new Map<string, Sent>();
  /** Places of a correlation id's records: a log that stores twice has two of one. */
  private readonly places = new Map<string, { partition: number; offset: bigint }[]>();
  private readonly refusals = new Map<string, string>();
  private readonly applied = new Map<number, bigint>();
  private readonly heard: LevelHeard;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.heard = new LevelHeard(world);
  }

  observe(observation: Observation): void {
    if (observation.kind === 'appended') this.appended(observation);
    if (observation.kind !== 'committed') return;
    const isHeard = this.heard.isEverywhere(observation.atMs);
    for (const [partition, { appliedOffset, epoch }] of this.world.database.owners) {
      const before = this.applied.get(partition) ?? -1n;
      if (appliedOffset <= before) continue;
      this.applied.set(partition, appliedOffset);
      const records = recordsOf(this.world, partition);
      for (let offset = before + 1n; offset <= appliedOffset; offset += 1n) {
        const record = records.get(offset);
        const mayWait = !isHeard && mayHaveToWait(record?.command?.type ?? '');
        const madeBy = robotOriginOf(record?.command?.commandId ?? '')?.epoch ?? epoch;
        if (record === undefined || mayWait || madeBy !== epoch) continue;
        this.passed(record, observation.atMs);
      }
    }
  }

  atEnd(): void {
    for (const row of this.world.database.log.values()) {
      const correlation = this.sent.get(`${row.partition}/${row.kafkaOffset}`)?.correlation ?? '';
      const reason = this.refusals.get(correlation);
      if (reason === undefined || this.places.get(correlation)?.length !== 1) continue;
      const { appCode, roomId } = row;
      const text = `offset ${row.partition}/${row.kafkaOffset}: ${row.commandId} has its row (${row.outcome}, epoch ${row.epoch}), and its caller was told ${reason}`;
      this.report({ invariant: 'INV-11', text, room: { appCode, roomId } });
    }
  }

  private passed({ partition, offset, command }: CommandsRecord, atMs: number): void {
    if (command === null || !neverFree.has(command.type)) return;
    const { log, deadLetters } = this.world.database;
    const { appCode, roomId, commandId, type } = command;
    const key = rowKeyOf(command);
    if (
      log.has(key) ||
      atMs >= (this.sent.get(`${partition}/${offset}`)?.mayExpireAtMs ?? -Infinity)
    )
      return;
    const first = log
      .rowsBy('room', `${appCode}\0${roomId}`)
      .find((row) => row.appliedVersion === 1n);
    const made = first?.kafkaOffset ?? null;
    if (made === null || made >= offset) return;
    const isAside = deadLetters.some(
      (letter) => letter.partition === partition && letter.kafkaOffset === offset,
    );
    if (isAside) return;
    const text = `offset ${partition}/${offset}: ${type} ${commandId} was passed by the applied offset at ${atMs} ms without a row, and nobody can have refused it`;
    this.report({ invariant: 'INV-11', text, room: { appCode, roomId } });
  }

  private appended(record: Extract<Observation, { kind: 'appended' }>): void {
    const { topic, partition, offset, headers, value, atMs } = record;
    const correlation = headers?.[correlationHeader];
    if (topic === this.world.commandsTopic) {
      // Without that header it never expires; without any nothing is known.
      const ttlMs = headers === undefined ? -Infinity : Number(headers[ttlHeader] ?? Infinity);
      const mayExpireAtMs = (record.recordTimeMs ?? atMs) + ttlMs - clockSkewMs;
      this.sent.set(`${partition}/${offset}`, { correlation, mayExpireAtMs });
      if (correlation === undefined) return;
      this.places.set(correlation, [
        ...(this.places.get(correlation) ?? []),
        { partition, offset },
      ]);
      return;
    }
    if (correlation === undefined || value === null || recordNameOf(value) !== 'ReplyRecord')
      return;
    const reply = readIfAny<{ readonly content: unknown }>('ReplyRecord', value);
    const branch = branchOf(reply?.content);
    if (branch?.name !== 'RefusalReply') return;
    const { reason } = branch.value as { readonly reason: string };
    this.refusals.set(correlation, reason);
    this.checkRefusal(correlation, reason, atMs);
  }

  /** Told only when no successor can execute it any more: passed, or marked as settled. */
  private checkRefusal(correlation: string, reason: string, atMs: number): void {
    const { owners, settled } = this.world.database;
    const places = this.places.get(correlation) ?? [];
    const commands = places.flatMap(({ partition, offset }) => {
      const record = recordsOf(this.world, partition).get(offset);
      return record?.command ? [{ partition, offset, command: record.command }] : [];
    });
    const isSettled = commands.some(({ partition, offset }) => {
      const applied = owners.get(partition)?.appliedOffset ?? -1n;
      return offset <= applied || settled.get(partition)?.has(offset) === true;
    });
    const [first] = commands;
    if (isSettled || first === undefined) return;
    const { appCode, roomId, commandId } = first.command;
    const text = `offset ${first.partition}/${first.offset}: the caller of ${commandId} was told ${reason} at ${atMs} ms, and a new owner would execute it: the offset is neither passed nor marked`;
    this.report({ invariant: 'INV-11', text, room: { appCode, roomId } });
  }
}
