/** The judge of removals from RTC, before doctored runs. */
import { describe, expect, it } from 'vitest';
import { putOut } from '../../../simulation/checkers/put-out.ts';
import type { Observation } from '../../../simulation/observations.ts';
import { after, itSees, observed } from './doctoring.ts';
import { judged, type Doctoring } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

const inv45 = (title: string, doctoring: Doctoring, words: string | RegExp): void =>
  itSees(title, putOut, run, doctoring, 'INV-45', words);

const place = { appCode: 'app1', roomId: 'r3' } as const;
const world = { guardWordMs: 1_400 };

/** Of the command that kicked u2 out of r3, which comes back no more. */
const isKick = ({ call: { ask } }: Extract<Observation, { kind: 'answered' }>): boolean =>
  ask.kind === 'command' && ask.meta.commandId === 'kick';

const isJoin = ({ call: { ask } }: Extract<Observation, { kind: 'answered' }>): boolean =>
  ask.kind === 'command' && ask.meta.roomId === 'r3' && ask.meta.commandId === 'j3';

/** A removal so long behind the answer to the kick. */
const putOutBehindKick = (userId: string, behindMs: number) =>
  after('answered', isKick, ({ atMs }) => [
    observed({ kind: 'putOut', atMs: atMs + behindMs, pod: 'adapter-im-1', ...place, userId }),
  ]);

const enteredBehind = (match: typeof isKick, byMs = -1) =>
  after('answered', match, ({ atMs }) => [
    observed({ kind: 'rtcEntered', atMs: atMs + byMs, ...place, userId: 'u2' }),
  ]);

const inside = { ...world, rtcRooms: () => [{ ...place, users: ['u2'] }] };

const found = (doctoring: Doctoring): readonly string[] =>
  judged([putOut], run(), doctoring).map(({ text }) => text);

describe('INV-45: a removal from RTC', () => {
  inv45(
    'takes nobody out who may be there',
    { world, entries: putOutBehindKick('u3', 3_000) },
    /adapter-im-1 puts u3 out at \d+ ms, who was allowed there from version \d+ on/,
  );
  it('takes out who was kicked', () => {
    expect(found({ world, entries: putOutBehindKick('u2', 10) })).toEqual([]);
  });
  it('may follow a word of the guard that is not too old', () => {
    expect(found({ world, entries: joined(1_000) })).toEqual([]);
  });
  inv45(
    'does not follow an older word',
    { world, entries: joined(2_000) },
    /puts u2 out at \d+ ms, who was allowed there/,
  );
});

describe('INV-45: at rest', () => {
  inv45(
    'nobody is inside who was there when it was kicked',
    { world: inside, entries: enteredBehind(isJoin) },
    /u2 is in RTC at rest, and was to be put out \(RoomUserKicked, version \d+, row delivered\)/,
  );
  it('whoever entered later is not looked for', () => {
    expect(found({ world: inside, entries: enteredBehind(isKick, 1) })).toEqual([]);
  });
  it('a removal that RTC refused for good leaves its user inside', () => {
    const refused = (list: readonly Entry[]): readonly Entry[] =>
      enteredBehind(isJoin)(list).map((entry) => {
        if (entry.kind !== 'row' || entry.table !== 'outbox') return entry;
        const row = entry.row as { readonly destination: string };
        return row.destination === 'rtc' ? { ...entry, row: { ...row, status: 'failed' } } : entry;
      });
    expect(found({ world: inside, entries: refused })).toEqual([]);
  });
});

/** u2 is put out so long behind its join, before which it was not there. */
function joined(behindMs: number) {
  return after('answered', isJoin, ({ atMs }) => [
    observed({
      kind: 'putOut',
      atMs: atMs + behindMs,
      pod: 'adapter-im-1',
      ...place,
      userId: 'u2',
    }),
  ]);
}
