/**
 * One room's history for whoever has to understand a violation: a line per log row with its version,
 * node, epoch, offset, end and deliveries, and who was answered what, with faults and the lives of
 * pods between the lines. It judges nothing.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { commandOf } from './calls.ts';
import type { CheckedWorld, Violation } from './checker.ts';
import { eventIdOf } from './derived.ts';

const columns = ['version', 'decided ms', 'node', 'epoch', 'offset', 'command', 'ended'];
const heads: readonly string[] = [...columns, 'delivered', 'answered to'];

/** One line, with the time that it stands at. */
interface Line {
  readonly atMs: number;
  /** A row of the table, or one text across it. */
  readonly cells: readonly string[] | string;
}

/**
 * The table as text. `observations`: at least the calls, faults and pods of the run; all of them
 * will do. Rows stand in the order of the log, marks before the first row decided later.
 */
export function explainRoom(
  world: CheckedWorld,
  room: NonNullable<Violation['room']>,
  observations: Iterable<Observation>,
): string {
  const key = `${room.appCode}\0${room.roomId}`;
  const answers = new Map<string, string[]>();
  const marks: Line[] = [];
  for (const observation of observations) {
    if (observation.kind === 'answered') noteAnswer(answers, observation);
    const mark = markOf(observation);
    if (mark !== null) marks.push({ atMs: observation.atMs, cells: mark });
  }
  const rows = world.database.log.rowsBy('room', key).map((row) => lineOf(world, row, answers));
  const byTime = marks.sort((left, right) => left.atMs - right.atMs);
  const unstored = [...answers]
    .filter(([of]) => of.startsWith(`${key}\0`) && !world.database.log.has(of))
    .map(([of, told]) => `   ${of.split('\0').at(-1)} has no row; answered ${told.join(', ')}`);
  return [headOf(world, key), ...asTable(merged(rows, byTime)), ...unstored].join('\n');
}

function headOf({ database }: CheckedWorld, key: string): string {
  const name = key.replace('\0', '/');
  const meta = database.rooms.get(key as never);
  if (meta === undefined) return `room ${name} has no rooms row`;
  const { version, status, onlineCount, heat, partition } = meta;
  const owner = database.owners.get(partition);
  const owned =
    owner === undefined
      ? 'owned by nobody'
      : `owned by ${owner.ownerNodeId} at epoch ${owner.epoch}, applied ${owner.appliedOffset}`;
  const snapshots = (database.snapshots.get(key as never) ?? []).map((row) => String(row.version));
  return `room ${name}: version ${version}, ${status}, ${onlineCount} online, heat ${heat}; partition ${partition} ${owned}; snapshots of ${snapshots.join(', ') || 'no version'}`;
}

function lineOf(
  world: CheckedWorld,
  row: LogRow,
  answers: ReadonlyMap<string, readonly string[]>,
): Line {
  const key = `${row.appCode}\0${row.roomId}\0${row.commandId}`;
  const cells = [
    row.appliedVersion === null ? `(${row.decidedVersion})` : String(row.appliedVersion),
    String(row.decidedAtMs),
    row.ownerNodeId,
    String(row.epoch),
    row.kafkaOffset === null ? '-' : `${row.partition}/${row.kafkaOffset}`,
    `${row.commandId} ${row.commandType} ${row.actorUserId}`,
    row.outcome,
    deliveriesOf(world, row),
    answers.get(key)?.join(', ') ?? 'nobody',
  ];
  return { atMs: row.decidedAtMs, cells };
}

/** States of the command's outbox rows, those of one event side by side. */
function deliveriesOf({ database }: CheckedWorld, row: LogRow): string {
  if (row.appliedVersion === null) return '-';
  const states: string[] = [];
  for (let index = 0; ; index += 1) {
    const eventId = eventIdOf(row.appCode, row.roomId, row.commandId, index);
    if (!database.events.has(eventId as never)) break;
    const rows = (['im', 'activity', 'rtc'] as const).flatMap((destination) =>
      database.outbox.rowsBy('event', `${eventId}\0${destination}`),
    );
    states.push(rows.map(({ destination, status }) => `${destination} ${status}`).join('+'));
  }
  return states.join(', ') || 'no event';
}

function noteAnswer(
  answers: Map<string, string[]>,
  { call, end, atMs }: Extract<Observation, { kind: 'answered' }>,
): void {
  const command = commandOf(call);
  if (command === null) return;
  const how = end.kind === 'ok' && end.replayed ? 'ok again' : end.kind;
  const why = 'reason' in end ? ` ${end.reason}` : '';
  const told = `call ${call.callId} of ${call.client} ${how}${why} at ${atMs}`;
  answers.set(command.key, [...(answers.get(command.key) ?? []), told]);
}

function markOf(observation: Observation): string | null {
  switch (observation.kind) {
    case 'fault':
      return `-- ${observation.atMs} ms: fault: ${observation.text}`;
    case 'pod':
      return `-- ${observation.atMs} ms: pod ${observation.pod} (${observation.incarnation}) ${observation.what}`;
    case 'phase':
      return `-- ${observation.atMs} ms: phase ${observation.phase}`;
    default:
      return null;
  }
}

/** Rows keep their order; a mark stands before the first row that was decided after it. */
function merged(rows: readonly Line[], marks: readonly Line[]): readonly Line[] {
  const lines: Line[] = [];
  let next = 0;
  for (const row of rows) {
    for (; (marks[next]?.atMs ?? Infinity) < row.atMs; next += 1) {
      const mark = marks[next];
      if (mark !== undefined) lines.push(mark);
    }
    lines.push(row);
  }
  return [...lines, ...marks.slice(next)];
}

function asTable(lines: readonly Line[]): readonly string[] {
  const rows = lines.map(({ cells }) => cells);
  const tabled = rows.filter((cells): cells is readonly string[] => typeof cells !== 'string');
  const widths = heads.map((head, at) => {
    return tabled.reduce((width, cells) => Math.max(width, cells[at]?.length ?? 0), head.length);
  });
  const asLine = (cells: readonly string[]): string =>
    `   ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  return [
    asLine(heads),
    ...rows.map((cells) => (typeof cells === 'string' ? cells : asLine(cells))),
  ];
}
