/** The judge of bans from groups, before doctored runs: u7 is banned from r3 for ever, u2 no more. */
import { describe, expect, it } from 'vitest';
import { groupBans } from '../../../simulation/checkers/group-bans.ts';
import { itSees } from './doctoring.ts';
import { judged, type Doctoring } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();
const foreverMs = 10 ** 13;

type Held = Readonly<Record<string, number>>;

/** The group of r3 keeps these users out; the first room to come has a group of its own without a ban. */
const holding = (held: Held | null, entries?: Doctoring['entries']): Doctoring => ({
  world: {
    groupBans: (app, room) => {
      if (app !== 'app1' || room !== 'r3') return new Map();
      return held === null ? null : new Map(Object.entries(held));
    },
  },
  ...(entries === undefined ? {} : { entries }),
});

const inv52 = (title: string, doctoring: Doctoring, words: RegExp): void =>
  itSees(title, groupBans, run, doctoring, 'INV-52', words);

const found = (doctoring: Doctoring): readonly string[] =>
  judged([groupBans], run(), doctoring).map(({ text }) => text);

/** The rows of IM about bans have ended so. */
const ended =
  (eventType: string, status: string | null) =>
  (list: readonly Entry[]): readonly Entry[] =>
    list.flatMap((entry) => {
      if (entry.kind !== 'row' || entry.table !== 'outbox' || entry.row === undefined) return entry;
      const row = entry.row as { readonly destination: string; readonly eventType: string };
      if (row.destination !== 'im' || row.eventType !== eventType) return entry;
      return status === null ? [] : { ...entry, row: { ...row, status } };
    });

describe('INV-52: the group of a room', () => {
  it('keeps out whom the room has banned, and nobody else', () => {
    expect(found(holding({ u7: foreverMs }))).toEqual([]);
  });
  inv52(
    'keeps out whom the room has banned',
    holding({}),
    /u7 is banned from the room and not from its group at rest \(version \d+\)/,
  );
  inv52('keeps them out even if it was never made', holding(null), /u7 is banned from the room/);
  inv52(
    'keeps them out for as long',
    holding({ u7: 1_700_000_000_000 }),
    /u7 may enter the group at 1700000000000 ms, before its ban ends/,
  );
  inv52(
    'lets in again whose ban has ended',
    holding({ u7: foreverMs, u2: foreverMs }),
    /u2 is banned from the group alone at rest \(version \d+\)/,
  );
  inv52(
    'keeps out nobody of whom nothing was said',
    holding({ u7: foreverMs, u9: foreverMs }),
    /u9 is banned from the group alone at rest \(nothing said of it\)/,
  );
  it('knows nothing of what was refused for good or given up', () => {
    for (const status of ['failed', null]) {
      const kick = ended('RoomUserKicked', status);
      const unban = ended('RoomUserUnbanned', status);
      expect(found(holding({}, kick))).toEqual([]);
      expect(found(holding({ u7: foreverMs, u2: foreverMs }, unban))).toEqual([]);
    }
  });
  it('is not looked at where nobody can say whom it keeps out', () => {
    expect(found({})).toEqual([]);
  });
});
