/** The sandbox's wallet as tests and people use it: gRPC on one side, the control pages on the other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../../src/domain/ids.ts';
import { createWalletGrpcClient } from '../../../../src/drivers/grpc/wallet-grpc-client.ts';
import { createWalletServer } from '../../../../src/drivers/grpc/wallet-grpc-server.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { startSandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import type { Sandbox } from '../../../../src/drivers/sandbox/sandbox-server.ts';
import type { Wallet } from '../../../../src/ports/wallet.ts';
import { driverDeps } from '../../../support/driver-deps.ts';
import { payment, walletApp, walletKey } from '../../../support/wallet-builders.ts';

const loopback = { host: '127.0.0.1', port: 0 };
const patienceMs = 5_000;
const ports = driverDeps();
let sandbox: Sandbox;
let wallet: Wallet;

beforeAll(async () => {
  sandbox = await startSandbox({
    imListen: loopback,
    rtcListen: loopback,
    rtcApps: [],
    activityListen: loopback,
    walletListen: loopback,
    controlListen: loopback,
    apps: [],
    walletOpeningCoins: 1_000n,
    clock: ports.clock,
    timers: ports.timers,
    random: createSeededRandom('sandbox'),
    startActivityServer: () => Promise.resolve({ address: 'none', stop: () => Promise.resolve() }),
    async startWalletServer(listen, served) {
      const server = createWalletServer({ ...listen, wallet: served }, ports);
      const port = await server.start();
      return { address: `${listen.host}:${port}`, stop: () => server.stop(200) };
    },
  });
  wallet = createWalletGrpcClient({ address: sandbox.walletAddr }, ports);
});

afterAll(async () => {
  await wallet.stop();
  await sandbox.stop();
});

const get = async (page: string): Promise<unknown> =>
  (await fetch(`${sandbox.controlUrl}/sandbox/${page}`)).json();
const post = async (page: string, body: unknown): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${sandbox.controlUrl}/sandbox/${page}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
};

describe('the wallet of the sandbox', () => {
  it('shows what was taken and given back, by key and in all', async () => {
    await wallet.debit(payment(), patienceMs);
    await wallet.debit(payment(), patienceMs);
    await wallet.debit(payment({ coins: 999n }), patienceMs);
    await wallet.debit(payment({ key: walletKey(2), coins: 5n }), patienceMs);
    await wallet.void(walletKey(2), walletApp, patienceMs);
    await wallet.debit(payment({ key: walletKey(2), coins: 5n }), patienceMs);
    expect(await get('wallet/ledger')).toEqual({
      sums: { debits: 2, refunds: 1, debited_coins: '15', refunded_coins: '5', prize_coins: '0' },
      conflicts: 1,
      keys: [
        {
          app_code: 'demo',
          key: walletKey(1),
          state: 'debited',
          debits: 1,
          refunds: 0,
          debited_coins: '10',
          refunded_coins: '0',
          prize_coins: '0',
          repeats: 1,
          conflicts: 1,
          late_debits: 0,
        },
        {
          app_code: 'demo',
          key: walletKey(2),
          state: 'voided',
          debits: 1,
          refunds: 1,
          debited_coins: '5',
          refunded_coins: '5',
          prize_coins: '0',
          repeats: 0,
          conflicts: 0,
          late_debits: 1,
        },
      ],
      entries: [
        { kind: 'debit', key: walletKey(1), coins: '10' },
        { kind: 'debit', key: walletKey(2), coins: '5' },
        { kind: 'refund', key: walletKey(2), coins: '5' },
      ].map((entry) => ({
        ...entry,
        app_code: 'demo',
        user_id: 'alice',
        at_ms: expect.any(Number) as unknown,
      })),
    });
    expect(await get('wallet/balances')).toEqual({
      opening_coins: '1000',
      balances: [
        { user_id: 'alice', coins: '990', income_coins: '0' },
        { user_id: 'bob', coins: '1000', income_coins: '10' },
      ].map((balance) => ({
        ...balance,
        app_code: 'demo',
        opening_coins: '1000',
        adjusted_coins: '0',
      })),
    });
  });

  it('takes a new balance, to the last digit', async () => {
    const balance = { app_code: 'demo', user_id: 'carol', coins: '900719925474099301' };
    expect(await post('wallet/balances', balance)).toEqual({
      status: 200,
      body: {
        ...balance,
        opening_coins: '1000',
        adjusted_coins: '900719925474098301',
        income_coins: '0',
      },
    });
    const request = payment({ key: walletKey(3), payerUserId: 'carol' as UserId, coins: 1n });
    expect(await wallet.debit(request, patienceMs)).toMatchObject({
      receipt: { balanceAfter: 900_719_925_474_099_300n },
    });
  });

  it.each([
    [{ user_id: 'carol', coins: '1' }, 'app_code is missing or malformed'],
    [{ app_code: 'demo', user_id: 'a b', coins: '1' }, 'user_id is missing or malformed'],
    [{ app_code: 'demo', user_id: 'carol', coins: 1 }, 'coins must be a text of up to 18 digits'],
    [
      { app_code: 'demo', user_id: 'carol', coins: '-1' },
      'coins must be a text of up to 18 digits',
    ],
    ['text', 'app_code is missing or malformed'],
  ])('refuses %j as a balance', async (body, error) => {
    expect(await post('wallet/balances', body)).toEqual({ status: 400, body: { error } });
  });

  it('takes orders of faults, shows them, carries them out and clears them', async () => {
    const order = { destination: 'wallet', kind: 'insufficient', times: 2 };
    expect(await post('faults', order)).toMatchObject({ status: 200 });
    const request = payment({ key: walletKey(4) });
    expect(await wallet.debit(request, patienceMs)).toEqual({ kind: 'insufficient' });
    expect(await get('faults')).toMatchObject({
      wallet: [{ kind: 'insufficient', command: 'debit', left: 1 }],
    });
    expect(await post('faults', { destination: 'wallet', clear: true })).toMatchObject({
      status: 200,
    });
    expect(await wallet.debit(request, patienceMs)).toMatchObject({ kind: 'debited' });
  });

  it.each([
    [{ destination: 'wallet', kind: 'hang' }, /kind must be one of unavailable, applied_then_/],
    [{ destination: 'wallet', kind: 'find_lags', command: 'void' }, /hits find only/],
    [
      { destination: 'bank', kind: 'slow' },
      /destination must be im, rtc, activity, wallet or lucky/,
    ],
  ])('refuses the order %j', async (order, error) => {
    expect(await post('faults', order)).toEqual({
      status: 400,
      body: { error: expect.stringMatching(error) as unknown },
    });
  });

  it('knows no other page', async () => {
    const answer = await fetch(`${sandbox.controlUrl}/sandbox/wallet/secrets`);
    expect(answer.status).toBe(404);
  });
});
