/**
 * What each error code of Tencent Cloud IM asks us to do. Data only; `vendor-im-client.ts` acts on
 * it. Codes that are missing here may pass: they are tried again until the limit of tries.
 */

/**
 * `retry`: may pass. `throttle`: too fast, wait. `permanent`: never. `sign`: sign anew once, then
 * permanent. `noGroup`: the group is missing. `noAccount`: the user is; permanent where a call needs
 * one. `exists`: the group is there already and ours. `inUse`: the id is taken, whose group it is must
 * be looked up. `alarm`: permanent, and an operator has to act (plan, quota, account).
 */
export type ImAction =
  | 'retry'
  | 'throttle'
  | 'permanent'
  | 'sign'
  | 'noGroup'
  | 'noAccount'
  | 'exists'
  | 'inUse'
  | 'alarm';

/** The table; each code stands in one row. */
export const imErrorRows: readonly (readonly [ImAction, readonly number[]])[] = [
  // Internal errors, network and callbacks of the vendor.
  ['retry', [10002, 20004, 20005, 60008, 60013, 60014, 70169, 70500, 80003]],
  ['retry', [90992, 90994, 90995, 91000]],
  // Frequency: per operation, per group, per interface, per app; a signature that fails too often.
  ['throttle', [10006, 10023, 60007, 60011, 60018, 60019, 70050]],
  // Requests that no repeat makes right.
  ['permanent', [10003, 10004, 10005, 10007, 10011, 10012, 10014, 10016, 10017, 10018]],
  ['permanent', [10026, 60002, 60003, 60006, 60009, 60010, 60012, 60015, 60025, 60026]],
  ['permanent', [70016, 70020, 70051, 80001, 80002, 80004, 90001, 90002, 90009, 90010]],
  ['permanent', [90048, 90055, 93000]],
  // Plan limits, disabled or forbidden apps, quotas.
  ['alarm', [10036, 10037, 10038, 10058, 10059, 60016, 60017, 60020, 60021, 60028, 80005]],
  // The UserSig is expired, broken or another account's.
  ['sign', [10008, 60004, 60005, 70001, 70003, 70009, 70013, 70014]],
  ['noGroup', [10010, 10015]],
  ['noAccount', [10019, 70107]],
  ['exists', [10025]],
  ['inUse', [10021]],
];

/** Code to action. */
export const imErrorActions: ReadonlyMap<number, ImAction> = new Map(
  imErrorRows.flatMap(([action, codes]) => codes.map((code) => [code, action] as const)),
);

/** How long to wait after a throttle, in ms, where it isn't the usual second. */
const longThrottles: ReadonlyMap<number, number> = new Map([[70050, 60_000]]);
const usualThrottleMs = 1_000;

/** What to do about a code. */
export function imActionOf(code: number): ImAction {
  return imErrorActions.get(code) ?? 'retry';
}

/** Least wait after a throttling code, in ms. */
export function imThrottleMs(code: number): number {
  return longThrottles.get(code) ?? usualThrottleMs;
}
