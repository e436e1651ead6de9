/** The judge of ownership, before doctored runs. */
import { describe } from 'vitest';
import type { OwnerRecord } from '../../../../src/drivers/memory/memory-rows.ts';
import { fence } from '../../../simulation/checkers/fence.ts';
import { committedAt, itSees, rowWith } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

describe('INV-10: the fence', () => {
  itSees(
    'lets no former owner write behind its successor',
    fence,
    run,
    { entries: rowWith('leave-u4', { epoch: 1n }) },
    'INV-10',
    /leave-u4 \(epoch 1, b, .*\) was committed after join-u4 \(epoch 2, b/,
  );
  itSees(
    'keeps a room’s commands in the order of their offsets',
    fence,
    run,
    { entries: rowWith('g3', { kafkaOffset: 1n }) },
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

describe('INV-10: a release mark', () => {
  itSees(
    'ends what its owner commits, but for the transaction in hand',
    fence,
    run,
    {
      entries: () => [
        ...withOwner({ released: true, commitSeq: 40n }),
        ...withOwner({ released: true, commitSeq: 41n }).slice(-2),
        ...withOwner({ released: true, commitSeq: 42n }).slice(-2),
      ],
    },
    'INV-10',
    /given up by b since its transaction 40 of epoch 2, and b committed 42/,
  );
});

describe('INV-12: a row', () => {
  itSees(
    'names the epoch in force when it was committed',
    fence,
    run,
    { entries: rowWith('g3', { epoch: 3n }) },
    'INV-12',
    /g3 \(epoch 3, a, .* while partition \d was owned by epoch 1 of a/,
  );
  itSees(
    'names that epoch’s owner',
    fence,
    run,
    { entries: rowWith('g3', { ownerNodeId: 'b' }) },
    'INV-12',
    /g3 \(epoch 1, b, .* owned by epoch 1 of a/,
  );
  itSees(
    'carries a lease token of its epoch',
    fence,
    run,
    { entries: rowWith('g3', { leaseToken: '2.1' }) },
    'INV-12',
    'carries the lease token 2.1',
  );
});

function withOwner(fields: Partial<OwnerRecord>): readonly Entry[] {
  const isOwner = (entry: Entry): entry is Extract<Entry, { kind: 'row' }> =>
    entry.kind === 'row' && entry.table === 'owners';
  const last = run().findLast(isOwner);
  if (last === undefined) throw new Error('no owner to doctor');
  return [...run(), { ...last, row: { ...(last.row as object), ...fields } }, committedAt(0)];
}
