/** Judges of ownership and of the offsets, before doctored runs. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { OwnerRecord } from '../../../../src/drivers/memory/memory-rows.ts';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { fence } from '../../../simulation/checkers/fence.ts';
import { offsetFates } from '../../../simulation/checkers/offset-fates.ts';
import { committedAt, editRow, isAnswerTo, isRowOf, itSees, observed } from './doctoring.ts';
import { healthyRun } from './healthy-run.ts';
import { judged } from './recorded-run.ts';
import type { Entry } from './recorded-run.ts';

let entries: readonly Entry[];
const run = (): readonly Entry[] => entries;

beforeAll(async () => {
  entries = await healthyRun();
});

const changed = (commandId: string, fields: Partial<LogRow>): typeof run => {
  const edit = editRow('log', isRowOf(commandId), (row) => ({ ...row, ...fields }));
  return () => edit(entries);
};

describe('INV-10: the fence', () => {
  itSees(
    'lets no former owner write behind its successor',
    fence,
    run,
    { entries: changed('leave-u4', { epoch: 1n }) },
    'INV-10',
    /leave-u4 \(epoch 1, b, .*\) was committed after join-u4 \(epoch 2, b/,
  );
  itSees(
    'keeps a room’s commands in the order of their offsets',
    fence,
    run,
    { entries: changed('g3', { kafkaOffset: 1n }) },
    'INV-10',
    /g3 .*offset 1\) was decided after g2 .* against the order of the partition/,
  );
  itSees(
    'lets no epoch of an owner fall',
    fence,
    run,
    { entries: () => withOwner({ epoch: 1n }) },
    'INV-10',
    /was at epoch 2 \(b\), applied \d+, and is at epoch 1 \(b\)/,
  );
  itSees(
    'lets no applied offset move back',
    fence,
    run,
    { entries: () => withOwner({ appliedOffset: 0n }) },
    'INV-10',
    /applied \d+, and is at epoch 2 \(b\), applied 0/,
  );
});

describe('INV-11: every offset that was passed', () => {
  itSees(
    'has its record’s own command in the log',
    offsetFates,
    run,
    { entries: changed('g3', { kafkaOffset: 0n }) },
    'INV-11',
    /the row of app1\/r1\/g3 names it, and it holds app[12]\/r[12]\/c1/,
  );
  itSees(
    'has one log row and not two',
    offsetFates,
    run,
    { entries: changed('g3', { kafkaOffset: 0n }) },
    'INV-11',
    /it has two log rows/,
  );
  itSees(
    'has a record',
    offsetFates,
    run,
    { entries: changed('g3', { kafkaOffset: 5_000n }) },
    'INV-11',
    /app1\/r1\/g3 names it, and there is no such record/,
  );
  itSees(
    'has a word to its caller when it has no row',
    offsetFates,
    run,
    { entries: () => entries.filter((entry) => !isRefusalReply(entry)) },
    'INV-11',
    /app1\/none\/x2 was passed by the applied offset without a row, a dead letter or a word/,
  );
  itSees(
    'has a word to its caller also where no headers are shown',
    offsetFates,
    run,
    {
      entries: () =>
        entries
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
  it('is excused when a fault stands beside the commit that passed it', () => {
    const quiet = entries.filter((entry) => !isRefusalReply(entry));
    const atMs = 1_700_000_016_000;
    const fault = observed({ kind: 'fault', atMs, text: 'the replies are cut off' });
    expect(judged([offsetFates], quiet)).not.toEqual([]);
    expect(judged([offsetFates], [fault, ...quiet])).toEqual([]);
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

describe('INV-12: a row', () => {
  itSees(
    'names the epoch in force when it was committed',
    fence,
    run,
    { entries: changed('g3', { epoch: 3n }) },
    'INV-12',
    /g3 \(epoch 3, a, .* while partition \d was owned by epoch 1 of a/,
  );
  itSees(
    'names that epoch’s owner',
    fence,
    run,
    { entries: changed('g3', { ownerNodeId: 'b' }) },
    'INV-12',
    /g3 \(epoch 1, b, .* owned by epoch 1 of a/,
  );
  itSees(
    'carries a lease token of its epoch',
    fence,
    run,
    { entries: changed('g3', { leaseToken: '2.1' }) },
    'INV-12',
    'carries the lease token 2.1',
  );
});

function withOwner(fields: Partial<OwnerRecord>): readonly Entry[] {
  const isOwner = (entry: Entry): entry is Extract<Entry, { kind: 'row' }> =>
    entry.kind === 'row' && entry.table === 'owners';
  const last = entries.findLast(isOwner);
  if (last === undefined) throw new Error('no owner to doctor');
  return [...entries, { ...last, row: { ...(last.row as object), ...fields } }, committedAt(0)];
}

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
