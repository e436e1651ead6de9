/** Gifts of robots, which count nowhere unless the deployment says so. */
import { describe, expect, it } from 'vitest';
import { given } from '../../../support/decider-spec.ts';
import { alice, bob, created, gifted, joined, owner } from '../../../support/room-builders.ts';
import { charged, sendGift } from '../../../support/command-builders.ts';

const room = given(created(), [joined(alice)], [joined(bob, { isRobot: true })]);

describe('A gift of a robot', () => {
  it('makes no heat, no rank and no sum, and says so in its event (ROBOT-5)', () => {
    const outcome = room.when(sendGift([alice]), { by: bob, charge: charged(10n) });
    expect(outcome.decision).toMatchObject({
      kind: 'applied',
      events: [{ type: 'RoomGiftSent', coins: 10n, isUncounted: true }],
      result: { roomHeat: 0n, giftRank: [] },
    });
    expect(outcome.state).toMatchObject({ heat: 0n, topGiftSenders: [] });
  });

  it('counts like everybody’s where the deployment wants it to', () => {
    const options = { by: bob, charge: charged(10n), robotGiftsCount: true };
    const outcome = room.when(sendGift([alice]), options);
    expect(outcome.decision).toMatchObject({ events: [{ isUncounted: false }] });
    expect(outcome.state.heat).toBe(10n);
  });

  it('to a robot counts, when a person gives it', () => {
    const outcome = room.when(sendGift([bob]), { by: alice, charge: charged(10n) });
    expect(outcome.state.heat).toBe(10n);
  });

  it('is replayed as it was counted, whatever is configured now', () => {
    const counted = given(created(), [joined(alice)], [gifted(alice, owner, 5n)]);
    const not = given(
      created(),
      [joined(alice)],
      [gifted(alice, owner, 5n, { isUncounted: true })],
    );
    expect([counted.state.heat, not.state.heat]).toEqual([5n, 0n]);
  });
});
