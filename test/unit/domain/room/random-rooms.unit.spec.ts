/**
 * Random sequences of every command and timer against one room. After every command: all invariants
 * hold, an applied command steps the version by one, counts are sizes (INV-29), and a deadline that
 * has come is met. Afterwards the room is built again from its log alone, and from a snapshot of any
 * version with the log behind it, through the bytes that are stored: it must be the live one, byte
 * for byte (INV-8, TST-18).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evolveCommand } from '../../../../src/domain/room/evolve.ts';
import { initialRoomState } from '../../../../src/domain/room/initial-state.ts';
import type { RoomState } from '../../../../src/domain/room/state.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { assert } from '../../../../src/kernel/assert.ts';
import {
  charged,
  closeRoom,
  createRoom,
  deleteRoom,
  joinRoom,
  verdict,
} from '../../../support/command-builders.ts';
import { app, asUser, owner, profileOf, room } from '../../../support/room-builders.ts';
import { cases } from '../command-by-state.cases.ts';
import type { Run } from './random-run.ts';
import { newRun, take, takeStep } from './random-run.ts';
import type { Step } from './random-steps.ts';
import { anyStep } from './random-steps.ts';

const codec = createCodec();
const seen = new Map<string, number>();
/** Every command there is: the table of all commands holds each. */
const everyType = [...new Set(Object.values(cases).map(({ body }) => body.type))];

const anyRun = fc.record({
  mode: fc.constantFrom('free', 'free', 'apply'),
  passwordHash: fc.constantFrom('', '', 'scrypt$x'),
  closeGraceMs: fc.constantFrom(0, 5_000),
  /** Who is there when it begins; mostly as many as may be, or a run gets nowhere. */
  present: fc.constantFrom(
    [],
    ['owner'],
    ['owner', 'u1'],
    ['owner', 'u1', 'u2'],
    ['u1', 'u2', 'u3'],
  ),
  steps: fc.array(anyStep, { minLength: 40, maxLength: 80, size: 'max' }),
  /** How the owner ends it; most closings in the middle would waste the run. */
  ending: fc.constantFrom(
    [],
    ['close'],
    ['close', 'due'],
    ['close', 'close', 'due', 'delete', 'delete'],
  ),
  /** After how many of the log's steps the snapshot is taken. */
  cut: fc.nat({ max: 100 }),
});

const byOwner = { by: owner, role: 'user', charge: charged(1n), heard: true } as const;
const endings: Readonly<Record<string, Step>> = {
  close: { ...byOwner, body: closeRoom(), laterMs: 1 },
  due: { ...byOwner, body: 'what is due', laterMs: 6_000 },
  delete: { ...byOwner, body: deleteRoom(), role: 'operator', laterMs: 1 },
};

function joinOf(name: string): Step {
  const body = joinRoom(profileOf('a'), verdict('match', 1n));
  return { ...byOwner, by: asUser(name), body, laterMs: 0 };
}

/** The state after the log's steps from `from` on, each read from the bytes that are stored. */
function replayed(start: RoomState, run: Run, from: number): RoomState {
  return run.log.slice(from).reduce((state, { events, position }) => {
    const stored = codec.decodeLoggedEvents(codec.encodeLoggedEvents(events));
    assert(stored.ok, 'the log can be read');
    return evolveCommand(state, stored.value, position);
  }, start);
}

/** The same room, byte for byte, and with the same lists that are made and not stored. */
function expectSame(rebuilt: RoomState, live: RoomState): void {
  const [mine, theirs] = [rebuilt, live].map((state) => codec.encodeSnapshot({ state }));
  expect(Buffer.from(mine ?? []).equals(theirs ?? new Uint8Array())).toBe(true);
  expect(rebuilt.temporaryBans).toEqual(live.temporaryBans);
  expect(rebuilt.topGiftSenders).toEqual(live.topGiftSenders);
}

function checkRecovery(run: Run, cut: number): void {
  const fromStart = replayed(initialRoomState(app, room), run, 0);
  expectSame(fromStart, run.state);
  expect(fromStart).toEqual(run.state);
  const taken = cut % run.log.length;
  const live = run.log[taken]?.state ?? run.state;
  const snapshot = codec.decodeSnapshot(codec.encodeSnapshot({ state: live }));
  assert(snapshot.ok, 'the snapshot can be read');
  expectSame(snapshot.value.state, live);
  expectSame(replayed(snapshot.value.state, run, taken + 1), run.state);
}

it('any sequence of commands keeps the room whole and rebuilds to an equal state (TST-18)', () => {
  fc.assert(
    fc.property(anyRun, ({ mode, passwordHash, closeGraceMs, present, steps, ending, cut }) => {
      const run = newRun(closeGraceMs, seen);
      take(run, { ...byOwner, body: createRoom({ mode, passwordHash }) });
      for (const by of present) takeStep(run, { ...joinOf(by) });
      for (const step of steps) takeStep(run, step);
      for (const name of ending) takeStep(run, endings[name] as Step);
      checkRecovery(run, cut);
    }),
    { numRuns: 120 },
  );
  // Wide, because a busy machine runs this many times slower than an idle one.
}, 60_000);

it('the sequences reach every command in its applied and in its other ends', () => {
  const applied = everyType.filter((type) => (seen.get(`${type} applied`) ?? 0) === 0);
  const mustSee = [
    'CreateRoom rejected',
    'JoinRoom retry',
    ...[
      'JoinRoom',
      'MicUp',
      'ApplyRtcEvent',
      'ExpireMicPublish',
      'SweepStaleUsers',
      'CloseRoom',
    ].flatMap((type) => [`${type} noEffect`, `${type} rejected`]),
    ...[
      'SendGift',
      'MicDown',
      'ConfirmMicPublishing',
      'AnswerMicRequest',
      'KickUser',
      'DeleteRoom',
    ].map((type) => `${type} rejected`),
  ];
  expect([...applied, ...mustSee.filter((kind) => !seen.has(kind))]).toEqual([]);
});
