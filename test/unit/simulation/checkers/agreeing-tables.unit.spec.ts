/** Judges of what one transaction writes and of when its answers leave, before doctored runs. */
import { describe } from 'vitest';
import type { EventRow, LogRow } from '../../../../src/ports/commit-lane.ts';
import { agreeingTables } from '../../../simulation/checkers/agreeing-tables.ts';
import { answeredCommands } from '../../../simulation/checkers/answered-commands.ts';
import { editRow, isAnswerTo, isAt, isRowOf, itSees, withRow } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

describe('INV-9: log, events, outbox and rooms row', () => {
  const words = (
    what: string | RegExp,
    edit: (list: readonly Entry[]) => readonly Entry[],
    title: string,
  ): void => itSees(title, agreeingTables, run, { entries: edit }, 'INV-9', what);

  words(
    /event 0 of version 9 \(RoomGiftSent by g1\) has no row/,
    editRow('events', isAt(9n), () => null),
    'miss no event',
  );
  words(
    /has 0 outbox rows for activity and must have 1/,
    editRow(
      'outbox',
      (row) => isAt(9n)(row) && row.destination === 'activity',
      () => null,
    ),
    'miss no outbox row',
  );
  words(
    /has 1 outbox rows for rtc and must have 0/,
    (list) => withRtcRow(list),
    'hold no outbox row that the event must not have',
  );
  words(
    /is stored with eventType RoomClosed/,
    editRow('events', isAt(9n), (row) => ({ ...row, eventType: 'RoomClosed' })),
    'agree about types',
  );
  words(
    /left the service as/,
    editRow('events', isAt(9n), (row) => ({ ...row, envelope: envelopeOf(list(), 8n) })),
    'agree about what left the service',
  );
  words(
    /committed without a log row of its version/,
    editRow('log', isRowOf('g1'), () => null),
    'hold no event without its log row',
  );
  words(
    /the rooms row is at version 3 and the log at 4/,
    (all) => withoutRoomRow(all),
    'stand at one version after each commit',
  );
  words(
    /was lost after its commit/,
    (all) => withRow('outbox', 1n, undefined)(all),
    'lose no outbox row',
  );
});

describe('INV-9: rows of events and of the outbox', () => {
  const event = (list: readonly Entry[]): Extract<Entry, { kind: 'row' }> => {
    const found = list.find(
      (entry) =>
        entry.kind === 'row' && entry.table === 'events' && isAt(8n)(entry.row as EventRow),
    );
    return found as Extract<Entry, { kind: 'row' }>;
  };
  const words = (title: string, edit: (list: readonly Entry[]) => readonly Entry[], what: RegExp) =>
    itSees(title, agreeingTables, run, { entries: edit }, 'INV-9', what);

  words(
    'are no more than the log has',
    (list) => {
      const entry = event(list);
      const row = { ...(entry.row as EventRow), eventId: 'extra', eventIndex: 1 };
      return list.flatMap((each) =>
        each === entry ? [{ ...entry, key: 'extra', row }, each] : each,
      );
    },
    /logged 1 events at version 8, and room_events has one more/,
  );
  words(
    'do not change after their commit',
    (list) => {
      const { key, row } = event(list);
      return withRow('events', key, { ...(row as EventRow), eventType: 'RoomClosed' })(list);
    },
    /event .* was changed after its commit/,
  );
  words(
    'say the same of one event',
    editRow('outbox', isAt(8n), (row) => ({ ...row, eventType: 'RoomClosed' })),
    /outbox row \d+ \(RoomClosed, version 8, im\) does not say what its event/,
  );
});

describe('INV-14: no answer leaves', () => {
  itSees(
    'before its command is committed',
    answeredCommands,
    run,
    { entries: (all) => moveAnswerUp(all) },
    'INV-14',
    /was answered applied at version 9 for g1 .* no row of it is committed/,
  );
  itSees(
    'its cell before its command is committed, though its client hears of it later',
    answeredCommands,
    run,
    { entries: (all) => moveReplyUp(all) },
    'INV-14',
    /the reply at offset \d+ carries a result that no committed row has: applied at version 2/,
  );
});

const list = (): readonly Entry[] => run();

function envelopeOf(all: readonly Entry[], version: bigint): Uint8Array {
  const entry = all.find(
    (each) => each.kind === 'row' && each.table === 'events' && isAt(version)(each.row as never),
  );
  return (entry as { row: { envelope: Uint8Array } }).row.envelope;
}

/** One more row for the event of an outbox row, in the same commit. */
function withRtcRow(all: readonly Entry[]): readonly Entry[] {
  const at = all.findIndex(
    (each) => each.kind === 'row' && each.table === 'outbox' && isAt(9n)(each.row as never),
  );
  const entry = all[at] as Extract<Entry, { kind: 'row' }>;
  const row = { ...(entry.row as object), rowId: 99_999n, destination: 'rtc' };
  return [...all.slice(0, at), { ...entry, key: 99_999n, row }, ...all.slice(at)];
}

/** The fourth commit of the room leaves its rooms row as it was. */
function withoutRoomRow(all: readonly Entry[]): readonly Entry[] {
  const at = all.findIndex(
    (each) =>
      each.kind === 'row' &&
      each.table === 'rooms' &&
      each.key === 'app1\0r1' &&
      (each.row as { version: bigint }).version === 4n,
  );
  return [...all.slice(0, at), ...all.slice(at + 1)];
}

/** The first answer to g1 stands before its row. */
function moveAnswerUp(all: readonly Entry[]): readonly Entry[] {
  const answer = all.find(
    (each) =>
      each.kind === 'observed' &&
      each.observation.kind === 'answered' &&
      isAnswerTo('g1')(each.observation),
  );
  const at = all.findIndex(
    (each) => each.kind === 'row' && each.table === 'log' && isRowOf('g1')(each.row as LogRow),
  );
  if (answer === undefined) throw new Error('no answer to move');
  return [...all.slice(0, at), answer, ...all.slice(at).filter((each) => each !== answer)];
}

/** The second reply stands before the rows that it tells of. */
function moveReplyUp(all: readonly Entry[]): readonly Entry[] {
  const replies = all.filter(
    (each) =>
      each.kind === 'observed' &&
      each.observation.kind === 'appended' &&
      each.observation.topic === 'rig.replies',
  );
  const [first, second] = replies;
  if (first === undefined || second === undefined) throw new Error('no reply to move');
  return all.flatMap((each) => (each === first ? [first, second] : each === second ? [] : [each]));
}
