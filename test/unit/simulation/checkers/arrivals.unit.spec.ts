/** The judge of what arrived outside, before doctored runs. */
import { describe } from 'vitest';
import type { OutboxRow } from '../../../../src/drivers/memory/memory-rows.ts';
import { arrivals } from '../../../simulation/checkers/arrivals.ts';
import type { Observation } from '../../../simulation/observations.ts';
import { after, editObserved, itSees, observed } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

type Arrived = Extract<Observation, { kind: 'arrived' }>;

const run = useHealthyRun();

/** Changes of one outbox row in its order. */
function changesOf(match: (row: OutboxRow) => boolean): Extract<Entry, { kind: 'row' }>[] {
  return run().filter(
    (entry): entry is Extract<Entry, { kind: 'row' }> =>
      entry.kind === 'row' && entry.table === 'outbox' && match(entry.row as OutboxRow),
  );
}

const isArrival =
  (version: number, destination = 'activity', room = 'r1', app = 'app1') =>
  (seen: Arrived): boolean =>
    seen.destination === destination &&
    seen.roomId === room &&
    seen.appCode === app &&
    changesOf((row) => row.eventId === seen.eventId).some(
      ({ row }) => (row as OutboxRow).roomVersion === BigInt(version),
    );

describe('INV-17: first arrivals', () => {
  itSees(
    'come in version order',
    arrivals,
    run,
    { entries: () => swapped(isArrival(5), isArrival(6)) },
    'INV-17',
    /version 5.0\) arrived first at activity .* after event .* version 6.0\) had, and was delivering/,
  );
  itSees(
    'leave none out in the middle',
    arrivals,
    run,
    { entries: editObserved('arrived', isArrival(6), () => []) },
    'INV-17',
    /version 6.0\) is delivered for activity and was passed over by later ones/,
  );
  itSees(
    'leave none out at the end',
    arrivals,
    run,
    { entries: editObserved('arrived', isArrival(25), () => []) },
    'INV-17',
    /version 25.0\) is delivered for activity and was never seen there/,
  );
});

describe('INV-17: where a destination blocks', () => {
  itSees(
    'nothing of a room arrives behind a failed row',
    arrivals,
    run,
    { world: { blocking: ['activity'] } },
    'INV-17',
    /arrived at activity .* past event .* \(RoomUserUpdated, .* which had failed and holds back/,
  );
});

describe('INV-18: a repeat', () => {
  itSees(
    'has the bytes of the first arrival',
    arrivals,
    run,
    {
      entries: after('arrived', isArrival(6, 'im'), (seen) => [
        observed({ ...seen, bytes: Buffer.concat([seen.bytes, Buffer.from(' ')]) }),
      ]),
    },
    'INV-18',
    /version 6.0\) arrived again at im .* with other bytes/,
  );
});

describe('INV-20: what is seen outside', () => {
  const arrivedAs = (title: string, fields: Partial<Arrived>, words: string | RegExp): void =>
    itSees(
      title,
      arrivals,
      run,
      { entries: after('arrived', isArrival(6), (seen) => [observed({ ...seen, ...fields })]) },
      'INV-20',
      words,
    );

  arrivedAs(
    'is a committed event',
    { eventId: 'nobody-s' },
    /nobody-s arrived at activity .* is no committed event/,
  );
  arrivedAs(
    'is of its own room',
    { roomId: 'r2' },
    /was given out as one of app1\/r2, and is one of app1\/r1/,
  );
  arrivedAs(
    'has the bytes that were committed',
    { bytes: Buffer.from('{"event_id":"x"}') },
    /says x, .* instead of/,
  );
  itSees(
    'was not put on its topic before it was committed',
    arrivals,
    run,
    { entries: () => [envelopeOnTopic(), ...run()] },
    'INV-20',
    /was put on rig.events.activity \(offset 0\) and is no committed event/,
  );
});

/** The run with two arrivals in the other order. */
function swapped(
  one: (seen: Arrived) => boolean,
  other: (seen: Arrived) => boolean,
): readonly Entry[] {
  const find = (match: (seen: Arrived) => boolean): number =>
    run().findIndex(
      (entry) =>
        entry.kind === 'observed' &&
        entry.observation.kind === 'arrived' &&
        match(entry.observation),
    );
  const [first, second] = [find(one), find(other)];
  const changed = [...run()];
  [changed[first], changed[second]] = [run()[second] as Entry, run()[first] as Entry];
  return changed;
}

function envelopeOnTopic(): Entry {
  const event = run().find((entry) => entry.kind === 'row' && entry.table === 'events');
  const { envelope: value } = (event as { row: { envelope: Uint8Array } }).row;
  const at = { topic: 'rig.events.activity', partition: 0, offset: 0n };
  return observed({ kind: 'appended', atMs: 0, ...at, value });
}
