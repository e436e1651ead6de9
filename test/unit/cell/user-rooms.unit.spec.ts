/** Rows of who is present where, from the events of a batch. */
import { describe, expect, it } from 'vitest';
import type { RoomDraft } from '../../../src/cell/lane/draft.ts';
import { userRoomsOf } from '../../../src/cell/lane/user-rooms.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { initialRoomState } from '../../../src/domain/room/initial-state.ts';
import type { UserRoomsChange } from '../../../src/ports/commit-lane.ts';
import {
  alice,
  app,
  bob,
  carol,
  closed,
  created,
  deleted,
  joined,
  kicked,
  left,
  room,
  staleLeft,
} from '../../support/room-builders.ts';

/** What the commands of one batch make, each given by its time and its events. */
function changesOf(...commands: readonly (readonly [number, readonly RoomEvent[]])[]) {
  const ends = commands.map(([decidedAtMs, events]) => ({
    kind: 'logged',
    decidedAtMs,
    step: events.length === 0 ? null : { events: events.map((event) => ({ event })) },
  }));
  const state = initialRoomState(app, room);
  return userRoomsOf({ state, ends: [{ kind: 'nothing' }, ...ends] } as unknown as RoomDraft);
}

function change(fields: Partial<UserRoomsChange>): UserRoomsChange {
  return { appCode: app, roomId: room, everybodyLeft: false, left: [], joined: [], ...fields };
}

describe('the users of a room', () => {
  it('change nothing when nobody came or went', () => {
    expect(changesOf([1, [created()]], [2, []])).toEqual([]);
  });

  it('are there from the time of their join', () => {
    expect(changesOf([5, [joined(alice)]])).toEqual([
      change({ joined: [{ userId: alice, joinedAtMs: 5 }] }),
    ]);
  });

  it('are gone by a leave, whatever its reason, and by a sweep that names them', () => {
    const gone = [left(alice, 'kicked'), kicked(alice), left(bob, 'evicted'), staleLeft(carol)];
    expect(changesOf([5, gone])).toEqual([change({ left: [alice, bob, carol] })]);
  });

  it('are gone by no kick of somebody who was not there', () => {
    expect(changesOf([5, [kicked(alice)]])).toEqual([]);
  });

  it('stand in one list only: the last word of the batch counts', () => {
    expect(changesOf([5, [left(alice)]], [6, [joined(alice)]], [7, [joined(bob)]])).toEqual([
      change({
        joined: [
          { userId: alice, joinedAtMs: 6 },
          { userId: bob, joinedAtMs: 7 },
        ],
      }),
    ]);
    expect(changesOf([5, [joined(alice)]], [6, [left(alice)]])).toEqual([
      change({ left: [alice] }),
    ]);
  });

  it('are all gone with the room, also those who came in the same batch', () => {
    expect(changesOf([5, [joined(alice)]], [6, [closed()]])).toEqual([
      change({ everybodyLeft: true }),
    ]);
    expect(changesOf([5, [deleted()]])).toEqual([change({ everybodyLeft: true })]);
  });
});
