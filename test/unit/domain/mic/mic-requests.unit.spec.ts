/** The list of wishes for the mic. */
import { describe, expect, it } from 'vitest';
import { findMicRequest, withoutMicRequest } from '../../../../src/domain/mic/mic-requests.ts';
import { given } from '../../../support/decider-spec.ts';
import {
  alice,
  bob,
  carol,
  created,
  joined,
  micRequested,
} from '../../../support/room-builders.ts';

const { micRequests } = given(
  created({ mode: 'apply' }),
  [joined(alice), joined(bob)],
  [micRequested(bob, 90_000_000), micRequested(alice, 90_000_000)],
).state;

describe('mic requests', () => {
  it('a user’s request is found, or null', () => {
    expect(findMicRequest(micRequests, alice)?.userId).toBe(alice);
    expect(findMicRequest(micRequests, carol)).toBeNull();
  });

  it('taking one away leaves the order of the others, and taking none the same list', () => {
    expect(withoutMicRequest(micRequests, bob).map(({ userId }) => userId)).toEqual([alice]);
    expect(withoutMicRequest(micRequests, carol)).toBe(micRequests);
  });
});
