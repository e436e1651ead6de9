/** The judge of the outbox's rows, before doctored runs. */
import { describe } from 'vitest';
import type { OutboxRow } from '../../../../src/drivers/memory/memory-rows.ts';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { outboxRows } from '../../../simulation/checkers/outbox-rows.ts';
import { committedAt, itSees, editRow } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

/** Changes of one outbox row in its order. */
function changesOf(match: (row: OutboxRow) => boolean): Extract<Entry, { kind: 'row' }>[] {
  return run().filter(
    (entry): entry is Extract<Entry, { kind: 'row' }> =>
      entry.kind === 'row' && entry.table === 'outbox' && match(entry.row as OutboxRow),
  );
}

/** The run with one more change of the last state of the first row that ends so. */
function withChange(
  status: OutboxRow['status'],
  fields: Partial<OutboxRow>,
  alsoBefore: Partial<OutboxRow> = {},
): readonly Entry[] {
  const at = run().findIndex(
    (entry) =>
      entry.kind === 'row' &&
      entry.table === 'outbox' &&
      (entry.row as OutboxRow).status === status,
  );
  const entry = run()[at] as Extract<Entry, { kind: 'row' }>;
  const before = { ...(entry.row as OutboxRow), ...alsoBefore };
  const more = { ...entry, row: { ...before, ...fields } };
  const rest = run()
    .slice(at + 1)
    .filter((each) => each.kind !== 'row' || each.key !== entry.key);
  return [...run().slice(0, at), { ...entry, row: before }, more, committedAt(nowMs), ...rest];
}

const nowMs = 1_700_000_016_000;

const endedAs =
  (fields: Partial<OutboxRow>) =>
  ({ database }: CheckedWorld): void => {
    const [row] = database.outbox.values();
    if (row !== undefined) database.outbox.set(row.rowId, { ...row, ...fields });
  };

describe('INV-16: in the end an outbox row', () => {
  const stuck = { status: 'delivering', workerId: 'relay-1', lockUntilMs: 5 } as const;
  const title = 'is not left in the hands of a worker';
  const words =
    /outbox row 1 \(RoomCreated, version 1.0, im\) is delivering at the end .* claimed by relay-1 until 5 ms/;
  itSees(title, outboxRows, run, { beforeEnd: endedAs(stuck) }, 'INV-16', words);
  itSees(
    'is not failed without a reason',
    outboxRows,
    run,
    { beforeEnd: endedAs({ status: 'failed', lastError: '' }) },
    'INV-16',
    'is failed at the end',
  );
});

describe('INV-19: an outbox row', () => {
  const edge = (
    title: string,
    from: OutboxRow['status'],
    fields: Partial<OutboxRow>,
    words: string | RegExp,
    alsoBefore: Partial<OutboxRow> = {},
  ): void =>
    itSees(
      title,
      outboxRows,
      run,
      { entries: () => withChange(from, fields, alsoBefore), world: { maxRetryCount: 3 } },
      'INV-19',
      words,
    );

  edge(
    'does not come back from its end',
    'delivered',
    { status: 'pending' },
    'went from delivered to pending',
  );
  edge(
    'is not retried before it was sent',
    'pending',
    { status: 'retryable' },
    'went from pending to retryable',
  );
  edge(
    'keeps its identity',
    'pending',
    { status: 'delivering', destination: 'rtc' },
    'changed its destination to rtc',
  );
  edge(
    'never forgets a try',
    'retryable',
    { status: 'delivering', retryCount: 0 },
    'from 1 to 0 tries',
  );
  edge(
    'counts one try at a time',
    'delivering',
    { status: 'retryable', retryCount: 2 },
    'from 0 to 2 tries',
  );
  edge(
    'is failed at the maximum',
    'delivering',
    { status: 'retryable', retryCount: 3 },
    'is retryable after 3 of at most 3 tries',
    { retryCount: 2 },
  );
  edge(
    'does not fail without a try that is counted',
    'delivering',
    { status: 'failed', lastError: 'refused', startedCount: 0 },
    'failed without a try being counted: 0 tries before and after',
  );
});

describe('INV-19: a failed row that is sent again', () => {
  const again = { status: 'pending', claimToken: '', startedCount: 0, retryCount: 0 } as const;
  const had = { operatorHad: () => true };
  itSees(
    'is so by an operator alone',
    outboxRows,
    run,
    { entries: () => withChange('failed', again) },
    'INV-19',
    'went from failed to pending',
  );
  itSees(
    'begins anew',
    outboxRows,
    run,
    { entries: () => withChange('failed', { ...again, retryCount: 1 }), world: had },
    'INV-19',
    /was sent again by an operator and begins with 1 tries/,
  );
});

describe('INV-19: a new outbox row', () => {
  itSees(
    'waits and has not been tried',
    outboxRows,
    run,
    {
      entries: editRow(
        'outbox',
        ({ status }) => status === 'pending',
        (row) => ({ ...row, status: 'retryable', retryCount: 1 }),
      ),
    },
    'INV-19',
    /began as retryable with 1 tries/,
  );
});

describe('INV-21: a claim', () => {
  const lockUntilMs = nowMs + 60_000;
  itSees(
    'is not taken while another one is valid',
    outboxRows,
    run,
    {
      entries: () =>
        withChange('delivering', { claimToken: 'another', workerId: 'relay-2' }, { lockUntilMs }),
    },
    'INV-21',
    /was claimed by relay-2 \(another\) .* and relay-1 holds it \(claim-\d+\) until/,
  );
  itSees(
    'is the only one of its stream',
    outboxRows,
    run,
    { entries: () => claimedApart({ lockUntilMs }) },
    'INV-21',
    /was claimed as another while outbox row \d+ .* of the same stream is under way as claim-\d+/,
  );
  itSees(
    'begins at the oldest unfinished row',
    outboxRows,
    run,
    { entries: () => claimedApart({ status: 'pending', claimToken: '' }) },
    'INV-21',
    /was claimed past outbox row \d+ .* which is pending/,
  );
  itSees(
    'goes past no failed row where that blocks',
    outboxRows,
    run,
    { world: { blocking: ['activity'] } },
    'INV-21',
    /was claimed past outbox row \d+ .* which has failed and holds back/,
  );
  itSees(
    'is ended by nobody who has not started its rows',
    outboxRows,
    run,
    { entries: () => withChange('delivering', { status: 'retryable', retryCount: 1 }) },
    'INV-21',
    /was marked retryable under the claim claim-\d+ of relay-1, which has never started it/,
  );
});

/** The second row of the first run is claimed by somebody else, while the first one is `head`. */
function claimedApart(head: Partial<OutboxRow>): readonly Entry[] {
  const claims = changesOf((row) => row.status === 'delivering');
  const [first] = claims;
  const token = (first?.row as OutboxRow).claimToken;
  const second = claims.find(
    ({ key, row }) => key !== first?.key && (row as OutboxRow).claimToken === token,
  );
  if (first === undefined || second === undefined) throw new Error('no run to doctor');
  const at = run().indexOf(first);
  const apart = { ...second, row: { ...(second.row as OutboxRow), claimToken: 'another' } };
  const changed = { ...first, row: { ...(first.row as OutboxRow), ...head } };
  return [...run().slice(0, at), changed, committedAt(nowMs), apart, committedAt(nowMs)];
}
