/** How the wallet client reads what a wallet must not say, and ends that are no answers. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { status as grpcStatus } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statusAnswer, StatusError } from '../../../../src/drivers/grpc/error-details.ts';
import { Wallet as WireWallet } from '../../../../src/drivers/grpc/generated/roomcell/v1/wallet_pb.ts';
import type {
  DebitRequest as WireDebitRequest,
  DebitResponseSchema,
  FindResponseSchema,
  PayPrizeResponseSchema,
  ReceiptSchema,
  VoidResponseSchema,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/wallet_pb.ts';
import { bridgeService } from '../../../../src/drivers/grpc/grpc-bridge.ts';
import { createGrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import type { GrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import { createWalletGrpcClient } from '../../../../src/drivers/grpc/wallet-grpc-client.ts';
import type { UserId } from '../../../../src/domain/ids.ts';
import type { Wallet } from '../../../../src/ports/wallet.ts';
import { driverDeps } from '../../../support/driver-deps.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { payee, payment, walletApp, walletKey } from '../../../support/wallet-builders.ts';

const host = '127.0.0.1';
const patienceMs = 5_000;
const token = 'a token of the deployment';
const wireReceipt = {
  receiptId: 'r1',
  payerUserId: 'alice',
  coins: 10n,
  purpose: 'p',
} satisfies MessageInitShape<typeof ReceiptSchema>;
const unknown = { kind: 'unknown', cause: expect.stringMatching(/\w/) as unknown };

interface Script {
  debit: () => Promise<MessageInitShape<typeof DebitResponseSchema>>;
  find: () => Promise<MessageInitShape<typeof FindResponseSchema>>;
  void: () => Promise<MessageInitShape<typeof VoidResponseSchema>>;
  payPrize: () => Promise<MessageInitShape<typeof PayPrizeResponseSchema>>;
}

let script: Script;
let received: { request: WireDebitRequest; authorization: string }[];
let server: GrpcHost;
let port: number;
let wallet: Wallet;

beforeEach(async () => {
  const nothing = (): Promise<object> => Promise.resolve({});
  script = { debit: nothing, find: nothing, void: nothing, payPrize: nothing };
  received = [];
  const service = bridgeService(WireWallet, {
    debit: (request, { authorization }) => {
      received.push({ request, authorization });
      return script.debit();
    },
    find: () => script.find(),
    void: () => script.void(),
    payPrize: () => script.payPrize(),
  });
  const ports = driverDeps();
  server = createGrpcHost({ host, port: 0, services: [service] }, ports);
  port = await server.start();
  wallet = createWalletGrpcClient({ address: `${host}:${port}`, token }, ports);
});

afterEach(async () => {
  await wallet.stop();
  await server.stop(0);
});

const debit = () => wallet.debit(payment(), patienceMs);
const find = () => wallet.find(walletKey(1), walletApp, patienceMs);
const voidKey = () => wallet.void(walletKey(1), walletApp, patienceMs);
const payPrize = () => {
  const key = { key: walletKey(2), debitKey: walletKey(1), appCode: walletApp };
  const prize = { ...key, winnerUserId: payment().payerUserId, coins: 25n, drawId: 'draw-1' };
  return wallet.payPrize(prize, patienceMs);
};
const failing = (status: keyof typeof grpcStatus) => () =>
  Promise.reject(new StatusError(statusAnswer(grpcStatus[status], 'as scripted', [])));
const debited = (change: object) => () =>
  Promise.resolve({ end: { case: 'debited' as const, value: { ...wireReceipt, ...change } } });

describe('the wallet client', () => {
  it('sends every field, its token, and amounts up to 64 bits', async () => {
    const coins = 2n ** 63n - 1n;
    await wallet.debit(payment({ coins, payees: [{ userId: payee, coins }] }), patienceMs);
    expect(received).toMatchObject([
      {
        authorization: `Bearer ${token}`,
        request: {
          key: walletKey(1),
          appCode: 'demo',
          payerUserId: 'alice',
          coins,
          purpose: payment().purpose,
          payees: [{ userId: 'bob', coins }],
        },
      },
    ]);
  });

  it('never sends an amount that would arrive as another', async () => {
    for (const coins of [2n ** 63n, 2n ** 64n + 5n, 0n, -5n]) {
      expect(await wallet.debit(payment({ coins, payees: [] }), patienceMs)).toMatchObject({
        kind: 'refused',
      });
      const payees = [{ userId: payee, coins }];
      expect(await wallet.debit(payment({ payees }), patienceMs)).toMatchObject({
        kind: 'refused',
      });
    }
    expect(received).toEqual([]);
  });

  it('reads balances that are left out, zero, below zero and beyond any double', async () => {
    script.debit = debited({});
    expect(await debit()).toMatchObject({
      receipt: { balanceAfter: null, incomeBalanceAfter: null },
    });
    script.debit = debited({ balanceAfter: 0n, incomeBalanceAfter: -1n });
    expect(await debit()).toMatchObject({
      receipt: { balanceAfter: 0n, incomeBalanceAfter: -1n },
    });
    script.debit = debited({ balanceAfter: 2n ** 63n - 1n });
    expect(await debit()).toMatchObject({ receipt: { balanceAfter: 2n ** 63n - 1n } });
  });

  it.each(['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE'] as const)(
    'reads %s as refused for a debit, and as a doubt for a find or a void',
    async (status) => {
      script = { ...script, debit: failing(status), find: failing(status), void: failing(status) };
      expect(await debit()).toEqual({
        kind: 'refused',
        cause: expect.stringContaining(status) as unknown,
      });
      expect([await find(), await voidKey()]).toEqual([unknown, unknown]);
    },
  );

  it.each([
    'CANCELLED',
    'UNKNOWN',
    'DEADLINE_EXCEEDED',
    'NOT_FOUND',
    'ALREADY_EXISTS',
    'PERMISSION_DENIED',
    'RESOURCE_EXHAUSTED',
    'ABORTED',
    'UNIMPLEMENTED',
    'INTERNAL',
    'UNAVAILABLE',
    'DATA_LOSS',
    'UNAUTHENTICATED',
  ] as const)('reads %s as a doubt', async (status) => {
    script = { ...script, debit: failing(status), find: failing(status), void: failing(status) };
    const cause = expect.stringContaining(status) as unknown;
    for (const outcome of [await debit(), await find(), await voidKey()]) {
      expect(outcome).toEqual({ kind: 'unknown', cause });
    }
  });

  it('reads an answer without an end as a doubt', async () => {
    expect([await debit(), await find(), await payPrize()]).toEqual([unknown, unknown, unknown]);
  });

  it.each([
    ['no id', { receiptId: '' }],
    ['no coins', { coins: 0n }],
  ])('reads a prize’s receipt with %s as a doubt', async (_, change) => {
    const receipt = { receiptId: 'prize-1', winnerUserId: 'alice', coins: 25n, ...change };
    script.payPrize = () => Promise.resolve({ end: { case: 'paid', value: receipt } });
    expect(await payPrize()).toEqual(unknown);
  });

  it.each([
    ['no id', { receiptId: '' }],
    ['an id that is too long', { receiptId: 'r'.repeat(129) }],
    ['an id with a line break', { receiptId: 'r\n1' }],
    ['no payer', { payerUserId: '' }],
    ['a payer who is no user id', { payerUserId: 'a b' }],
    ['no coins', { coins: 0n }],
    ['coins below zero', { coins: -10n }],
  ])('reads a receipt with %s as a doubt', async (_, change) => {
    script.debit = debited(change);
    script.find = () =>
      Promise.resolve({ end: { case: 'found', value: { ...wireReceipt, ...change } } });
    expect([await debit(), await find()]).toEqual([unknown, unknown]);
  });

  it('passes on a receipt of another payer, amount and purpose', async () => {
    script.debit = debited({ payerUserId: 'mallory', coins: 99n, purpose: 'rent' });
    expect(await debit()).toMatchObject({
      kind: 'debited',
      receipt: { payerUserId: 'mallory' as UserId, coins: 99n, purpose: 'rent' },
    });
  });

  it('reads a refund below zero as a doubt', async () => {
    script.void = () => Promise.resolve({ refundedCoins: -1n });
    expect(await voidKey()).toEqual(unknown);
  });

  it('reads a server that is not there as a doubt, and finds it again', async () => {
    const proxy = await startTcpProxy({ targetPort: port, targetHost: host });
    await proxy.refuse();
    const { clock } = driverDeps();
    const client = createWalletGrpcClient({ address: `${host}:${proxy.port}` }, { clock });
    script.debit = debited({});
    try {
      expect(await client.debit(payment(), patienceMs)).toEqual(unknown);
      expect(received).toEqual([]);
      await proxy.accept();
      await expect
        .poll(() => client.debit(payment(), patienceMs), { timeout: 8_000 })
        .toMatchObject({ kind: 'debited' });
    } finally {
      await client.stop();
      await proxy.close();
    }
  });

  it('reads a connection that is cut behind the request as a doubt', async () => {
    const proxy = await startTcpProxy({ targetPort: port, targetHost: host });
    const { clock } = driverDeps();
    const client = createWalletGrpcClient({ address: `${host}:${proxy.port}` }, { clock });
    script.debit = () => {
      proxy.cut();
      return debited({})();
    };
    try {
      expect(await client.debit(payment(), patienceMs)).toEqual(unknown);
      expect(received).toHaveLength(1);
    } finally {
      await client.stop();
      await proxy.close();
    }
  });
});
