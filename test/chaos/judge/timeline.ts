/** What onlookers, clients and the commands topic saw of a run, in one order. */
import type { ResultFields } from '../../../src/domain/room/decision.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import { readIfAny } from '../../simulation/checkers/avro-reading.ts';
import { commandOf } from '../../simulation/checkers/calls.ts';
import type { Observation } from '../../simulation/observations.ts';
import type { ChaosRecord, OwnerSample } from '../record/chaos-record.ts';

/**
 * By time; of one time, records of the topic before what clients were told, and owner rows last. The
 * clocks are one machine's. A history is in its own order already and stays so.
 */
export function timelineOf(record: ChaosRecord): readonly (Observation | OwnerSample)[] {
  const rows = new Map(
    record.tables.log.map((row) => [`${row.appCode}\0${row.roomId}\0${row.commandId}`, row]),
  );
  const commands = record.commands.flat().map((moment) => ({ moment, rank: 0 }));
  const history = record.history.map((seen) => {
    return { moment: withUnshown(withFreeId(seen, rows), rows), rank: 1 };
  });
  const samples = record.samples.map((moment) => ({ moment, rank: 2 }));
  return [...commands, ...history, ...samples]
    .sort((one, other) => one.moment.atMs - other.moment.atMs || one.rank - other.rank)
    .map(({ moment }) => moment);
}

/**
 * A refusal as expired leaves the id free, and a later try may well have been executed: the judges are
 * shown all rows from the start and would take that one for stored by then. Only a row that was decided
 * before the call left its client says so; of others the client is taken to know nothing.
 */
function withFreeId(seen: Observation, rows: ReadonlyMap<string, LogRow>): Observation {
  if (seen.kind !== 'answered' || seen.end.kind !== 'refused') return seen;
  if (seen.end.reason !== 'EXPIRED') return seen;
  const row = rows.get(commandOf(seen.call)?.key ?? '');
  if (row === undefined || row.decidedAtMs < seen.call.sentAtMs) return seen;
  return { ...seen, end: { kind: 'unknown', reason: 'EXPIRED, and executed by a later try' } };
}

/**
 * What an answer over gRPC does not show: at which version its user came, and numbers and names that are
 * zero, which read like none. These alone are taken from the stored result; what was shown stays as it
 * was shown.
 */
function withUnshown(seen: Observation, rows: ReadonlyMap<string, LogRow>): Observation {
  if (seen.kind !== 'answered' || seen.end.kind !== 'ok') return seen;
  const { fields: shown } = seen.end.result;
  const row = rows.get(commandOf(seen.call)?.key ?? '');
  if (row === undefined) return seen;
  const stored = readIfAny<{ readonly fields: ResultFields }>('ResultRecord', row.result)?.fields;
  const zeros = Object.entries(stored ?? {}).filter(([name, value]) => {
    return unsetWhenZero.has(name) && isZero(value);
  });
  const user = withJoinedAt(shown.user, stored?.user);
  const fields: ResultFields = { ...Object.fromEntries(zeros), ...shown, ...user };
  return { ...seen, end: { ...seen.end, result: { ...seen.end.result, fields } } };
}

/** Fields of an answer that proto3 does not tell from absent ones when they are zero. */
const unsetWhenZero: ReadonlySet<string> = new Set(['seatNo', 'micSessionId', 'publishDeadlineMs']);

function isZero(value: unknown): boolean {
  return value === 0 || value === 0n || value === '';
}

function withJoinedAt(
  shown: ResultFields['user'],
  // Null in a row without one: then the answer shows a user that is nowhere, for a judge to cry at.
  stored: ResultFields['user'] | null,
): Pick<ResultFields, 'user'> {
  if (shown === undefined || Object.hasOwn(shown, 'joinedAtVersion')) return {};
  if (stored === undefined || stored === null) return {};
  const { joinedAtVersion } = stored;
  return { user: { ...shown, joinedAtVersion } };
}
