/**
 * A promise that is settled from outside. Used where the one who waits and the one who knows the
 * answer meet only through a table (a reply under its correlation id, a commit under its batch).
 */

/** See the file header. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  /** True from the first `resolve` or `reject` on. */
  readonly settled: boolean;
  /** Fulfils the promise and returns true; returns false and does nothing once settled. */
  resolve(value: T): boolean;
  /** Rejects the promise and returns true; returns false and does nothing once settled. */
  reject(reason: Error): boolean;
}

/**
 * Makes an unsettled Deferred. Hazard: a rejection that nobody awaits ends the process like any
 * other, so whoever puts a Deferred into a table must have given its promise to somebody.
 */
export function createDeferred<T>(): Deferred<T> {
  let fulfil!: (value: T) => void;
  let refuse!: (reason: Error) => void;
  const promise = new Promise<T>((resolve, reject) => {
    fulfil = resolve;
    refuse = reject;
  });
  let settled = false;
  const settleOnce = (settle: () => void): boolean => {
    if (settled) return false;
    settled = true;
    settle();
    return true;
  };
  return {
    promise,
    get settled() {
      return settled;
    },
    resolve: (value) => settleOnce(() => fulfil(value)),
    reject: (reason) => settleOnce(() => refuse(reason)),
  };
}
