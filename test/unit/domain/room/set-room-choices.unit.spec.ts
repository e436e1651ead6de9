/** SetRoomMode and SetVisibleRegion (META-1, META-2). */
import { describe, expect, it } from 'vitest';
import type { RoomMode } from '../../../../src/domain/room/state.ts';
import { applyForMic, micUp } from '../../../support/command-builders.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  adminSet,
  alice,
  bob,
  carol,
  created,
  joined,
  micRequested,
  on,
  owner,
  wentUp,
} from '../../../support/room-builders.ts';

const setMode = (mode: RoomMode) => ({ type: 'SetRoomMode', mode }) as const;
const setRegion = (visibleRegionId: bigint) =>
  ({ type: 'SetVisibleRegion', visibleRegionId }) as const;
const modeChanged = (mode: RoomMode, byUserId = owner) =>
  ({ type: 'RoomModeChanged', byUserId, mode }) as const;
const farMs = 90_000_000;
const people = [joined(alice), joined(bob), joined(carol), adminSet(bob)];
const room = given(created(), people, wentUp(on(1, alice, 3), farMs));
const region = 9_007_199_254_740_993n;

describe('SetRoomMode', () => {
  it('from free to apply: who sits stays, and nobody sits down by itself any more (CMD-22, META-1)', () => {
    const { state } = room
      .when(setMode('apply'), { by: owner })
      .thenApplied([modeChanged('apply')], {});
    expect(state.seats).toEqual(room.state.seats);
    room
      .after(setMode('apply'), { by: owner })
      .when(micUp(2), { by: carol })
      .thenRejected('MIC_BY_INVITATION');
  });

  it('from apply to free: applications end with it, invitations wait on, and all sit down', () => {
    const waiting = given(created({ mode: 'apply' }), people, [
      micRequested(alice, farMs),
      micRequested(carol, farMs, { kind: 'invite', byUserId: owner }),
    ]);
    const free = waiting.when(setMode('free'), { by: owner }).thenApplied([modeChanged('free')]);
    expect(free.state.micRequests.map(({ userId }) => userId)).toEqual([carol]);
    free.room().when(micUp(1)).room();
  });

  it('invitations outlast the change to apply too', () => {
    const invited = given(created(), people, [
      micRequested(carol, farMs, { kind: 'invite', byUserId: owner }),
    ]).after(setMode('apply'), { by: owner });
    expect(invited.state.micRequests).toHaveLength(1);
    invited.when(applyForMic()).room();
  });

  it('the mode there is is a success without effect', () => {
    room.when(setMode('free'), { by: owner }).thenNoEffect();
  });
});

describe('SetVisibleRegion', () => {
  it('another region replaces the one there is, to the last bit of 63 (CMD-23, META-2)', () => {
    const { state } = room
      .when(setRegion(region + 1n), { by: owner })
      .thenApplied(
        [{ type: 'RoomVisibleRegionChanged', byUserId: owner, visibleRegionId: region + 1n }],
        {},
      );
    expect(state.visibleRegionId).toBe(region + 1n);
  });

  it('the region there is is a success without effect', () => {
    room.when(setRegion(region), { by: owner }).thenNoEffect();
  });
});

describe('Who may', () => {
  it.each([
    ['user', bob],
    ['service', carol],
    ['operator', carol],
  ] as const)('a manager (role %s as %s) may', (role, by) => {
    room.when(setMode('apply'), { role, by }).thenApplied([modeChanged('apply', by)]);
    room
      .when(setRegion(1n), { role, by })
      .thenApplied([{ type: 'RoomVisibleRegionChanged', byUserId: by, visibleRegionId: 1n }]);
  });

  it('a member may not, be there a change or none', () => {
    for (const body of [setMode('apply'), setMode('free'), setRegion(1n), setRegion(region)]) {
      room.when(body).thenRejected('NOT_ROOM_MANAGER', { actor_user_id: 'alice' });
    }
  });
});
