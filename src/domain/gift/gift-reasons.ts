/** Part of the catalogue of `reasons.ts`: final refusals of gifts. */
import type { ReasonRow } from '../reason-row.ts';

/** All are stored under the command id. */
export const giftReasons = {
  INVALID_GIFT: {
    status: 'INVALID_ARGUMENT',
    memory: 'sticky',
    sentence: 'The gift has no valid count or list of targets; field and fault name it.',
    advice: 'Correct the request; send a new command_id.',
  },
  GIFT_NOT_OFFERED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The app sells no such gift now; nothing was paid.',
    advice: 'Read the catalogue again; send a new command_id.',
  },
  LUCKY_GIFT_NOT_ENABLED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'This lucky gift cannot be sent here now; cause says why. Nothing was paid.',
    advice: 'Read the catalogue again; send a new command_id.',
  },
  INSUFFICIENT_BALANCE: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The sender does not have the coins; nothing was paid.',
    advice: 'Let the user buy coins, then send a new command_id.',
  },
  GIFT_NOT_CHARGED: {
    status: 'FAILED_PRECONDITION',
    memory: 'sticky',
    sentence: 'The gift could not be paid and was not given; whatever was taken is given back.',
    advice: 'Try again with a new command_id; cause names what failed.',
  },
} as const satisfies Record<string, ReasonRow>;
