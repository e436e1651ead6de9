/** Short ways to doctor a recorded run: a row that is changed, lost or put in, an answer that differs. */
import { expect, it } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { OutboxRow } from '../../../../src/drivers/memory/memory-rows.ts';
import type { EventRow, LogRow } from '../../../../src/ports/commit-lane.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import type { ResultRecord } from '../../../../src/protocol/records.ts';
import type { CheckerFactory } from '../../../simulation/checkers/checker.ts';
import type { CallEnd, Observation } from '../../../simulation/observations.ts';
import { judged } from './judged-run.ts';
import type { Doctoring } from './judged-run.ts';
import type { Entry, TableName } from './recorded-run.ts';

/** Rows of tables by name, as far as tests change them by type. */
export interface Rows {
  readonly log: LogRow;
  readonly events: EventRow;
  readonly outbox: OutboxRow;
}

/** A run with something changed. */
export type Doctored = (entries: readonly Entry[]) => readonly Entry[];
type Edit = Doctored;
type ObservationOf<Kind> = Extract<Observation, { kind: Kind }>;

const codec = createCodec();

/** The codec of the product: doctored bytes must be bytes that it could have written. */
export { codec };

/** Replaces the first row of a table that `match` takes, from its commit on; `change` may lose it. */
export function editRow<Name extends keyof Rows>(
  table: Name,
  match: (row: Rows[Name]) => boolean,
  change: (row: Rows[Name]) => Rows[Name] | null,
): Edit {
  return editFirst(
    (entry) => entry.kind === 'row' && entry.table === table && match(entry.row as Rows[Name]),
    (entry) => {
      const row = change((entry as Extract<Entry, { kind: 'row' }>).row as Rows[Name]);
      return row === null ? [] : [{ ...(entry as Extract<Entry, { kind: 'row' }>), row }];
    },
  );
}

/** Puts entries behind the first observation that `match` takes. */
export function after<Kind extends Observation['kind']>(
  kind: Kind,
  match: (observation: ObservationOf<Kind>) => boolean,
  more: (observation: ObservationOf<Kind>) => readonly Entry[],
): Edit {
  return editObserved(kind, match, (seen) => [
    { kind: 'observed', observation: seen },
    ...more(seen),
  ]);
}

/** Replaces the first observation that `match` takes. */
export function editObserved<Kind extends Observation['kind']>(
  kind: Kind,
  match: (observation: ObservationOf<Kind>) => boolean,
  change: (observation: ObservationOf<Kind>) => readonly Entry[],
): Edit {
  return editFirst(
    (entry) =>
      entry.kind === 'observed' &&
      entry.observation.kind === kind &&
      match(entry.observation as ObservationOf<Kind>),
    (entry) => change((entry as { observation: Observation }).observation as ObservationOf<Kind>),
  );
}

/** The first answer to a command of `app1`. */
export function isAnswerTo(commandId: string, room = 'r1', app = 'app1') {
  return ({ call }: ObservationOf<'answered'>): boolean =>
    call.ask.kind === 'command' &&
    call.ask.meta.commandId === commandId &&
    call.ask.meta.roomId === room &&
    call.ask.meta.appCode === app;
}

/** A log row of a command of `app1`. */
export function isRowOf(commandId: string, room = 'r1', app = 'app1') {
  return (row: LogRow): boolean =>
    row.commandId === commandId && row.roomId === room && row.appCode === app;
}

/** An event or outbox row by its place. */
export function isAt(version: bigint, room = 'r1', app = 'app1') {
  return (row: EventRow | OutboxRow): boolean =>
    row.roomVersion === version && row.roomId === room && row.appCode === app;
}

/** The row of a command with some fields changed. */
export function rowWith(commandId: string, fields: Partial<LogRow>): Edit {
  return editRow('log', isRowOf(commandId), (row) => ({ ...row, ...fields }));
}

/** The row of a command logs other events. */
export function logs(commandId: string, events: readonly RoomEvent[], room = 'r1'): Edit {
  return editRow('log', isRowOf(commandId, room), (row) => ({
    ...row,
    events: codec.encodeLoggedEvents(events),
  }));
}

/** The sending of a command of `app1`. */
export function isSent(commandId: string) {
  return ({ call: { ask } }: ObservationOf<'sent'>): boolean =>
    ask.kind === 'command' && ask.meta.commandId === commandId && ask.meta.appCode === 'app1';
}

/** The end of a call that was refused behind the topic, unless `facts` say otherwise. */
export function refusedAs(reason: string, facts: object = { produced: 'yes' }): CallEnd {
  return { kind: 'refused', reason, facts };
}

/** The first answer to a command is another one. */
export function answeredAs(commandId: string, end: CallEnd, room = 'r1'): Edit {
  return editObserved('answered', isAnswerTo(commandId, room), (seen) => [
    observed({ ...seen, end }),
  ]);
}

/** Puts a row into a table behind the whole run. */
export function withRow(table: TableName, key: unknown, row: unknown): Edit {
  return (entries) => [...entries, { kind: 'row', table, key, row }, committedAt(0)];
}

/** An observation as an entry. */
export function observed(observation: Observation): Entry {
  return { kind: 'observed', observation };
}

/** A commit without rows. */
export function committedAt(atMs: number): Entry {
  return observed({ kind: 'committed', atMs });
}

/** The result bytes of a row with some fields changed. */
export function resultWith(row: LogRow, fields: Partial<ResultRecord>): LogRow['result'] {
  const decoded = codec.decodeResult(row.result);
  if (!decoded.ok) throw new Error(decoded.fault);
  return codec.encodeResult({ ...decoded.value, ...fields });
}

/** One edit after the other. */
export function both(...edits: readonly Edit[]): Edit {
  return (entries) => edits.reduce((list, edit) => edit(list), entries);
}

/** A test that the doctored run breaks the invariant, by words that name what is wrong. */
export function itSees(
  title: string,
  checker: CheckerFactory,
  entries: () => readonly Entry[],
  doctoring: Doctoring,
  invariant: string,
  words: string | RegExp,
): void {
  it(title, () => {
    expect(judged([checker], entries())).toEqual([]);
    const violations = judged([checker], entries(), doctoring);
    const named = violations.filter((violation) => violation.invariant === invariant);
    expect(violations).not.toEqual([]);
    expect(named.map(({ text }) => text).join('\n')).toMatch(words);
  });
}

function editFirst(
  match: (entry: Entry) => boolean,
  change: (entry: Entry) => readonly Entry[],
): Edit {
  return (entries) => {
    const at = entries.findIndex(match);
    const entry = entries[at];
    if (entry === undefined) throw new Error('the run has nothing to doctor');
    return [...entries.slice(0, at), ...change(entry), ...entries.slice(at + 1)];
  };
}
