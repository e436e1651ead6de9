/** What a run that broke a promise leaves behind, for people: files, and what is printed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckedWorld, Violation } from '../../simulation/checkers/checker.ts';
import { explainRoom } from '../../simulation/checkers/explain-room.ts';
import type { Observation } from '../../simulation/observations.ts';

const violationsShown = 10;
const roomsExplained = 5;

/** The cycle in whose time something happened, by its fault; null: before the first. */
export interface CycleMark {
  readonly cycle: number;
  readonly text: string;
  readonly atMs: number;
}

/** What there is to tell. */
export interface BrokenRun {
  readonly seed: number;
  readonly folder: string;
  readonly violations: readonly Violation[];
  /** Null when the run could not be judged at all. */
  readonly world: CheckedWorld | null;
  readonly history: readonly Observation[];
  readonly marks: readonly CycleMark[];
}

/** Writes the history, the faults and the rooms in question; answers what to print. */
export function explain(run: BrokenRun): readonly string[] {
  const { seed, folder, violations, world, history } = run;
  const whole = violations.map((violation) => `${whenOf(run, violation)}${sentenceOf(violation)}`);
  writeFileSync(join(folder, 'violations.txt'), `${whole.join('\n')}\n`);
  writeFileSync(
    join(folder, 'history.jsonl'),
    history.map((seen) => `${JSON.stringify(seen, plain)}\n`).join(''),
  );
  const rooms = roomsOf(violations).slice(0, roomsExplained);
  const tables = world === null ? [] : rooms.map((room) => explainRoom(world, room, history));
  writeFileSync(join(folder, 'rooms.txt'), tables.join('\n\n'));
  const more = violations.length - violationsShown;
  return [
    ...whole.slice(0, violationsShown),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(tables[0] === undefined ? [] : ['', tables[0], '']),
    `seed ${seed}; kept in ${folder}: violations.txt, rooms.txt, history.jsonl, a log per process`,
  ];
}

function sentenceOf({ invariant, text }: Violation): string {
  return `${invariant}: ${text}`;
}

/** The fault in whose cycle the room last got a command; '' when nothing says so. */
function whenOf({ history, marks }: BrokenRun, { room }: Violation): string {
  if (room === null) return '';
  const last = history.findLast((seen) => {
    if (seen.kind !== 'sent' || !('meta' in seen.call.ask)) return false;
    return seen.call.ask.meta.roomId === room.roomId;
  });
  const mark = marks.findLast(({ atMs }) => atMs <= (last?.atMs ?? 0));
  return mark === undefined ? '' : `[cycle ${mark.cycle}, ${mark.text}] `;
}

function roomsOf(violations: readonly Violation[]): readonly NonNullable<Violation['room']>[] {
  const byKey = new Map(
    violations.flatMap(({ room }) => {
      return room === null ? [] : [[`${room.appCode}\0${room.roomId}`, room] as const];
    }),
  );
  return [...byKey.values()];
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
