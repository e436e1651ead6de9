/** Named limits of gifts. They are rules of the room and the same everywhere: no configuration. */

/** Targets of one SendGift (decision 22). Below the least `events_per_command_max`. */
export const giftTargetsMax = 50;

/** Gifts of one kind that one SendGift gives to each target. */
export const giftCountMax = 9_999;

/**
 * Senders whose coins a room adds up, each about 60 bytes of its snapshot. When one more comes to a
 * full table, the last in rank leaves it. If that user gives again its sum begins anew, so a rank is
 * exact until a room has had so many senders, and from then on exact but for former last ones.
 */
export const giftSendersMax = 10_000;

/** Senders kept in rank order; no answer and no view shows more. */
export const topGiftSendersMax = 100;

/** Largest sum of coins: every column and frame on the way holds a signed 64-bit number. */
export const coinsMax = 2n ** 63n - 1n;
