/**
 * What the error codes of Tencent RTC's server interface ask us to do. Data only. A code belongs to
 * the first row of which it is, or with whose name and a dot it begins; others may pass and are tried
 * again until the limit of tries.
 */

/** `done`: the goal is reached already (RTC-2). `throttle`: too fast. `permanent`: never. */
export type RtcAction = 'done' | 'retry' | 'throttle' | 'permanent';

/** The table, by the order of its rows. */
export const rtcErrorRows: readonly (readonly [RtcAction, readonly string[]])[] = [
  ['done', ['FailedOperation.RoomNotExist']],
  ['throttle', ['RequestLimitExceeded']],
  ['retry', ['InternalError']],
  // Requests and accounts that no repeat makes right.
  ['permanent', ['InvalidParameter', 'InvalidParameterValue', 'MissingParameter']],
  ['permanent', ['UnauthorizedOperation', 'AuthFailure']],
];

/** Least wait after a throttling code, in ms: the limit counts by the second. */
export const rtcThrottleMs = 1_000;

/** What to do about a code. */
export function rtcActionOf(code: string): RtcAction {
  const isOf = (name: string): boolean => code === name || code.startsWith(`${name}.`);
  return rtcErrorRows.find(([, names]) => names.some(isOf))?.[0] ?? 'retry';
}
