/** The wallet client and a wallet server keep the wallet's contract over a real connection. */
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { createWalletGrpcClient } from '../../../../src/drivers/grpc/wallet-grpc-client.ts';
import { createWalletServer } from '../../../../src/drivers/grpc/wallet-grpc-server.ts';
import { WalletStandIn } from '../../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import {
  openingCoins,
  patienceMs,
  walletContract,
} from '../../../contract/suites/wallet-contract.ts';
import type { WalletFixture } from '../../../contract/suites/wallet-contract.ts';
import { walletFaultContract } from '../../../contract/suites/wallet-fault-contract.ts';
import { walletPrizeContract } from '../../../contract/suites/wallet-prize-contract.ts';
import { driverDeps } from '../../../support/driver-deps.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { walletApp, walletKey } from '../../../support/wallet-builders.ts';

const host = '127.0.0.1';

async function makeFixture(): Promise<WalletFixture> {
  const ports = driverDeps();
  const { clock, timers } = ports;
  const random = createSeededRandom('wallet');
  const standIn = new WalletStandIn({ clock, timers, random, openingCoins });
  const server = createWalletServer({ host, port: 0, wallet: standIn }, ports);
  const address = `${host}:${await server.start()}`;
  const wallet = createWalletGrpcClient({ address }, { clock });
  // Connected before a test measures how long a call takes.
  await wallet.find(walletKey(1), walletApp, patienceMs);
  return {
    wallet,
    standIn,
    clock,
    ended: (call) => call,
    async until(expected, probe) {
      await waitUntil(expected, async () => probe());
    },
    async close() {
      await wallet.stop();
      standIn.stop();
      await server.stop(200);
    },
  };
}

walletContract('over gRPC', makeFixture);
walletFaultContract('over gRPC', makeFixture);
walletPrizeContract('over gRPC', makeFixture);
