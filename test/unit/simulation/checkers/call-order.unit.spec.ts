/** Judges of when calls were answered, and how, before doctored runs. */
import { describe } from 'vitest';
import { orderInTime } from '../../../simulation/checkers/order-in-time.ts';
import { settledCalls } from '../../../simulation/checkers/settled-calls.ts';
import {
  after,
  answeredAs,
  editObserved,
  editRow,
  isAnswerTo,
  isRowOf,
  isSent,
  itSees,
  observed,
  refusedAs,
} from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

describe('INV-6: real time', () => {
  itSees(
    'orders what was sent after an answer behind it',
    orderInTime,
    run,
    { entries: (list) => sentLate(list) },
    'INV-6',
    /g1 was sent after call \d+ had been answered version 10, and made version 9/,
  );
  itSees(
    'holds for commands without effect too',
    orderInTime,
    run,
    { entries: editRow('log', isRowOf('g2'), (row) => ({ ...row, decidedVersion: 3n as never })) },
    'INV-6',
    /g2 was sent after call \d+ had been answered version 9, and was decided at version 3/,
  );
});

describe('INV-7: a client', () => {
  const shown = (commandId: string, version: bigint) =>
    editObserved('answered', isAnswerTo(commandId), (seen) => {
      if (seen.end.kind !== 'ok' || seen.end.view === null) throw new Error('no view');
      return [
        observed({
          ...seen,
          end: { ...seen.end, view: { ...seen.end.view, version: version as never } },
        }),
      ];
    });

  itSees(
    'never reads below its own answered write',
    orderInTime,
    run,
    {
      entries: editObserved(
        'answered',
        ({ end }) => end.kind === 'snapshot',
        (seen) => {
          if (seen.end.kind !== 'snapshot') throw new Error('no view');
          return [
            observed({
              ...seen,
              end: { ...seen.end, view: { ...seen.end.view, version: 5n as never } },
            }),
          ];
        },
      ),
    },
    'INV-7',
    /call 1000 of client-u4 was shown version 5 after call \d+ had told it of version 24/,
  );
  itSees(
    'is not shown a room older than the result beside it',
    orderInTime,
    run,
    { entries: shown('g3', 9n) },
    'INV-7',
    /was shown version 9 beside its own result of version 10/,
  );
  itSees(
    'is shown nothing that is not committed',
    orderInTime,
    run,
    { entries: shown('g3', 11n) },
    'INV-7',
    /was shown version 11 while version 10 is the last committed one/,
  );
});

describe('INV-13: a call', () => {
  itSees(
    'is settled once',
    settledCalls,
    run,
    { entries: after('answered', isAnswerTo('g3'), (seen) => [observed(seen)]) },
    'INV-13',
    /call \d+ of client-u2 \(command\) was answered ok and at \d+ ms ok again/,
  );
  itSees(
    'is settled after it was sent',
    settledCalls,
    run,
    { entries: editObserved('sent', isSent('g3'), () => []) },
    'INV-13',
    'had never been sent',
  );
  itSees(
    'is settled by an answer about its own room',
    settledCalls,
    run,
    {
      entries: editObserved('answered', isAnswerTo('g3'), (seen) => {
        if (seen.end.kind !== 'ok' || seen.end.view === null) throw new Error('no view');
        const view = { ...seen.end.view, appCode: 'app2' as never };
        return [observed({ ...seen, end: { ...seen.end, view } })];
      }),
    },
    'INV-13',
    'was shown the room app2/r1',
  );
  itSees(
    'is settled by an answer of its own kind',
    settledCalls,
    run,
    { entries: answeredAs('g3', { kind: 'heartbeatTaken' }) },
    'INV-13',
    'answered like another kind of call: heartbeatTaken',
  );
});

describe('INV-15: a command past its deadline', () => {
  itSees(
    'is not started',
    settledCalls,
    run,
    {
      entries: editRow('log', isRowOf('leave-u4'), (row) => ({
        ...row,
        decidedAtMs: row.decidedAtMs + 60_000,
      })),
    },
    'INV-15',
    /leave-u4 lay on \d\/\d+ since \d+ ms for at most 5000 ms, and was decided at \d+ ms by b/,
  );
  itSees(
    'that had run before answers its stored end',
    settledCalls,
    run,
    {
      entries: after('answered', isAnswerTo('g3'), (seen) => {
        const call = { ...seen.call, callId: 2_000 };
        return [
          observed({ kind: 'sent', atMs: seen.atMs, call }),
          observed({ ...seen, call, end: refusedAs('EXPIRED') }),
        ];
      }),
    },
    'INV-15',
    'was refused as EXPIRED although its command had its row before it was sent',
  );
});

/** g1 was first sent only after g3 had been answered. */
function sentLate(list: readonly Entry[]): readonly Entry[] {
  const isSending = (entry: Entry): boolean =>
    entry.kind === 'observed' &&
    entry.observation.kind === 'sent' &&
    isSent('g1')(entry.observation);
  const sending = list.filter(isSending);
  const rest = list.filter((entry) => !isSending(entry));
  return after('answered', isAnswerTo('g3'), () => sending)(rest);
}
