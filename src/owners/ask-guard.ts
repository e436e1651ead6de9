/**
 * The guard's whole word on one user (ROOM-20): the owner's, and the platform's beside it, which is
 * not the room's to know. For whoever gives or takes access to IM or RTC.
 */
import type { AppCode, UserId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReadAsker, ReadCall } from '../ports/owner-reads.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import type { AskOwner } from './ask-owner.ts';

/** What asking for the platform's bans stands on. */
export interface AskGuardPorts {
  readonly clock: Clock;
  readonly roomQueries: Pick<RoomQueries, 'isPlatformBanned'>;
}

/** About whom, and in whose name; the place and the user are checked already. */
export interface GuardAsked {
  readonly appCode: string;
  readonly roomId: string;
  readonly userId: UserId;
  readonly asker: ReadAsker;
}

/** The word. */
export interface GuardWord {
  /** Null: yes; else a code of the catalogue, maybe of a newer release. */
  readonly refusal: string | null;
  /** With a yes: the user holds a mic seat. */
  readonly onSeat: boolean;
  readonly roomVersion: bigint;
  readonly ownerEpoch: bigint;
}

/** Throws like `AskOwner`, and Retry when the platform's bans cannot be read. */
export type AskGuard = (call: ReadCall, asked: GuardAsked) => Promise<GuardWord>;

/** A room that is not there explains more than what the platform thinks of a user. */
const roomRefusals: readonly (string | null)[] = ['ROOM_NOT_FOUND', 'ROOM_CLOSED'];

/** See the file header. */
export function createAskGuard(ask: AskOwner, ports: AskGuardPorts): AskGuard {
  return async (call, { userId, ...place }) => {
    const question = { kind: 'guard', userId } as const;
    const [reply, isPlatformBanned] = await Promise.all([
      ask(call, { ...place, question }),
      ports.roomQueries.isPlatformBanned(place.appCode as AppCode, userId, ports.clock.wallMs()),
    ]);
    const { roomVersion, ownerEpoch, answer } = reply;
    const refusal =
      isPlatformBanned && !roomRefusals.includes(answer.refusal)
        ? 'USER_PLATFORM_BANNED'
        : answer.refusal;
    return { refusal, onSeat: refusal === null && answer.onSeat, roomVersion, ownerEpoch };
  };
}
