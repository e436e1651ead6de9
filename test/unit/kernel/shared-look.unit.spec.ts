/** One look for all who ask at once. */
import { expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../../src/kernel/deferred.ts';
import { SharedLook } from '../../../src/kernel/shared-look.ts';

function asked() {
  const questions: Deferred<number>[] = [];
  const look = new SharedLook<void, number>(async () => {
    const answer = createDeferred<number>();
    questions.push(answer);
    const found = await answer.promise;
    return () => found;
  });
  const shared = { answer: () => look.ask() };
  return { questions, shared };
}

it('those who ask while a question is under way share the next one', async () => {
  const { questions, shared } = asked();
  const first = shared.answer();
  const later = [shared.answer(), shared.answer(), shared.answer()];
  expect(questions).toHaveLength(1);
  questions[0]?.resolve(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(questions).toHaveLength(2);
  questions[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2, 2]);
});

it('a question that fails fails for those who shared it, and for nobody behind them', async () => {
  const { questions, shared } = asked();
  const first = shared.answer();
  const later = shared.answer();
  questions[0]?.reject(new Error('no broker'));
  await expect(first).rejects.toThrow('no broker');
  await Promise.resolve();
  questions[1]?.resolve(2);
  expect(await later).toBe(2);
  const fresh = shared.answer();
  expect(questions).toHaveLength(3);
  questions[2]?.resolve(3);
  expect(await fresh).toBe(3);
});
