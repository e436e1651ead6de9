/** What a run of `npm start -- --once` must say and how it must end, on whatever stack it ran. */
import { expect } from 'vitest';
import type { EndedRun } from './run-to-end.ts';

/** Everything arrived: the whole story, and 0. */
export function expectWholeStory({ code, output }: EndedRun): void {
  expect(output).toContain('replayed: the stored answer');
  expect(output).toMatch(/publish timeout +v14 .* ms \(idempotency .* commit .*\)/);
  for (const command of ['CreateRoom', 'JoinRoom', 'MicUp', 'SendGift', 'LeaveRoom']) {
    expect(output).toMatch(new RegExp(`^ *\\d+ +${command}\\b.* ms \\(idempotency .* commit`, 'm'));
  }
  expect(output).toMatch(/bob had 1000000 coins, the same id twice +now 999970; heat 30/);
  expect(output).toMatch(/one debit for alice and bob +20 coins, two facts/);
  expect(output).toMatch(/clover is a lucky gift +wins (nothing|\d+)/);
  expect(output).toMatch(/ignites the rocket +round 1, 70 of 70/);
  expect(output).toMatch(/launches its rocket, and opens round 2 +launched +v20/);
  for (const board of ['day', 'week', 'all']) {
    expect(output).toMatch(
      new RegExp(`GetLeaderboard\\(${board}\\) by alice +place \\d+, 70 coins`),
    );
  }
  expect(output).toMatch(/RoomRocketLaunched .* → im, activity$/m);
  expect(output).toMatch(/JoinRoom by bob, who is banned +refused: USER_BANNED/);
  expect(output).toMatch(/RoomUserUnbanned .* → activity$/m);
  expect(output).toMatch(/RoomClosed .* → im \(message and notification\), activity/);
  expect(output).not.toMatch(/missing:|extra:|ERROR/);
  expect(code, output).toBe(0);
}

/** Nothing was carried: both destinations are named, and 1. */
export function expectBothMissing({ code, output }: EndedRun): void {
  // Not the group: a display finds none and makes it.
  expect(output).toMatch(/^im: missing: RoomUserJoined/m);
  expect(output).toMatch(/^activity: missing: RoomClosed/m);
  expect(code, output).toBe(1);
}

/** One adapter is missing: its destination alone is named, and 1. */
export function expectImMissing({ code, output }: EndedRun): void {
  expect(output).toMatch(/^im: missing: RoomUserJoined/m);
  expect(output).not.toMatch(/^activity: /m);
  expect(code, output).toBe(1);
}

/** One event was lost: that one is named, and 1. */
export function expectOneMissing({ code, output }: EndedRun): void {
  expect(output.match(/^(im|activity): .*/gm)).toEqual([
    expect.stringMatching(/^im: missing: RoomUserJoined .* \(of join-alice\)$/),
  ]);
  expect(code, output).toBe(1);
}
