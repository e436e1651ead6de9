/** The IM client over HTTP and the activity client over gRPC, on the stand-ins of the sandbox. */
import { createActivityGrpcClient } from '../../src/drivers/grpc/activity-grpc-client.ts';
import { createActivityServer } from '../../src/drivers/grpc/activity-grpc-server.ts';
import { ActivityStandIn } from '../../src/drivers/delivery-stand-in/activity-stand-in.ts';
import { ImStandIn } from '../../src/drivers/delivery-stand-in/im-stand-in.ts';
import { startImSandbox } from '../../src/drivers/sandbox/im-sandbox.ts';
import { createSystemRandom } from '../../src/drivers/system/system-random.ts';
import { createTencentImClient } from '../../src/drivers/tencent-im/tencent-im-client.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { driverDeps } from '../support/driver-deps.ts';
import { activityClientContract } from './suites/activity-client-contract.ts';
import { imClientContract } from './suites/im-client-contract.ts';

const loopback = { host: '127.0.0.1', port: 0 };
const random = createSystemRandom();
const callTimeoutMs = 1_500;

imClientContract('Tencent IM over HTTP', async () => {
  const { clock, timers } = driverDeps();
  const app = {
    sdkAppId: 1_400_000_001,
    adminIdentifier: 'administrator',
    secretKey: 'k'.repeat(64),
  };
  const standIn = new ImStandIn({ clock, timers, random });
  const parts = { apps: [app], standIn, nowMs: () => clock.wallMs() };
  const server = await startImSandbox(loopback, parts);
  const client = createTencentImClient(
    { ...app, baseUrl: server.url, callTimeoutMs },
    { clock, random },
  );
  return {
    client,
    standIn,
    callTimeoutMs,
    pass: (ms) => timers.sleep(ms),
    async close() {
      client.stop();
      await server.stop();
    },
  };
});

activityClientContract('gRPC', async () => {
  const deps = driverDeps();
  const standIn = new ActivityStandIn({ timers: deps.timers, random });
  const server = createActivityServer({ ...loopback, receiver: standIn }, deps);
  const address = `${loopback.host}:${await server.start()}`;
  const client = createActivityGrpcClient(
    { address, timeoutMs: callTimeoutMs },
    { clock: deps.clock, codec: createCodec() },
  );
  return {
    client,
    standIn,
    timeoutMs: callTimeoutMs,
    pass: (ms) => deps.timers.sleep(ms),
    async close() {
      await client.stop();
      await server.stop(0);
    },
  };
});
