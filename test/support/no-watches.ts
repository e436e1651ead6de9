/** A node of which a test watches nothing. */
import type { OwnerWatches } from '../../src/ports/room-watch.ts';

/** Fails as soon as anybody listens. */
export const noWatches: OwnerWatches = {
  watch: () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error('nobody watches in this test')),
    }),
  }),
};
