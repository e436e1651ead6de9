/** When a call is aborted on its way: when its caller hangs up, and not when it was answered. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../support/wait-until.ts';
import { failureOf, startRoomServer } from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
beforeEach(async () => void (rig = await startRoomServer()));
afterEach(() => rig.close());

const meta = { appCode: 'app1', roomId: 'r1', commandId: 'c1' };
const call = (change: object = {}) => ({ timeoutMs: 5_000, token: rig.token, ...change });

test('a caller that hangs up aborts its call', async () => {
  rig.api.onExecute = () => new Promise(() => undefined);
  const hangUp = new AbortController();
  const ended = failureOf(rig.commands.leaveRoom({ meta }, call({ signal: hangUp.signal })));
  const frame = await waitUntil('the call to arrive', () =>
    Promise.resolve(rig.api.calls[0]?.frame ?? null),
  );
  expect(frame.signal.aborted).toBe(false);
  hangUp.abort();
  expect(await ended).toMatchObject({ status: 'CANCELLED' });
  await waitUntil('the abort to arrive', () => Promise.resolve(frame.signal.aborted));
});

test('a call that was answered is aborted by nothing that comes after', async () => {
  for (let calls = 0; calls < 3; calls += 1) await rig.commands.leaveRoom({ meta }, call());
  const aborted = rig.api.calls.map(({ frame }) => frame.signal.aborted);
  expect(aborted).toEqual([false, false, false]);
});
