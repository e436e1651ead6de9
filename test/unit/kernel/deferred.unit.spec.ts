/** A deferred is settled once, by whoever is first. */
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/kernel/deferred.ts';

describe('createDeferred', () => {
  it('fulfils its promise with the first value and says so to the second', async () => {
    const deferred = createDeferred<string>();
    expect(deferred.settled).toBe(false);
    expect(deferred.resolve('first')).toBe(true);
    expect(deferred.resolve('second')).toBe(false);
    expect(deferred.reject(new Error('late'))).toBe(false);
    expect(deferred.settled).toBe(true);
    await expect(deferred.promise).resolves.toBe('first');
  });

  it('rejects its promise with the first reason', async () => {
    const deferred = createDeferred<string>();
    expect(deferred.reject(new Error('first'))).toBe(true);
    expect(deferred.resolve('late')).toBe(false);
    await expect(deferred.promise).rejects.toThrow('first');
  });
});
