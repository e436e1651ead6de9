/** The judge of who asked for what, before doctored runs. */
import { describe, expect, it } from 'vitest';
import { sentCommands } from '../../../simulation/checkers/sent-commands.ts';
import type { Observation, SentCall } from '../../../simulation/observations.ts';
import {
  after,
  answeredAs,
  both,
  editObserved,
  editRow,
  isAnswerTo,
  isRowOf,
  isSent,
  itSees,
  observed,
  refusedAs,
} from './doctoring.ts';
import { judged } from './judged-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

type Sent = Extract<Observation, { kind: 'sent' }>;

const run = useHealthyRun();

const asked = (seen: Sent, request: object): SentCall => {
  const { ask } = seen.call;
  if (ask.kind !== 'command') throw new Error('no command');
  return {
    ...seen.call,
    ask: { ...ask, request: { ...ask.request, ...request } },
  };
};

describe('INV-3: a row', () => {
  itSees(
    'comes from a command that some client sent',
    sentCommands,
    run,
    { entries: editObserved('sent', isSent('leave-u4'), () => []) },
    'INV-3',
    /leave-u4 is stored as .*LeaveRoom.*which no client sent \(no call at all\)/,
  );
  itSees(
    'comes from a command with the same fields',
    sentCommands,
    run,
    {
      entries: editObserved('sent', isSent('g3'), (seen) => [
        observed({ ...seen, call: asked(seen, { giftCount: 2 }) }),
      ]),
    },
    'INV-3',
    /g3 is stored as .*"giftCount":"1".* which no client sent/,
  );
  itSees(
    'never comes from a call that was certainly not sent',
    sentCommands,
    run,
    { entries: answeredAs('leave-u4', { kind: 'notSent', reason: 'UNAVAILABLE' }) },
    'INV-3',
    /leave-u4 .* which no client sent \(call \d+: notSent\)/,
  );
  itSees(
    'is stored under the payload hash of its record',
    sentCommands,
    run,
    {
      entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, payloadHash: Buffer.alloc(32) })),
    },
    'INV-3',
    'g3 is stored under another payload hash than its record has',
  );
  itSees(
    'is stored under the type and the user of its record',
    sentCommands,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, commandType: 'MicUp' })) },
    'INV-3',
    'g3 is stored as MicUp of u2 and was sent as SendGift of u2',
  );
  itSees(
    'names the offset of its record',
    sentCommands,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, kafkaOffset: 0n })) },
    'INV-3',
    /g3 names offset \d\/0, which holds c1/,
  );
  itSees(
    'without an offset is a command of the room itself',
    sentCommands,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, kafkaOffset: null })) },
    'INV-3',
    'g3 by u2 at version 10 has no offset and is no command of the room itself',
  );
  itSees(
    'of a rejected command changed nothing',
    sentCommands,
    run,
    { entries: editRow('log', isRowOf('g3'), (row) => ({ ...row, outcome: 'rejected' })) },
    'INV-3',
    'g3 ended rejected and has an event that was sent out',
  );
});

describe('INV-4: an id', () => {
  itSees(
    'with another payload is not answered the stored end',
    sentCommands,
    run,
    {
      entries: both(
        after('answered', isAnswerTo('g3'), (seen) => {
          const { ask } = seen.call;
          if (ask.kind !== 'command') throw new Error('no command');
          const meta = { ...ask.meta, actorUserId: 'u3' };
          const call = { ...seen.call, callId: 2_000, ask: { ...ask, meta } };
          return [observed({ kind: 'sent', atMs: seen.atMs, call }), observed({ ...seen, call })];
        }),
      ),
    },
    'INV-4',
    /call 2000 of client-u2 for g3 asked for u3: .* and was answered the end of u2: /,
  );
  itSees(
    'is not refused to the very command that used it',
    sentCommands,
    run,
    { entries: answeredAs('g3', refusedAs('COMMAND_ID_REUSED')) },
    'INV-4',
    /g3 was refused as COMMAND_ID_REUSED, and it is the very command that used the id/,
  );
  itSees(
    'is not refused as used when it never was',
    sentCommands,
    run,
    { entries: answeredAs('x2', refusedAs('COMMAND_ID_REUSED'), 'none') },
    'INV-4',
    /x2 was refused as COMMAND_ID_REUSED, and the id was never used/,
  );
  itSees(
    'stays free after refusals that are not stored',
    sentCommands,
    run,
    { entries: answeredAs('leave-u4', refusedAs('ROOM_BUSY')) },
    'INV-4',
    /leave-u4 was refused \(ROOM_BUSY\) in all 1 calls, its id left free, and was executed all the same/,
  );
  // Seed 4606: a callback whose three produces had no answer, and one of them was stored.
  it('may be used after refusals that do not know whether they produced', () => {
    const end = refusedAs('UNAVAILABLE', { produced: 'unknown' });
    const doctoring = { entries: answeredAs('leave-u4', end) };
    expect(judged([sentCommands], run(), doctoring)).toEqual([]);
  });
});
