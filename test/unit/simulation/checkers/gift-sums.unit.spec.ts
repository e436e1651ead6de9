/** The judge of heat, rank and sums, before doctored runs. */
import { describe } from 'vitest';
import type { RoomEvent } from '../../../../src/domain/room/events.ts';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import { giftSums } from '../../../simulation/checkers/gift-sums.ts';
import {
  codec,
  editObserved,
  editRow,
  isAnswerTo,
  isRowOf,
  itSees,
  observed,
  resultWith,
} from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import type { Entry } from './recorded-run.ts';

const run = useHealthyRun();

/** The logged events of a row, changed. */
const eventsWith = (row: LogRow, change: (event: RoomEvent) => RoomEvent): LogRow => {
  const decoded = codec.decodeLoggedEvents(row.events ?? new Uint8Array());
  if (!decoded.ok) throw new Error(decoded.fault);
  return { ...row, events: codec.encodeLoggedEvents(decoded.value.map(change)) };
};

const gift =
  (fields: object) =>
  (event: RoomEvent): RoomEvent => ({ ...event, ...fields });

describe('INV-23: heat, rank and sums', () => {
  const sees = (
    title: string,
    doctoring: Parameters<typeof itSees>[3],
    words: string | RegExp,
  ): void => itSees(title, giftSums, run, doctoring, 'INV-23', words);

  sees(
    'are in the rooms row what the log makes',
    {
      entries: (list) =>
        list.map((entry) =>
          isRoomRow(entry) ? { ...entry, row: { ...(entry.row as object), heat: 7n } } : entry,
        ),
    },
    /heat is 7 in the rooms row and 40 in the list, and the log makes 40 at version 9/,
  );
  sees(
    'are in the result of the gift what the log makes',
    {
      entries: editRow('log', isRowOf('g3'), (row) => ({
        ...row,
        result: resultWith(row, { fields: { roomHeat: 50n, giftRank: [] } }),
      })),
    },
    /the result of g3 ranks \[\], and the log makes \[\{"coins":"40","rank":"1","userId":"u1"\}/,
  );
  sees(
    'are the price times the count',
    { entries: editRow('log', isRowOf('g3'), (row) => eventsWith(row, gift({ unitPrice: 9n }))) },
    'g3 gave 1 at 9 for 10 coins',
  );
  sees(
    'are in a view what the log makes',
    {
      entries: editObserved('answered', isAnswerTo('g3'), (seen) => {
        if (seen.end.kind !== 'ok' || seen.end.view === null) throw new Error('no view');
        return [
          observed({ ...seen, end: { ...seen.end, view: { ...seen.end.view, roomHeat: 3n } } }),
        ];
      }),
    },
    /the view of call \d+ \(client-u2\) says heat 3, and the log makes 50 at version 10/,
  );
  sees(
    'are in the last words of a room what the log makes',
    {
      entries: editRow('log', isRowOf('x1', 'r2'), (row) =>
        eventsWith(row, (event) =>
          event.type === 'RoomClosed' ? { ...event, finalHeat: 4n } : event,
        ),
      ),
    },
    'x1 closed the room with heat 4, and it had 0',
  );
  sees(
    'are in the statistics what the log makes',
    {
      beforeEnd: ({ database }) => {
        const row = database.giftStats.get('app1\0r1\0u2');
        if (row !== undefined)
          database.giftStats.set('app1\0r1\0u2', { ...row, receivedCoins: 0n });
      },
    },
    /the sums of u2 are stored as .*"receivedCoins":"0".* and the log makes .*"receivedCoins":"20"/,
  );
  sees(
    'are by weeks what the log makes',
    {
      beforeEnd: ({ database }) => {
        const [key, row] = [...database.roomWeeks][0] ?? [];
        if (key !== undefined && row !== undefined) {
          database.roomWeeks.set(key, { ...row, coins: row.coins + 1n });
        }
      },
    },
    /2023-W46 is stored with 51 coins in 5 gifts, and the log makes 50 in 5/,
  );
  sees(
    'are by days what the log makes (LB-4)',
    {
      beforeEnd: ({ database }) => {
        const [key, row] = [...database.roomDays][0] ?? [];
        if (key === undefined || row === undefined) throw new Error('no day to doctor');
        database.roomDays.set(key, { ...row, giftCount: row.giftCount + 1n });
      },
    },
    /2023-11-\d\d is stored with 50 coins in 6 gifts, and the log makes 50 in 5/,
  );
  sees(
    'lie in the week of the time at which the log keeps the gift (LB-3)',
    {
      beforeEnd: ({ database }) => {
        const [key, row] = [...database.userWeeks][0] ?? [];
        if (key === undefined || row === undefined) throw new Error('no week to doctor');
        database.userWeeks.delete(key);
        database.userWeeks.set(key.replace('W46', 'W47'), { ...row, isoWeek: '2023-W47' });
      },
    },
    /2023-W47 of u\d is stored with \d+ coins in \d gifts, and the log makes 0 in 0/,
  );
});

function isRoomRow(entry: Entry): entry is Extract<Entry, { kind: 'row' }> {
  return (
    entry.kind === 'row' &&
    entry.table === 'rooms' &&
    entry.key === 'app1\0r1' &&
    (entry.row as { version: bigint }).version === 9n
  );
}
