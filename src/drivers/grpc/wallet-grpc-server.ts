/**
 * A wallet service over gRPC: the sandbox's stand-in, and the pattern for writing one. What it does
 * with the coins is given; it only speaks the protocol. Ids come in as they are: who is given them
 * checks them before anything else.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { status as grpcStatus } from '@grpc/grpc-js';
import type { AppCode, UserId } from '../../domain/ids.ts';
import { assertNever } from '../../kernel/assert.ts';
import type {
  DebitRequest,
  PrizeReceipt,
  PrizeRequest,
  WalletReceipt,
} from '../../ports/wallet.ts';
import { statusAnswer, StatusError } from './error-details.ts';
import { Wallet } from './generated/roomcell/v1/wallet_pb.ts';
import type {
  DebitRequest as WireDebitRequest,
  DebitResponseSchema,
  FindResponseSchema,
  PayPrizeResponseSchema,
  ReceiptSchema,
} from './generated/roomcell/v1/wallet_pb.ts';
import { bridgeService } from './grpc-bridge.ts';
import { createGrpcHost } from './grpc-host.ts';
import type { GrpcHost, GrpcHostPorts } from './grpc-host.ts';
import { luckyGiftService, type ServedLuckyGifts } from './lucky-gift-grpc-server.ts';

/** No end of the business: any gRPC status; `wallet.proto` says what a caller makes of it. */
export interface StatusEnd {
  readonly kind: 'status';
  readonly status: keyof typeof grpcStatus;
  readonly message: string;
}

/** How a debit ended. */
export type DebitEnd =
  | { readonly kind: 'debited'; readonly receipt: WalletReceipt }
  | { readonly kind: 'insufficient' }
  | { readonly kind: 'voided' }
  | { readonly kind: 'refused'; readonly cause: string }
  | StatusEnd;
/** What stands under a key. */
export type FindEnd =
  | { readonly kind: 'found'; readonly receipt: WalletReceipt }
  | { readonly kind: 'voided' }
  | { readonly kind: 'absent' }
  | StatusEnd;
/** How a void ended. */
export type VoidEnd = { readonly kind: 'voided'; readonly refundedCoins: bigint } | StatusEnd;

/** How the payment of a prize ended. */
export type PrizeEnd =
  | { readonly kind: 'paid'; readonly receipt: PrizeReceipt }
  | { readonly kind: 'voided' }
  | StatusEnd;

/** The wallet behind the server. `signal` aborts when the caller no longer waits. */
export interface ServedWallet {
  debit(request: DebitRequest, signal: AbortSignal): Promise<DebitEnd>;
  find(key: string, appCode: AppCode, signal: AbortSignal): Promise<FindEnd>;
  void(key: string, appCode: AppCode, signal: AbortSignal): Promise<VoidEnd>;
  payPrize(request: PrizeRequest, signal: AbortSignal): Promise<PrizeEnd>;
}

/** Where to listen and what to serve. */
export interface WalletServerOptions {
  readonly host: string;
  readonly port: number;
  readonly wallet: ServedWallet;
  /** Served beside it. */
  readonly luckyGifts?: ServedLuckyGifts;
}

const int64Max = 2n ** 63n - 1n;

/** Makes the server; serving from the start, since it depends on nothing. */
export function createWalletServer(options: WalletServerOptions, ports: GrpcHostPorts): GrpcHost {
  const { host, port, wallet, luckyGifts } = options;
  const service = bridgeService(Wallet, {
    debit: async (request, { signal }) => ({
      end: debitEndOf(await wallet.debit(debitOf(request), signal)),
    }),
    find: async ({ key, appCode }, { signal }) => ({
      end: findEndOf(await wallet.find(key, appCode as AppCode, signal)),
    }),
    void: async ({ key, appCode }, { signal }) => {
      const end = await wallet.void(key, appCode as AppCode, signal);
      if (end.kind === 'status') throw statusError(end);
      return { refundedCoins: end.refundedCoins };
    },
    payPrize: async (request, { signal }) => {
      const { key, debitKey, coins, drawId } = request;
      const appCode = request.appCode as AppCode;
      const winnerUserId = request.winnerUserId as UserId;
      const asked = { key, debitKey, appCode, winnerUserId, coins, drawId };
      return { end: prizeEndOf(await wallet.payPrize(asked, signal)) };
    },
  });
  const others = luckyGifts === undefined ? [] : [luckyGiftService(luckyGifts)];
  const server = createGrpcHost({ host, port, services: [service, ...others] }, ports);
  server.setServing(true);
  return server;
}

function debitOf(request: WireDebitRequest): DebitRequest {
  const { key, coins, purpose } = request;
  const payees = request.payees.map((payee) => ({
    userId: payee.userId as UserId,
    coins: payee.coins,
  }));
  const appCode = request.appCode as AppCode;
  const payerUserId = request.payerUserId as UserId;
  return { key, appCode, payerUserId, coins, purpose, payees };
}

function debitEndOf(
  end: DebitEnd,
): NonNullable<MessageInitShape<typeof DebitResponseSchema>['end']> {
  switch (end.kind) {
    case 'debited':
      return { case: 'debited', value: receiptOf(end.receipt) };
    case 'insufficient':
      return { case: 'insufficient', value: {} };
    case 'voided':
      return { case: 'voided', value: {} };
    case 'refused':
      return { case: 'refused', value: { cause: end.cause } };
    case 'status':
      throw statusError(end);
    default:
      return assertNever(end, 'a debit ends in a known way');
  }
}

function findEndOf(end: FindEnd): NonNullable<MessageInitShape<typeof FindResponseSchema>['end']> {
  switch (end.kind) {
    case 'found':
      return { case: 'found', value: receiptOf(end.receipt) };
    case 'voided':
      return { case: 'voided', value: {} };
    case 'absent':
      return { case: 'absent', value: {} };
    case 'status':
      throw statusError(end);
    default:
      return assertNever(end, 'a find ends in a known way');
  }
}

function prizeEndOf(
  end: PrizeEnd,
): NonNullable<MessageInitShape<typeof PayPrizeResponseSchema>['end']> {
  if (end.kind === 'status') throw statusError(end);
  if (end.kind === 'voided') return { case: 'voided', value: {} };
  const { receiptId, winnerUserId, coins, balanceAfter } = end.receipt;
  const told = fits(balanceAfter) ? { balanceAfter } : {};
  return { case: 'paid', value: { receiptId, winnerUserId, coins, ...told } };
}

function receiptOf(receipt: WalletReceipt): MessageInitShape<typeof ReceiptSchema> {
  const { receiptId, payerUserId, coins, purpose, balanceAfter, incomeBalanceAfter } = receipt;
  return {
    receiptId,
    payerUserId,
    coins,
    purpose,
    ...(fits(balanceAfter) ? { balanceAfter } : {}),
    ...(fits(incomeBalanceAfter) ? { incomeBalanceAfter } : {}),
  };
}

/** A balance beyond the wire format is left out: better none than another one. */
function fits(balance: bigint | null): balance is bigint {
  return balance !== null && balance <= int64Max;
}

function statusError({ status, message }: StatusEnd): StatusError {
  return new StatusError(statusAnswer(grpcStatus[status], message, []));
}
