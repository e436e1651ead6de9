/**
 * A legal evening of a room, told in ten thousand other orders and with repeats: RTC events of who
 * was never there, twice, before the join, a stop before its start (bug case A13). A count is the
 * size of its set at every step, and what changes nothing makes no event and no version.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import { assert } from '../../../../src/kernel/assert.ts';
import {
  charged,
  createRoom,
  joinRoom,
  leaveRoom,
  micDown,
  micUp,
  rtcEvent,
  verdict,
} from '../../../support/command-builders.ts';
import { asUser, owner, profileOf } from '../../../support/room-builders.ts';
import { newRun, take } from './random-run.ts';

const orders = 10_000;
const startMs = 1_000_000;
const stepMs = 1_000;

interface Told {
  readonly by: 'u1' | 'u2';
  readonly body: CommandBody;
}

const join = joinRoom(profileOf('a'), verdict('match', 1n));
/** What happened, in its order; RTC tells of it with the times at which it did. */
const evening: readonly Told[] = [
  { by: 'u1', body: join },
  { by: 'u2', body: join },
  { by: 'u1', body: micUp(1) },
  { by: 'u1', body: rtcEvent('audio_started', startMs + 3 * stepMs) },
  { by: 'u2', body: micUp(2) },
  { by: 'u2', body: rtcEvent('audio_started', startMs + 5 * stepMs) },
  { by: 'u2', body: rtcEvent('audio_stopped', startMs + 6 * stepMs) },
  { by: 'u2', body: micDown() },
  { by: 'u1', body: rtcEvent('audio_stopped', startMs + 8 * stepMs) },
  { by: 'u1', body: rtcEvent('room_exited', startMs + 9 * stepMs) },
  { by: 'u1', body: leaveRoom },
  { by: 'u2', body: rtcEvent('room_exited', startMs + 11 * stepMs) },
];

const anyOrder = fc
  .tuple(
    fc.shuffledSubarray([...evening.keys()], { minLength: evening.length - 2 }),
    fc.array(fc.nat({ max: evening.length - 1 }), { maxLength: 6 }),
  )
  .map(([order, repeats]) => [...order, ...repeats]);

it(`a count is the size of its set in ${orders} orders and repeats of what happened (A13, INV-29)`, () => {
  let quiet = 0;
  fc.assert(
    fc.property(anyOrder, (order) => {
      const run = newRun(0, new Map());
      const beside = { charge: charged(1n), heard: true };
      take(run, { ...beside, by: owner, role: 'user', body: createRoom({}) });
      for (const nth of order) {
        const { by, body } = evening[nth] as Told;
        run.nowMs += stepMs;
        const before = run.state;
        const role = body.type === 'ApplyRtcEvent' ? 'rtc' : 'user';
        const { kind } = take(run, { ...beside, by: asUser(by), role, body });
        assert(run.state.users.size === run.online, 'an observer counts other users');
        if (kind === 'applied') continue;
        assert(run.state === before, 'nothing was applied, and the room is another');
        quiet += 1;
      }
    }),
    { numRuns: orders, seed: 13 },
  );
  expect(quiet).toBeGreaterThan(orders);
}, 60_000);
