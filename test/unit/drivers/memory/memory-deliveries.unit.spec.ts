/** The twins of the IM client and the activity client keep the contracts, on one record with the sandbox. */
import { expect, it } from 'vitest';
import { ActivityStandIn } from '../../../../src/drivers/delivery-stand-in/activity-stand-in.ts';
import { ImStandIn } from '../../../../src/drivers/delivery-stand-in/im-stand-in.ts';
import { MemoryActivityClient } from '../../../../src/drivers/memory/memory-activity-client.ts';
import { MemoryImClient } from '../../../../src/drivers/memory/memory-im-client.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { startSandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { activityClientContract } from '../../../contract/suites/activity-client-contract.ts';
import { imClientContract } from '../../../contract/suites/im-client-contract.ts';

const random = createSeededRandom('deliveries');
const app = { sdkAppId: 1_400_000_001, adminIdentifier: 'administrator' };
const callTimeoutMs = 1_000;

function im() {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const standIn = new ImStandIn({ clock: time, timers: time, random });
  const client = new MemoryImClient({ app, callTimeoutMs }, standIn, { clock: time, timers: time });
  return { time, standIn, client };
}

imClientContract('memory', () => {
  const { time, standIn, client } = im();
  const close = () => Promise.resolve();
  return Promise.resolve({
    client,
    standIn,
    callTimeoutMs,
    pass: (ms) => time.advance(ms),
    close,
  });
});

activityClientContract('memory', () => {
  const time = new VirtualTime();
  const standIn = new ActivityStandIn({ timers: time, random });
  const context = { clock: time, timers: time, codec: createCodec() };
  const client = new MemoryActivityClient(standIn, callTimeoutMs, context);
  return Promise.resolve({
    client,
    standIn,
    timeoutMs: callTimeoutMs,
    pass: (ms) => time.advance(ms),
    close: () => client.stop(),
  });
});

it('the sandbox shows what a twin delivered in its process', async () => {
  const { time, standIn, client } = im();
  const loopback = { host: '127.0.0.1', port: 0 };
  const noServer = () => Promise.resolve({ address: 'none', stop: () => Promise.resolve() });
  const sandbox = await startSandbox({
    imListen: loopback,
    rtcListen: loopback,
    activityListen: loopback,
    walletListen: loopback,
    controlListen: loopback,
    apps: [],
    rtcApps: [],
    im: standIn,
    walletOpeningCoins: 0n,
    clock: time,
    timers: time,
    random,
    startActivityServer: noServer,
    startWalletServer: noServer,
  });
  const data = JSON.stringify({ event_id: 'e1', app_code: 'app1', room_id: 'r1' });
  await client.sendGroupMessage({ groupId: 'rc_app1_r1', random: 1, priority: 'Low', data });
  const response = await fetch(`${sandbox.controlUrl}/sandbox/received?destination=im`);
  expect(await response.json()).toMatchObject({
    events: 1,
    rooms: [{ room_id: 'r1', events: [{ event_id: 'e1' }] }],
  });
  await sandbox.stop();
});
