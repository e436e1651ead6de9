/** The judge of what became of each offset, before doctored runs. */
import { describe, expect, it } from 'vitest';
import type { OwnerRow } from '../../../../src/ports/partition-store.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { offsetFates } from '../../../simulation/checkers/offset-fates.ts';
import { isAnswerTo, itSees, observed, rowWith } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import { judged } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

describe('INV-11: every offset that was passed', () => {
  itSees(
    'has its record’s own command in the log',
    offsetFates,
    run,
    { entries: rowWith('g3', { kafkaOffset: 0n }) },
    'INV-11',
    /the row of app1\/r1\/g3 names it, and it holds app[12]\/r[12]\/c1/,
  );
  itSees(
    'has one log row and not two',
    offsetFates,
    run,
    { entries: rowWith('g3', { kafkaOffset: 0n }) },
    'INV-11',
    /it has two log rows/,
  );
  itSees(
    'has a record',
    offsetFates,
    run,
    { entries: rowWith('g3', { kafkaOffset: 5_000n }) },
    'INV-11',
    /app1\/r1\/g3 names it, and there is no such record/,
  );
  itSees(
    'has a word to its caller when it has no row',
    offsetFates,
    run,
    { entries: () => run().filter((entry) => !isRefusalReply(entry)) },
    'INV-11',
    /app1\/none\/x2 was passed by the applied offset without a row, a dead letter or a word/,
  );
  itSees(
    'has a word to its caller also where no headers are shown',
    offsetFates,
    run,
    {
      entries: () =>
        run()
          .filter((entry) => !isRefusalReply(entry) && !isAnswered(entry, 'x2', 'none'))
          .map(withoutHeaders),
    },
    'INV-11',
    /app1\/none\/x2 was passed by the applied offset/,
  );
  itSees(
    'has a dead letter when nobody can read it',
    offsetFates,
    run,
    { beforeEnd: ({ database }: CheckedWorld) => void database.deadLetters.splice(0) },
    'INV-11',
    'it cannot be read, was passed, and has no dead letter',
  );
  itSees(
    'has a log row or a dead letter, and not both',
    offsetFates,
    run,
    { beforeEnd: ({ database }) => void database.deadLetters.push(letterBeside(database)) },
    'INV-11',
    'it has a log row and a dead letter',
  );
});

describe('INV-11: a record without a row or a word', () => {
  const atMs = 1_700_000_016_000;
  /** Judges the run without a word to anybody, and with these observations in front. */
  const judgedBeside = (...seen: readonly Parameters<typeof observed>[0][]): readonly unknown[] => {
    const quiet = run().filter((entry) => !isRefusalReply(entry));
    return judged([offsetFates], [...seen.map(observed), ...quiet]);
  };
  const killed = (incarnation: string): Parameters<typeof observed>[0] => {
    return { kind: 'pod', atMs, pod: 'cell', incarnation, what: 'killed' };
  };

  it('is excused when the way to the log is cut beside the commit that passed it', () => {
    expect(judgedBeside()).not.toEqual([]);
    expect(judgedBeside({ kind: 'fault', atMs, text: 'brokerSilent 3 100 ms' })).toEqual([]);
    expect(judgedBeside({ kind: 'fault', atMs, text: 'killCell 3 100 ms' })).not.toEqual([]);
  });

  it('is excused by a send of replies that was lost, when it is lost, and by no other send', () => {
    const lost = (text: string) => judgedBeside({ kind: 'fault', atMs, text });
    expect(lost('notStored hits the log at room.replies')).toEqual([]);
    expect(lost('ackWithoutStore hits the log at room.replies')).toEqual([]);
    expect(lost('replyNotStored 3 100 ms')).not.toEqual([]);
    expect(lost('notStored hits the log at room.commands')).not.toEqual([]);
    expect(lost('ackLost hits the log at room.replies')).not.toEqual([]);
  });

  it('is excused by the end of the process that passed it, and by no other’s', () => {
    const passers = run().flatMap((entry) =>
      entry.kind === 'row' && entry.table === 'owners' ? [(entry.row as OwnerRow).incarnation] : [],
    );
    expect(judgedBeside(...passers.map(killed))).toEqual([]);
    expect(judgedBeside(killed('somebody-else'))).not.toEqual([]);
  });

  itSees(
    'has no mark of a refusal beside its log row',
    offsetFates,
    run,
    {
      beforeEnd: ({ database }) => {
        for (const [partition, owner] of database.owners) {
          database.settled.set(partition, new Set([owner.appliedOffset]));
          database.owners.set(partition, { ...owner, appliedOffset: owner.appliedOffset - 1n });
        }
      },
    },
    'INV-11',
    'it has a log row and a refusal’s mark',
  );
});

function isRefusalReply(entry: Entry): boolean {
  if (entry.kind !== 'observed' || entry.observation.kind !== 'appended') return false;
  const { topic, value } = entry.observation;
  return topic === 'rig.replies' && Buffer.from(value ?? []).includes('ROOM_NOT_FOUND');
}

function isAnswered(entry: Entry, commandId: string, room: string): boolean {
  if (entry.kind !== 'observed' || entry.observation.kind !== 'answered') return false;
  return isAnswerTo(commandId, room)(entry.observation);
}

function withoutHeaders(entry: Entry): Entry {
  if (entry.kind !== 'observed' || entry.observation.kind !== 'appended') return entry;
  const { headers: _, ...observation } = entry.observation;
  return observed(observation);
}

function letterBeside(database: CheckedWorld['database']): (typeof database.deadLetters)[number] {
  const [letter] = database.deadLetters;
  const row = [...database.log.values()].find(({ kafkaOffset }) => kafkaOffset !== null);
  if (letter === undefined || row?.kafkaOffset === undefined || row.kafkaOffset === null) {
    throw new Error('no letter to doctor');
  }
  return { ...letter, partition: row.partition, kafkaOffset: row.kafkaOffset };
}
