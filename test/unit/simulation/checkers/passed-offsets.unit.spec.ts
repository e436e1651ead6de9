/** Judges of what was passed, and of "not executed" and "not sent", before doctored runs. */
import { describe } from 'vitest';
import { lookedUp } from '../../../simulation/checkers/looked-up.ts';
import { notSent } from '../../../simulation/checkers/not-sent.ts';
import { passedOffsets } from '../../../simulation/checkers/passed-offsets.ts';
import type { Observation, SentCall } from '../../../simulation/observations.ts';
import {
  codec,
  editObserved,
  editRow,
  isAnswerTo,
  isRowOf,
  itSees,
  observed,
} from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

type Appended = Extract<Observation, { kind: 'appended' }>;

const run = useHealthyRun();

describe('INV-11: an offset, when it is passed', () => {
  itSees(
    'has the row of a command that nobody can have refused',
    passedOffsets,
    run,
    { entries: () => editRow('log', isRowOf('leave-u4'), () => null)(run()) },
    'INV-11',
    /LeaveRoom leave-u4 was passed by the applied offset .* nobody can have refused it/,
  );
  itSees(
    'has no row when its caller was told a refusal',
    passedOffsets,
    run,
    { entries: () => withRefusalOf('leave-u4') },
    'INV-11',
    /leave-u4 has its row \(applied, epoch 2\), and its caller was told ROOM_BUSY/,
  );
  itSees(
    'is settled when its caller is told a refusal',
    passedOffsets,
    run,
    { entries: () => withoutOwners(run()) },
    'INV-11',
    /the caller of x\d was told \w+ at .* ms, and a new owner would execute it/,
  );
});

describe('INV-4: a look-up that says "not executed"', () => {
  itSees(
    'is followed by no row of what lay on the topic',
    lookedUp,
    run,
    { entries: () => [...run(), ...toldNotExecuted('g1')] },
    'INV-4',
    /was told that g1 was not executed; its record lay at offset .* and ended applied/,
  );
});

describe('INV-3: a call that sent nothing', () => {
  const isAnswer = isAnswerTo('leave-u4');
  itSees(
    'has no record on the topic',
    notSent,
    run,
    {
      entries: () =>
        editObserved('answered', isAnswer, (seen) => [
          observed({ ...seen, end: { kind: 'notSent', reason: 'UNAVAILABLE' } }),
        ])(run()),
    },
    'INV-3',
    /leave-u4 lies on the topic in 1 sendings, and 0 calls may have sent it \(call \d+: notSent\)/,
  );
});

/** The run with a refusing reply to the record of a stored command at its end. */
function withRefusalOf(commandId: string): readonly Entry[] {
  const stored = run().find(
    (entry) =>
      entry.kind === 'row' && entry.table === 'log' && isRowOf(commandId)(entry.row as never),
  );
  const { partition, kafkaOffset } = (stored as { row: { partition: number; kafkaOffset: bigint } })
    .row;
  const appended = run().flatMap((entry) =>
    entry.kind === 'observed' && entry.observation.kind === 'appended' ? [entry.observation] : [],
  );
  const record = appended.find(
    (each) => each.partition === partition && each.offset === kafkaOffset && isCommand(each),
  );
  if (record?.headers === undefined) throw new Error('no record to refuse');
  const refusal = { kind: 'refusal', reason: 'ROOM_BUSY', facts: {}, retryAfterMs: 0 } as const;
  const value = codec.encodeReply(refusal);
  const { headers, atMs } = record;
  const at = { topic: 'rig.replies', partition: 0, offset: 9_999n };
  return [...run(), observed({ kind: 'appended', atMs, ...at, headers, value })];
}

/** The same, with nothing ever passed or marked. */
function withoutOwners(all: readonly Entry[]): readonly Entry[] {
  return all.filter(
    (entry) => entry.kind !== 'row' || !['owners', 'settled'].includes(entry.table),
  );
}

function isCommand({ topic }: Appended): boolean {
  return topic.includes('commands');
}

function toldNotExecuted(commandId: string): readonly Entry[] {
  const ask = { kind: 'getCommand', appCode: 'app1', roomId: 'r1', commandId } as const;
  const call: SentCall = { callId: 9_000, client: 'late', gateway: 'gateway-1', sentAtMs: 0, ask };
  const end = { kind: 'lookup', lookup: { kind: 'notExecuted' } } as const;
  return [
    observed({ kind: 'sent', atMs: 0, call }),
    observed({ kind: 'answered', atMs: 0, call, end }),
  ];
}
