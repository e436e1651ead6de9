/** The list of wishes for the mic: bounded, in the order in which they were made. */
import type { UserId } from '../ids.ts';
import type { MicRequest } from '../room/state.ts';

/** The user's request, or null. There is at most one. */
export function findMicRequest(requests: readonly MicRequest[], userId: UserId): MicRequest | null {
  return requests.find((request) => request.userId === userId) ?? null;
}

/** The list without the user's request; the same list when there is none. */
export function withoutMicRequest(
  requests: readonly MicRequest[],
  userId: UserId,
): readonly MicRequest[] {
  return findMicRequest(requests, userId) === null
    ? requests
    : requests.filter((request) => request.userId !== userId);
}
