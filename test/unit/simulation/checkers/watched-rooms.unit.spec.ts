/** The judge of what watchers of rooms are told, before doctored runs. */
import { describe } from 'vitest';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import type { RoomWatchMessage } from '../../../../src/ports/room-read-api.ts';
import { watchedRooms } from '../../../simulation/checkers/watched-rooms.ts';
import type { AskedWatch, Observation } from '../../../simulation/observations.ts';
import { editObserved, itSees, observed } from './doctoring.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

type Edit = (list: readonly Entry[]) => readonly Entry[];
type Told = Extract<Observation, { kind: 'watchTold' }>;
type Message<Kind> = Extract<RoomWatchMessage, { kind: Kind }>;

const inv44 = (title: string, entries: Edit, words: string | RegExp): void =>
  itSees(title, watchedRooms, run, { entries }, 'INV-44', words);

const isBy =
  (by: string) =>
  ({ watch }: { readonly watch: AskedWatch }): boolean =>
    watch.userId === by;

/** The first such message of a watcher is told as these. */
function told<Kind extends RoomWatchMessage['kind']>(
  kind: Kind,
  change: (message: Message<Kind>) => readonly RoomWatchMessage[],
  by = '',
): Edit {
  const isIt = (seen: Told): boolean => seen.message.kind === kind && isBy(by)(seen);
  return editObserved('watchTold', isIt, (seen) =>
    change(seen.message as Message<Kind>).map((message) => observed({ ...seen, message })),
  );
}

/** All streams are those of another asker. */
const askedBy =
  (fields: (watch: AskedWatch) => Partial<AskedWatch>, of = ''): Edit =>
  (list) =>
    list.map((entry) => {
      if (entry.kind !== 'observed' || !('watch' in entry.observation)) return entry;
      const { watch } = entry.observation;
      if (watch.userId !== of || watch.afterVersion === 0n) return entry;
      return observed({ ...entry.observation, watch: { ...watch, ...fields(watch) } });
    });

const stepWith =
  (fields: (step: Message<'step'>['step']) => Partial<Message<'step'>['step']>) =>
  (message: Message<'step'>): readonly RoomWatchMessage[] => [
    { ...message, step: { ...message.step, ...fields(message.step) } },
  ];

describe('INV-44: a watcher is told', () => {
  inv44(
    'every version, without a gap',
    told('step', () => []),
    /version 24 is told behind version 22/,
  );
  inv44(
    'no version twice',
    told('step', (message) => [message, message]),
    /version 23 is told behind version 23/,
  );
  inv44(
    'what is committed, and nothing else',
    told('view', (message) => [
      message,
      { kind: 'step', step: { version: 26n as RoomVersion, occurredAtMs: 0, events: [] } },
    ]),
    /version 26 is told, and is not committed/,
  );
  inv44(
    'all events of a version',
    told(
      'step',
      stepWith(() => ({ events: [] })),
    ),
    /version 23 is told as \[\], and is \[RoomUserUpdated\]/,
  );
  inv44(
    'events with their own ids',
    told(
      'step',
      stepWith(({ events }) => ({ events: events.map((event) => ({ ...event, eventIndex: 7 })) })),
    ),
    /an event of version 23: it is told as \S+,RoomUserUpdated,7, and stored as \S+,0/,
  );
  inv44(
    'events with their own contents',
    told(
      'step',
      stepWith(({ events }) => ({
        events: events.map((event) => ({ ...event, text: event.text.replace('name', 'eman') })),
      })),
    ),
    /an event of version 23: it says .*eman.*, and the stored one/,
  );
  inv44(
    'the room before what changes it',
    told('resumed', () => []),
    'version 23 is told before the room',
  );
  inv44(
    'nothing behind the end',
    told('resumed', (message) => [
      { kind: 'end', end: { reason: 'DRAINING', resumeAfterVersion: 22n as RoomVersion } },
      message,
    ]),
    'something is told behind the end: resumed',
  );
});

describe('INV-44: a room is shown', () => {
  inv44(
    'as the log makes it',
    told('view', ({ view }) => [{ kind: 'view', view: { ...view, title: 'another' } }]),
    /version 25 is shown as .*"title":"another".*, and the log makes .*"title":"Evening talk"/,
  );
  inv44(
    'as it was when it was asked for, or later',
    told('view', ({ view }) => [{ kind: 'view', view: { ...view, version: 24n as RoomVersion } }]),
    /the room is shown at version 24, where at least 25 was committed, and 25 is/,
  );
  inv44(
    'anew to nobody who can go on',
    (list) => {
      const view = list.find(
        (entry) =>
          entry.kind === 'observed' &&
          entry.observation.kind === 'watchTold' &&
          entry.observation.message.kind === 'view',
      ) as { observation: Told };
      return told('resumed', () => [view.observation.message])(list);
    },
    /the room is shown anew at 25 to who goes on behind 22/,
  );
  inv44(
    'to no user who is not there',
    askedBy(() => ({ userId: 'u9' }), 'u2'),
    /u9 is told version 23, and was not there before it/,
  );
});

describe('INV-44: a stream', () => {
  inv44(
    'goes on from a version that was told',
    askedBy(() => ({ afterVersion: 0n })),
    'it goes on where nothing was told before',
  );
  inv44(
    'says where to go on',
    told('resumed', () => [
      { kind: 'end', end: { reason: 'NOT_OWNER', resumeAfterVersion: 23n as RoomVersion } },
    ]),
    'it is to go on behind 23, and was told 22',
  );
  inv44(
    'ends for good with the room alone',
    told('resumed', () => [
      { kind: 'end', end: { reason: 'ROOM_CLOSED', resumeAfterVersion: 22n as RoomVersion } },
    ]),
    'it ends with ROOM_CLOSED at version 22, where the room is active',
  );
  inv44(
    'is refused as the room refuses',
    editObserved('watchStopped', isBy('u9'), (seen) => [
      observed({ ...seen, stop: { kind: 'failed', reason: 'USER_BANNED' } }),
    ]),
    'it fails with USER_BANNED, at no version from 25 to 25',
  );
});
