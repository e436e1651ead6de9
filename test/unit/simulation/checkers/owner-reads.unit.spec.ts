/** The judge of what rooms' owners answer, before doctored runs. */
import { describe } from 'vitest';
import type { UserId } from '../../../../src/domain/ids.ts';
import { ownerReads } from '../../../simulation/checkers/owner-reads.ts';
import type { CallEnd, Observation, ReadAnswer } from '../../../simulation/observations.ts';
import { editObserved, itSees, observed, refusedAs } from './doctoring.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

type Edit = (list: readonly Entry[]) => readonly Entry[];
type Answered = Extract<Observation, { kind: 'answered' }>;
type ReadEnd = Extract<CallEnd, { kind: 'read' }>;

const inv42 = (title: string, entries: Edit, words: string | RegExp): void =>
  itSees(title, ownerReads, run, { entries }, 'INV-42', words);

/** The first question of that kind about the room, by that user or from above. */
function isRead(kind: string, roomId: string, userId: string) {
  return ({ call: { ask } }: Answered): boolean =>
    ask.kind === 'readOwner' &&
    ask.question.kind === kind &&
    ask.roomId === roomId &&
    ask.userId === userId;
}

/** The answer to a question with some of it changed. */
function answered(
  kind: string,
  fields: (end: ReadEnd) => Partial<ReadEnd>,
  { room = 'r1', by = '' } = {},
): Edit {
  return editObserved('answered', isRead(kind, room, by), (seen) => {
    if (seen.end.kind !== 'read') throw new Error('no answer to doctor');
    return [observed({ ...seen, end: { ...seen.end, ...fields(seen.end) } })];
  });
}

function instead(kind: string, end: CallEnd, { room = 'r3', by = '' } = {}): Edit {
  return editObserved('answered', isRead(kind, room, by), (seen) => [observed({ ...seen, end })]);
}

const saying =
  <Kind extends ReadAnswer['kind']>(fields: Partial<Extract<ReadAnswer, { kind: Kind }>>) =>
  ({ answer }: ReadEnd): Partial<ReadEnd> => ({ answer: { ...answer, ...fields } });

const renamed = (answer: Extract<ReadAnswer, { kind: 'view' }>): ReadAnswer => ({
  ...answer,
  view: { ...answer.view, title: 'another' },
});

describe('INV-42: an answer of a room’s owner', () => {
  inv42(
    'shows everything that was committed before it was asked for',
    answered('audience', ({ version }) => ({ version: version - 1n })),
    /\(audience\) was answered version 24, and the last committed one was 25 when it asked/,
  );
  inv42(
    'shows nothing that is not committed',
    answered('guard', ({ version }) => ({ version: version + 1n })),
    /\(guard\) was answered version 26, and .* is 25/,
  );
  inv42(
    'is given under an epoch that MySQL had in between',
    answered('guard', () => ({ ownerEpoch: 1n })),
    /was answered in epoch 1, and it was 2 when it asked and is 2/,
  );
  inv42(
    'is about what was asked',
    answered('bans', () => ({ answer: { kind: 'guard', refusal: null } })),
    /\(bans\) at version \d+: it is an answer to guard/,
  );
});

describe('INV-42: by the log', () => {
  inv42(
    'the guard lets in who is there',
    answered('guard', saying<'guard'>({ refusal: 'USER_NOT_PRESENT' })),
    /the guard says USER_NOT_PRESENT of u1, and the log yes/,
  );
  inv42(
    'the guard lets nobody else in',
    instead(
      'guard',
      { kind: 'read', version: 0n, ownerEpoch: 2n, answer: { kind: 'guard', refusal: null } },
      { room: 'nowhere' },
    ),
    /the guard says yes of u1, and the log ROOM_NOT_FOUND/,
  );
  inv42(
    'a view shows the room',
    answered(
      'view',
      ({ answer }) => ({
        answer: answer.kind === 'view' ? renamed(answer) : answer,
      }),
      { by: 'u1' },
    ),
    /\(view\) at version 25: it says .*"title":"another".*, and the log makes .*"title":"Evening talk"/,
  );
  inv42(
    'the audience is those who are there',
    answered('audience', saying<'audience'>({ users: [] })),
    /it says \{"hasMore":true,"users":\[\]\}, and the log makes .*"userId":"u1"/,
  );
  inv42(
    'the list of bans is complete',
    answered('bans', saying<'bans'>({ bans: [] }), { room: 'r3' }),
    /it says .*"bans":\[\].*, and the log makes .*"userId":"u7"/,
  );
  inv42(
    'whoever waits for the mic is listed',
    answered('micRequests', saying<'micRequests'>({ requests: [] }), { room: 'r3' }),
    /it says \{"requests":\[\]\}, and the log makes .*"userId":"u3"/,
  );
  inv42(
    'the gift rank counts every coin',
    answered(
      'giftRank',
      saying<'giftRank'>({ places: [{ userId: 'u2' as UserId, coins: 1n, rank: 1 }] }),
    ),
    /\(giftRank\) at version 25: it says .*"coins":"1".*, and the log makes/,
  );
});

describe('INV-42: a refusal', () => {
  inv42(
    'is one that the room gives',
    instead('audience', refusedAs('ROOM_CLOSED')),
    /\(audience\) was refused ROOM_CLOSED, at no version from (\d+) to \1/,
  );
  inv42(
    'is given to who may not know',
    instead('bans', refusedAs('NOT_ROOM_MANAGER'), { by: 'u1' }),
    /\(bans\) was refused NOT_ROOM_MANAGER, at no version/,
  );
  inv42(
    'is not a word of a broken product',
    instead('view', refusedAs('INTERNAL'), { by: 'u1' }),
    /\(view\) was refused INTERNAL/,
  );
  inv42(
    'is not left out',
    (list) => {
      const own = list.find(
        (entry) =>
          entry.kind === 'observed' &&
          entry.observation.kind === 'answered' &&
          isRead('bans', 'r3', '')(entry.observation),
      ) as { observation: Answered };
      return instead('bans', own.observation.end, { by: 'u2' })(list);
    },
    /\(bans\) was answered at version \d+, and it may not know/,
  );
});
