/** Which room each robot belongs to. */
import { describe, expect, it } from 'vitest';
import { RobotPlaces } from '../../../../src/cell/robots/robot-places.ts';
import type { RoomKey } from '../../../../src/domain/ids.ts';
import { unknownOutcome } from '../../../../src/kernel/unknown-outcome.ts';

const [a, b] = ['a', 'b'] as [RoomKey, RoomKey];
const nobody = (): boolean => false;
const nowhere = new Map<string, RoomKey>();

/** Places of a partition whose log is settled up to `settled.to`. */
function placesWith(settledTo: bigint) {
  const settled = { to: settledTo };
  const places = new RobotPlaces({
    offsets: {
      get appliedOffset() {
        return settled.to;
      },
    } as never,
  });
  return { places, settled };
}

describe('the place of a robot', () => {
  it('is in one room at a time', () => {
    const { places } = placesWith(5n);
    expect(places.take('r', a)).toBe(true);
    expect(places.take('r', a)).toBe(true);
    expect(places.take('r', b)).toBe(false);
    expect(places.roomOf('r')).toBe(a);
  });

  it('is free when the robot is seen nowhere and its room does not want it', () => {
    const { places } = placesWith(5n);
    places.take('r', a);
    places.looked(places.sure(['r']), nowhere, () => true);
    expect(places.roomOf('r')).toBe(a);
    places.looked(places.sure(['r']), nowhere, nobody);
    expect(places.roomOf('r')).toBeUndefined();
  });

  it('a robot whose join is still on its way is given to no other room', () => {
    const { places, settled } = placesWith(5n);
    places.take('r', a);
    const told = places.joining('r');
    expect(places.isJoining('r')).toBe(true);
    places.looked(places.sure(['r']), nowhere, nobody);
    told({ kind: 'stored', offset: 9n });
    places.looked(places.sure(['r']), nowhere, nobody);
    expect(places.roomOf('r')).toBe(a);
    settled.to = 9n;
    expect(places.isJoining('r')).toBe(false);
    places.looked(places.sure(['r']), nowhere, nobody);
    expect(places.roomOf('r')).toBeUndefined();
  });

  it('a join of which nobody knows keeps it, until the robot is seen there', () => {
    const { places, settled } = placesWith(5n);
    places.take('r', a);
    places.joining('r')(unknownOutcome('no answer'));
    settled.to = 1_000n;
    places.looked(places.sure(['r']), nowhere, nobody);
    expect(places.roomOf('r')).toBe(a);
    places.seen('r');
    places.looked(places.sure(['r']), nowhere, nobody);
    expect(places.roomOf('r')).toBeUndefined();
  });

  it('a look says nothing about what was done after it began', () => {
    const { places, settled } = placesWith(5n);
    places.take('r', a);
    const sure = places.sure(['r', 's']);
    places.joining('r')({ kind: 'stored', offset: 6n });
    places.take('s', a);
    settled.to = 6n;
    places.looked(sure, new Map([['s', b]]), nobody);
    expect(places.roomOf('r')).toBe(a);
    expect(places.roomOf('s')).toBe(a);
  });

  it('is where the robot is seen, whoever brought it there', () => {
    const { places } = placesWith(5n);
    places.take('r', a);
    const seen = new Map([
      ['r', b],
      ['s', b],
    ]);
    places.looked(places.sure(['r', 's']), seen, () => true);
    expect(places.roomOf('r')).toBe(b);
    expect(places.roomOf('s')).toBe(b);
    expect(places.rooms()).toEqual(new Set([b]));
  });
});
