/** The dispatch: what holds for every command, and what only a fault of ours can break. */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId } from '../../../../src/domain/ids.ts';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import { decide } from '../../../../src/domain/room/decide.ts';
import { plan } from '../../../../src/domain/room/plan.ts';
import { InvariantError } from '../../../../src/kernel/assert.ts';
import { commandOf, factsAt, given, timeOf } from '../../../support/decider-spec.ts';
import { leaveRoom, micUp, sendGift } from '../../../support/command-builders.ts';
import {
  alice,
  bob,
  created,
  joined,
  left,
  on,
  wentDown,
  wentUp,
} from '../../../support/room-builders.ts';

const seated = given(created(), joined(alice), wentUp(on(2, alice, 3), 90_000_000));
const facts = factsAt(timeOf(4));

describe('decide', () => {
  it('gives the same decision to the same arguments and changes none of them (PIPE-4)', () => {
    const command = commandOf(leaveRoom);
    const first = decide(command, facts, seated.state);
    expect(decide(command, facts, seated.state)).toEqual(first);
    expect(seated.state.users.has(alice)).toBe(true);
  });

  it('refuses whole what would make more events than one command may', () => {
    seated
      .when(leaveRoom, { limits: { eventsPerCommandMax: 1 } })
      .thenRejected('RESULT_TOO_LARGE', { events: '2', events_max: '1' });
    seated
      .when(leaveRoom, { limits: { eventsPerCommandMax: 2 } })
      .thenApplied([wentDown(on(2, alice, 3), 'left_room', 1_000), left(alice)]);
  });

  it('stops when a command of another app or room reaches this room', () => {
    const command = commandOf(leaveRoom);
    const otherApp = { ...command, appCode: 'app2' as AppCode };
    const otherRoom = { ...command, roomId: 'room2' as RoomId };
    expect(() => decide(otherApp, facts, seated.state)).toThrow(InvariantError);
    expect(() => decide(otherRoom, facts, seated.state)).toThrow(InvariantError);
  });

  it('stops when its time is earlier than the last event of the room', () => {
    const early = { ...facts, nowMs: timeOf(3) - 1 };
    expect(() => decide(commandOf(leaveRoom), early, seated.state)).toThrow(InvariantError);
  });
});

describe('plan', () => {
  it('asks the wallet for a gift that the room would take, and nobody for anything else', () => {
    expect(plan(commandOf(sendGift([alice])), seated.state)).toEqual({ kind: 'debit' });
    const bodies: readonly CommandBody[] = [leaveRoom, micUp(1), sendGift([bob])];
    for (const body of bodies) {
      expect(plan(commandOf(body), seated.state)).toEqual({ kind: 'none' });
    }
  });
});
