/** The lucky gift client and a server keep the contract over a real connection. */
import { LuckyStandIn } from '../../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { createGrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import { createLuckyGiftGrpcClient } from '../../../../src/drivers/grpc/lucky-gift-grpc-client.ts';
import { luckyGiftService } from '../../../../src/drivers/grpc/lucky-gift-grpc-server.ts';
import { luckyGiftClientContract } from '../../../contract/suites/lucky-gift-client-contract.ts';
import { driverDeps } from '../../../support/driver-deps.ts';

const host = '127.0.0.1';

luckyGiftClientContract('over gRPC', async () => {
  const ports = driverDeps();
  const { clock, timers } = ports;
  const standIn = new LuckyStandIn({ timers, random: createSeededRandom('lucky') });
  const server = createGrpcHost({ host, port: 0, services: [luckyGiftService(standIn)] }, ports);
  server.setServing(true);
  const address = `${host}:${await server.start()}`;
  const client = createLuckyGiftGrpcClient({ address }, { clock });
  return {
    client,
    standIn,
    ended: (call) => call,
    async close() {
      await client.stop();
      standIn.stop();
      await server.stop(200);
    },
  };
});
