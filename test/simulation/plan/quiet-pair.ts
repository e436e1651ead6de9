/**
 * Two users in a room of their own who do nothing until an aimed fault has come to its moment; then
 * one gives the other something, with little time, and never asks what became of it.
 */
import { appCodes } from './config-of.ts';
import type { PlannedAsk } from './planned-ask.ts';
import type { PlannedCall, Workload } from './planned-call.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

/** Most moments of a run that they wait for. */
const momentsMax = 6;
/** Long enough to be there before the storm; a gift's time is short, so that it expires. */
const joinTtlMs = 5_000;
const giftTtlMs = 800;

/** The app of their room and its index, behind all others. */
export function quietRoomOf(options: Pick<SimOptions, 'rooms'>): {
  readonly appCode: string;
  readonly room: number;
} {
  return { appCode: appCodes[0], room: options.rooms };
}

/** Who they are and what they ask; numbers of clients and calls go on behind those that there are. */
export function quietPair(
  options: Pick<SimOptions, 'rooms'>,
  firstClient: number,
  lastNth: number,
): Workload {
  const { appCode, room } = quietRoomOf(options);
  const [giver, taker] = [firstClient, firstClient + 1];
  const call = (at: number, client: number, ttlMs: number, ask: PlannedAsk): PlannedCall => ({
    nth: lastNth + at,
    client,
    atMs: warmUpMs / 2,
    gateway: at,
    role: 'user',
    ttlMs,
    givesUp: false,
    isForgotten: false,
    ask,
    repeatOf: null,
    otherPayload: false,
  });
  const gift = { type: 'SendGift', room, giftId: 'rose', giftCount: 1, targets: [taker] } as const;
  const gifts = Array.from({ length: momentsMax }, (_, at) => {
    return { ...call(at + 4, giver, giftTtlMs, gift), moment: at + 1, isForgotten: true };
  });
  const join = { type: 'JoinRoom', room, password: '', isRobot: false } as const;
  return {
    clients: [
      { appCode, userId: 'giver' },
      { appCode, userId: 'taker' },
    ],
    calls: [
      call(1, giver, joinTtlMs, { type: 'CreateRoom', room, seatCount: 2, password: '' }),
      call(2, giver, joinTtlMs, join),
      call(3, taker, joinTtlMs, join),
      ...gifts,
    ],
  };
}
