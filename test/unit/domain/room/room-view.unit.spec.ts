/** The bounded client view (SNAP-4, PWD-3). */
import { describe, expect, it } from 'vitest';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import { given, timeOf } from '../../../support/decider-spec.ts';
import { closeRoom, deleteRoom } from '../../../support/command-builders.ts';
import {
  alice,
  app,
  asUser,
  bob,
  created,
  gifted,
  joined,
  on,
  owner,
  publishing,
  room,
  session,
  wentUp,
} from '../../../support/room-builders.ts';

const active = given(
  created({ passwordHash: 'scrypt$secret' }),
  [joined(alice), joined(bob)],
  wentUp(on(1, alice, 3), 90_000_000),
  wentUp(on(3, bob, 4), 90_000_000),
  publishing(on(3, bob, 4)),
);

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  );
}

describe('When active', () => {
  it('the view tells what everybody in the room may see', () => {
    const holder = (name: string) => ({
      userId: name,
      nickname: name,
      avatarUrl: `https://cdn.test/${name}`,
    });
    expect(roomView(active.state, null, 20)).toEqual({
      appCode: app,
      roomId: room,
      status: 'active',
      version: 5n,
      ownerUserId: owner,
      title: 'Evening talk',
      coverUrl: 'https://cdn.test/cover',
      announcement: '',
      backgroundUrl: 'https://cdn.test/background',
      tags: ['music'],
      ext: 'opaque',
      mode: 'free',
      visibleRegionId: 9007199254740993n,
      locked: true,
      createdAtMs: timeOf(1),
      seats: [
        {
          seatNo: 1,
          locked: false,
          muted: false,
          state: 'pending_publish',
          holder: holder('alice'),
        },
        { seatNo: 2, locked: false, muted: false, state: 'idle', holder: null },
        { seatNo: 3, locked: false, muted: false, state: 'publishing', holder: holder('bob') },
      ],
      counts: { online: 2, onSeat: 2, robots: 0 },
      roomHeat: 0n,
      giftRank: [],
      rocket: null,
      closesAtMs: 0,
      close: null,
      me: null,
    });
  });

  it('no secret and no session of another is in any view (SNAP-4)', () => {
    for (const userId of [null, owner, alice, asUser('stranger')]) {
      const text = textOf(roomView(active.state, userId, 20));
      expect(text).not.toContain('secret');
      expect(text).not.toContain(session(4));
      expect(text.includes(session(3))).toBe(userId === alice);
    }
  });

  it('a seated user finds its seat and its session', () => {
    expect(roomView(active.state, alice, 20).me).toEqual({
      role: 'member',
      present: true,
      seatNo: 1,
      micSessionId: session(3),
      muted: false,
    });
  });

  it('a muted seat mutes its holder in the view', () => {
    const seats = active.state.seats.map((seat) => ({ ...seat, muted: seat.seatNo === 1 }));
    expect(roomView({ ...active.state, seats }, alice, 20).me?.muted).toBe(true);
    expect(roomView({ ...active.state, seats }, bob, 20).me?.muted).toBe(false);
  });

  it('the owner is the owner although not present; a stranger is an absent member', () => {
    const nowhere = { present: false, seatNo: 0, micSessionId: '', muted: false };
    expect(roomView(active.state, owner, 20).me).toEqual({ role: 'owner', ...nowhere });
    expect(roomView(active.state, asUser('x'), 20).me).toEqual({ role: 'member', ...nowhere });
  });

  it('the view tells the heat, and of the gift rank as many places as asked for', () => {
    const { state } = given(
      created(),
      [joined(alice), joined(bob)],
      gifted(alice, bob, 9_007_199_254_740_993n),
      gifted(bob, alice, 9_007_199_254_740_993n),
      gifted(asUser('gone'), alice, 1n),
    );
    const view = roomView(state, null, 2);
    expect(view.roomHeat).toBe(18_014_398_509_481_987n);
    expect(view.giftRank).toEqual([
      { userId: alice, coins: 9_007_199_254_740_993n, rank: 1 },
      { userId: bob, coins: 9_007_199_254_740_993n, rank: 2 },
    ]);
  });

  it('the view tells how many of those online are robots, as they come and go (ROBOT-5)', () => {
    const robot = (n: number) => joined(asUser(`robot-${n}`), { isRobot: true });
    const room = given(created(), [joined(alice)], [robot(1)], [robot(2)]);
    expect(roomView(room.state, null, 20).counts).toEqual({ online: 3, onSeat: 0, robots: 2 });
    const fewer = room.after({ type: 'LeaveRoom' }, { by: asUser('robot-1') });
    const none = fewer.after({ type: 'LeaveRoom' }, { by: alice });
    expect(roomView(none.state, null, 20).counts).toEqual({ online: 1, onSeat: 0, robots: 1 });
    const over = none.after(closeRoom(), { by: owner });
    expect(roomView(over.state, null, 20).counts).toEqual({ online: 0, onSeat: 0, robots: 0 });
  });

  it('the view grows with the seats and never with the audience', () => {
    const audience = Array.from({ length: 40 }, (_, n) => joined(asUser(`listener-${n}`)));
    const { state } = given(created(), audience);
    expect(roomView(state, null, 20).counts).toEqual({ online: 40, onSeat: 0, robots: 0 });
    expect(textOf(roomView(state, null, 20))).not.toContain('listener-');
  });
});

describe('When closed', () => {
  it('the view says by what kind of closer, why and when, and leaves the note out', () => {
    const view = roomView(active.after(closeRoom(), { by: owner }).state, alice, 20);
    expect(view.close).toEqual({ kind: 'owner', reason: 'ended', closedAtMs: active.nextMs });
    expect(view.counts).toEqual({ online: 0, onSeat: 0, robots: 0 });
    expect(textOf(view)).not.toContain('note of the closer');
  });
});

describe('When a holder has no entry among the users', () => {
  it('the seat is shown without a name: a view is total, whatever the state', () => {
    const view = roomView({ ...active.state, users: given().state.users }, null, 20);
    expect(view.seats[0]?.holder).toEqual({ userId: alice, nickname: '', avatarUrl: '' });
  });
});

describe('When closing', () => {
  it('the view says when it ends, shows who is there, and leaves closer and note out', () => {
    const ending = active.after(closeRoom(), { by: owner, times: { closeGraceMs: 5_000 } });
    const view = roomView(ending.state, alice, 20);
    const closesAtMs = active.nextMs + 5_000;
    expect(view).toMatchObject({ status: 'closing', closesAtMs, close: null });
    expect(view.counts).toEqual({ online: 2, onSeat: 2, robots: 0 });
    expect(textOf(view)).not.toContain('note of the closer');
    expect(roomView(active.state, alice, 20).closesAtMs).toBe(0);
  });
});

describe('When deleted', () => {
  it('the view shows a name, its owner and its times, and nothing else', () => {
    const gone = active.after(closeRoom(), { by: owner }).after(deleteRoom(), { by: owner });
    expect(roomView(gone.state, alice, 20)).toMatchObject({
      status: 'deleted',
      ownerUserId: owner,
      createdAtMs: timeOf(1),
      title: '',
      seats: [],
      counts: { online: 0, onSeat: 0, robots: 0 },
      closesAtMs: 0,
      close: null,
    });
  });
});

describe('When a user is an admin', () => {
  it('the view says so to that user, seated, present or absent', () => {
    const { state } = active.after(
      { type: 'SetAdmin', userId: alice, isAdmin: true },
      { by: owner },
    );
    expect(roomView(state, alice, 20).me).toMatchObject({ role: 'admin', seatNo: 1 });
    expect(roomView(state, bob, 20).me?.role).toBe('member');
  });
});

describe('When absent', () => {
  it('there is a view all the same, of nothing', () => {
    const view = roomView(given().state, alice, 20);
    expect(view).toMatchObject({ status: 'absent', version: 0n, ownerUserId: '', seats: [] });
    expect(view.me?.role).toBe('member');
  });
});
