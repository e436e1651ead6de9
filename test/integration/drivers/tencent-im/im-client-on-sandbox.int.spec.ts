/** The IM client against the stand-in over real HTTP: every answer that the vendor can give. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import type { Sandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import { createTencentImClient } from '../../../../src/drivers/tencent-im/tencent-im-client.ts';
import type { TencentImClient } from '../../../../src/drivers/tencent-im/tencent-im-client.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import type { GroupMessage } from '../../../../src/ports/im-client.ts';

const app = {
  sdkAppId: 1_400_000_001,
  adminIdentifier: 'administrator',
  secretKey: 'k'.repeat(64),
};
const loopback = { host: '127.0.0.1', port: 0 };
const clock = createSystemClock();
/** The sandbox's time stands still while this is set: a slow machine must not stretch a second. */
let stoppedAtMs: { readonly wallMs: number; readonly monoMs: number } | null = null;
const sandboxClock: Clock = {
  wallMs: () => stoppedAtMs?.wallMs ?? clock.wallMs(),
  monoMs: () => stoppedAtMs?.monoMs ?? clock.monoMs(),
};
const random = createSystemRandom();

interface ShownEvent {
  readonly event_id: string;
  readonly repeats: number;
  readonly deduplicated: number;
  readonly different: number;
  readonly notifications: number;
}

describe('the IM client on the sandbox', () => {
  let sandbox: Sandbox;
  let client: TencentImClient;
  const clients: TencentImClient[] = [];
  let rooms = 0;

  const clientOf = (
    fields: Partial<typeof app & { baseUrl: string; callTimeoutMs: number }> = {},
    itsClock: Clock = clock,
  ): TencentImClient => {
    const made = createTencentImClient(
      { ...app, baseUrl: sandbox.imBaseUrl, callTimeoutMs: 2_000, ...fields },
      { clock: itsClock, random },
    );
    clients.push(made);
    return made;
  };
  const control = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${sandbox.controlUrl}${path}`, init);
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  };
  const order = (fault: Record<string, unknown>) =>
    control('/sandbox/faults', { destination: 'im', ...fault });
  const eventsOf = async (room: string): Promise<readonly ShownEvent[]> => {
    const { rooms: shown } = await control('/sandbox/received?destination=im');
    const all = shown as readonly { room_id: string; events: readonly ShownEvent[] }[];
    return all.find(({ room_id: id }) => id === room)?.events ?? [];
  };
  const messageOf = (room: string, eventId: string, random32 = 7): GroupMessage => ({
    groupId: `rc_demo_${room}`,
    random: random32,
    priority: 'Normal',
    data: JSON.stringify({
      event_id: `${room} ${eventId}`,
      app_code: 'demo',
      room_id: room,
      type: 'RoomMicUp',
    }),
  });
  const freshRoom = async (): Promise<string> => {
    const room = `room${(rooms += 1)}`;
    expect(await client.ensureGroup(`rc_demo_${room}`, 'Evening talk')).toEqual({ kind: 'done' });
    return room;
  };

  beforeAll(async () => {
    sandbox = await startSandbox({
      imListen: loopback,
      rtcListen: loopback,
      rtcApps: [],
      activityListen: loopback,
      walletListen: loopback,
      controlListen: loopback,
      apps: [app],
      walletOpeningCoins: 0n,
      clock: sandboxClock,
      timers: createSystemTimers(),
      random: createSystemRandom(),
      startActivityServer: () =>
        Promise.resolve({ address: 'none', stop: () => Promise.resolve() }),
      startWalletServer: () => Promise.resolve({ address: 'none', stop: () => Promise.resolve() }),
    });
    client = clientOf();
  });
  beforeEach(() => order({ clear: true }));
  afterAll(async () => {
    for (const made of clients) made.stop();
    await sandbox.stop();
  });

  it('makes a group, and finds it made the second time', async () => {
    expect(await client.ensureGroup('rc_demo_twice', 'One')).toEqual({ kind: 'done' });
    expect(await client.ensureGroup('rc_demo_twice', 'One')).toEqual({ kind: 'done' });
    const { groups } = await control('/sandbox/groups');
    expect(groups).toContainEqual({
      sdk_app_id: app.sdkAppId,
      group_id: 'rc_demo_twice',
      name: 'One',
      messages: 0,
      banned: [],
    });
  });

  it('a group that somebody else owns counts as made only if it is of our kind', async () => {
    const room = await freshRoom();
    await order({ kind: 'error_code', code: 10021, command: 'create_group' });
    expect(await client.ensureGroup(`rc_demo_${room}`, 'One')).toEqual({ kind: 'done' });
    await order({ kind: 'error_code', code: 10021, command: 'create_group' });
    expect(await client.ensureGroup('rc_demo_nobody', 'One')).toMatchObject({ kind: 'permanent' });
  });

  it('sends a message once; its repeat is dropped over there and counted', async () => {
    const room = await freshRoom();
    const message = messageOf(room, 'e1');
    expect(await client.sendGroupMessage(message)).toEqual({ kind: 'done' });
    expect(await client.sendGroupMessage(message)).toEqual({ kind: 'done' });
    expect(await eventsOf(room)).toMatchObject([
      { event_id: `${room} e1`, repeats: 0, deduplicated: 1, different: 0 },
    ]);
  });

  it('a repeat with another number or other bytes is no repeat to the vendor', async () => {
    const room = await freshRoom();
    await client.sendGroupMessage(messageOf(room, 'e1', 1));
    await client.sendGroupMessage(messageOf(room, 'e1', 2));
    const other = messageOf(room, 'e1', 1);
    await client.sendGroupMessage({ ...other, data: `${other.data} ` });
    expect(await eventsOf(room)).toMatchObject([{ repeats: 2, deduplicated: 0, different: 1 }]);
  });

  it('notifies a group of its end', async () => {
    const room = await freshRoom();
    const content = messageOf(room, 'e1').data;
    expect(await client.sendGroupNotification(`rc_demo_${room}`, content)).toEqual({
      kind: 'done',
    });
    expect(await eventsOf(room)).toMatchObject([{ event_id: `${room} e1`, notifications: 1 }]);
  });

  it('a missing group is made once, and the message sent after all', async () => {
    expect(await client.sendGroupMessage(messageOf('lost', 'e1'))).toEqual({ kind: 'done' });
    expect(await eventsOf('lost')).toHaveLength(1);
    await order({ kind: 'error_code', code: 10010, times: null, command: 'send_group_msg' });
    expect(await client.sendGroupMessage(messageOf('lost', 'e2'))).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('10010') as string,
    });
  });

  it('a 502 and a cut connection are unknown, with the message stored in one of them', async () => {
    const room = await freshRoom();
    await order({ kind: 'http_502' });
    expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toEqual({
      kind: 'unknown',
      cause: 'send_group_msg: HTTP status 502',
    });
    expect(await eventsOf(room)).toEqual([]);
    await order({ kind: 'cut_after_store' });
    expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toMatchObject({ kind: 'unknown' });
    expect(await eventsOf(room)).toHaveLength(1);
    expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toEqual({ kind: 'done' });
    expect(await eventsOf(room)).toMatchObject([{ repeats: 0, deduplicated: 1 }]);
  });

  it('a hanging answer is unknown within the deadline of the call', async () => {
    const room = await freshRoom();
    await order({ kind: 'hang' });
    const startedMs = performance.now();
    const outcome = await clientOf({ callTimeoutMs: 200 }).sendGroupMessage(messageOf(room, 'e1'));
    expect(outcome).toMatchObject({ kind: 'unknown' });
    expect(performance.now() - startedMs).toBeLessThan(1_500);
  });

  it('an internal error is tried again, n times as ordered', async () => {
    const room = await freshRoom();
    await order({ kind: 'error_code', code: 10002, times: 2 });
    for (const kind of ['retryable', 'retryable', 'done']) {
      expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toMatchObject({ kind });
    }
  });

  it('an expired signature is made anew once, then given up', async () => {
    const room = await freshRoom();
    await order({ kind: 'error_code', code: 70001, times: 1 });
    expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toEqual({ kind: 'done' });
    await order({ kind: 'error_code', code: 70001, times: 2 });
    expect(await client.sendGroupMessage(messageOf(room, 'e2'))).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('70001') as string,
    });
  });

  it('a message that frequency control dropped is waited out, though the answer says OK', async () => {
    const room = await freshRoom();
    await order({ kind: 'drop' });
    expect(await client.sendGroupMessage(messageOf(room, 'e1'))).toMatchObject({
      kind: 'throttled',
    });
    expect(await eventsOf(room)).toEqual([]);
  });

  it('more than forty messages a second in one group are throttled', async () => {
    const room = await freshRoom();
    stoppedAtMs = { wallMs: clock.wallMs(), monoMs: clock.monoMs() };
    const outcomes = await Promise.all(
      Array.from({ length: 45 }, (_, at) => client.sendGroupMessage(messageOf(room, `e${at}`, at))),
    ).finally(() => {
      stoppedAtMs = null;
    });
    expect(outcomes.filter(({ kind }) => kind === 'done').length).toBeGreaterThanOrEqual(40);
    expect(outcomes).toContainEqual(expect.objectContaining({ kind: 'throttled' }));
  });

  it('a message above 12 KB is refused for good', async () => {
    const room = await freshRoom();
    const data = JSON.stringify({ event_id: 'e1', text: 'x'.repeat(13_000) });
    expect(await client.sendGroupMessage({ ...messageOf(room, 'e1'), data })).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('80002') as string,
    });
  });

  it('a wrong key, account or app is refused without the key or signature in the error', async () => {
    const wrongKey = clientOf({ secretKey: 'another-key-that-is-secret' });
    const wrongAccount = clientOf({ adminIdentifier: 'root' });
    const wrongApp = clientOf({ sdkAppId: 5 });
    for (const wrong of [wrongKey, wrongAccount, wrongApp]) {
      const outcome = await wrong.ensureGroup('rc_demo_x', 'One');
      expect(outcome.kind).toBe('permanent');
      expect(JSON.stringify(outcome)).not.toMatch(/secret|usersig|eJ/i);
    }
  });

  it('renews its signature before it expires', async () => {
    let aheadMs = 0;
    const moving: Clock = {
      wallMs: () => clock.wallMs() - 5 * 24 * 3_600_000 + aheadMs,
      monoMs: () => clock.monoMs(),
    };
    const old = clientOf({}, moving);
    // Signed five days ago for two: the other side refuses it, also after the second signature.
    expect(await old.ensureGroup('rc_demo_y', 'One')).toMatchObject({ kind: 'permanent' });
    aheadMs = 5 * 24 * 3_600_000;
    expect(await old.ensureGroup('rc_demo_y', 'One')).toEqual({ kind: 'done' });
  });

  it('nobody listening is unknown, not an exception', async () => {
    const nobody = clientOf({ baseUrl: 'http://127.0.0.1:9' });
    expect(await nobody.ensureGroup('rc_demo_x', 'One')).toMatchObject({
      kind: 'unknown',
      cause: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
});
