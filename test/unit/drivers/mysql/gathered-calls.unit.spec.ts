/** Calls that come together go together. */
import { describe, expect, it } from 'vitest';
import { GatheredCalls } from '../../../../src/drivers/mysql/gathered-calls.ts';
import { createDeferred, type Deferred } from '../../../../src/kernel/deferred.ts';

const limits = { groupWeight: 10, groupsAtOnce: 1, waiting: 100 };

/** Groups that end when the test says so; each call is a weight, and is answered with its double. */
function makeGathering(fields: Partial<typeof limits> = {}) {
  const groups: (readonly number[])[] = [];
  const ends: Deferred<void>[] = [];
  const calls = new GatheredCalls<number, number>(
    'doubling',
    { ...limits, ...fields },
    (weight) => weight,
    async (group) => {
      groups.push(group);
      const end = createDeferred<void>();
      ends.push(end);
      await end.promise;
      return group.map((weight) => 2 * weight);
    },
  );
  return { calls, groups, ends };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('gathered calls', () => {
  it('what is asked in one turn goes together, and each hears its own answer', async () => {
    const { calls, groups, ends } = makeGathering();
    const answers = Promise.all([1, 2, 3].map((weight) => calls.ask(weight)));
    await turn();
    ends[0]?.resolve();
    expect(await answers).toEqual([2, 4, 6]);
    expect(groups).toEqual([[1, 2, 3]]);
  });

  it('what comes while as many groups as may be are under way waits, and then goes together', async () => {
    const { calls, groups, ends } = makeGathering({ groupsAtOnce: 2 });
    for (const weight of [1, 2, 3, 4]) {
      void calls.ask(weight);
      await turn();
    }
    expect(groups).toEqual([[1], [2]]);
    ends[1]?.resolve();
    await turn();
    expect(groups).toEqual([[1], [2], [3, 4]]);
  });

  it('a group is no heavier than it may be, and nobody overtakes: what is too heavy goes alone', async () => {
    const { calls, groups, ends } = makeGathering();
    for (const weight of [4, 5, 6, 30, 1, 1]) void calls.ask(weight);
    for (let at = 0; at < 4; at += 1) {
      await turn();
      ends[at]?.resolve();
    }
    await turn();
    expect(groups).toEqual([[4, 5], [6], [30], [1, 1]]);
  });

  it('a call that waits for something of its own holds up neither its group nor the next', async () => {
    const own = createDeferred<string>();
    const calls = new GatheredCalls<string, string>(
      'calling',
      limits,
      () => 1,
      (group) => Promise.resolve(group.map((name) => (name === 'slow' ? own.promise : name))),
    );
    const slow = calls.ask('slow');
    expect(await calls.ask('quick')).toBe('quick');
    expect(await calls.ask('next')).toBe('next');
    own.resolve('slow at last');
    expect(await slow).toBe('slow at last');
  });

  it('what a group rejects with is heard by each of it, and the next group goes all the same', async () => {
    const { calls, ends } = makeGathering();
    const ended = Promise.allSettled([calls.ask(1), calls.ask(2)]);
    await turn();
    const next = calls.ask(3);
    ends[0]?.reject(new Error('gone'));
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    ends[1]?.resolve();
    expect(await next).toBe(6);
  });

  it('one more than may wait is refused at once, and may be asked again later', async () => {
    const { calls } = makeGathering({ waiting: 2 });
    void calls.ask(1);
    void calls.ask(2);
    await expect(calls.ask(3)).rejects.toMatchObject({ kind: 'retry', reason: 'UNAVAILABLE' });
  });
});
