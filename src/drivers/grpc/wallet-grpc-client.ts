/**
 * The wallet service over gRPC. Money hangs on how its ends are read: whatever leaves a doubt about
 * what the other side did is `unknown`, and only the ends that `wallet.proto` names are anything else.
 */
import { userIdFault } from '../../domain/ids.ts';
import type { UserId } from '../../domain/ids.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  DebitOutcome,
  DebitRequest,
  FoundDebit,
  PrizeOutcome,
  PrizeReceipt,
  VoidOutcome,
  Wallet as WalletPort,
  WalletReceipt,
} from '../../ports/wallet.ts';
import { Wallet } from './generated/roomcell/v1/wallet_pb.ts';
import type {
  DebitResponse,
  FindResponse,
  PayPrizeResponse,
  PrizeReceipt as WirePrizeReceipt,
  Receipt,
  VoidResponse,
} from './generated/roomcell/v1/wallet_pb.ts';
import { GrpcCallError } from './grpc-client.ts';
import { openMoneyConnection, doubt, sentenceOf } from './money-connection.ts';
import type { MoneyConnectionOptions } from './money-connection.ts';

/**
 * Statuses that the contract gives the meaning "nothing was taken by this call". No other is safe to
 * read so: gRPC itself and proxies on the way make them for answers as well as for requests.
 */
const refusedStatuses: readonly string[] = [
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
];
const int64Max = 2n ** 63n - 1n;
const receiptIdPattern = /^[\x21-\x7e]{1,128}$/;

/** Connects with the first call and again by itself. */
export function createWalletGrpcClient(
  options: MoneyConnectionOptions,
  ports: { readonly clock: Clock },
): WalletPort {
  const { calls, within, stop } = openMoneyConnection(Wallet, options, ports.clock);
  return {
    async debit(request, timeoutMs) {
      if (!isOnWire(request)) return { kind: 'refused', cause: 'coins outside of 1 to 2^63-1' };
      const { key, appCode, payerUserId, coins, purpose, payees } = request;
      const message = { key, appCode, payerUserId, coins, purpose, payees: [...payees] };
      try {
        return readDebit(await calls.debit(message, within(timeoutMs)));
      } catch (thrown) {
        return refusalOrDoubt(thrown);
      }
    },
    async find(key, appCode, timeoutMs) {
      try {
        return readFound(await calls.find({ key, appCode }, within(timeoutMs)));
      } catch (thrown) {
        return doubt(thrown);
      }
    },
    async void(key, appCode, timeoutMs) {
      try {
        return readVoid(await calls.void({ key, appCode }, within(timeoutMs)));
      } catch (thrown) {
        return doubt(thrown);
      }
    },
    async payPrize(request, timeoutMs) {
      if (request.coins < 1n || request.coins > int64Max) {
        return { kind: 'refused', cause: 'coins outside of 1 to 2^63-1' };
      }
      try {
        return readPrize(await calls.payPrize({ ...request }, within(timeoutMs)));
      } catch (thrown) {
        return refusalOrDoubt(thrown);
      }
    },
    stop,
  };
}

/** Amounts that the wire format can carry; others never leave this process. */
function isOnWire({ coins, payees }: DebitRequest): boolean {
  return [coins, ...payees.map((payee) => payee.coins)].every(
    (amount) => amount > 0n && amount <= int64Max,
  );
}

function readDebit({ end }: DebitResponse): DebitOutcome {
  switch (end.case) {
    case 'debited':
      return readReceipt(end.value, (receipt) => ({ kind: 'debited', receipt }));
    case 'insufficient':
      return { kind: 'insufficient' };
    case 'voided':
      return { kind: 'voided' };
    case 'refused':
      return { kind: 'refused', cause: end.value.cause };
    case undefined:
      return unknownOutcome('a debit’s answer without an end');
  }
}

function readFound({ end }: FindResponse): FoundDebit {
  switch (end.case) {
    case 'found':
      return readReceipt(end.value, (receipt) => ({ kind: 'found', receipt }));
    case 'voided':
      return { kind: 'voided' };
    case 'absent':
      return { kind: 'absent' };
    case undefined:
      return unknownOutcome('a find’s answer without an end');
  }
}

function readVoid({ refundedCoins }: VoidResponse): VoidOutcome {
  return refundedCoins < 0n
    ? unknownOutcome(`a void’s answer with ${refundedCoins} refunded coins`)
    : { kind: 'voided', refundedCoins };
}

function readPrize({ end }: PayPrizeResponse): PrizeOutcome {
  switch (end.case) {
    case 'paid':
      return readPrizeReceipt(end.value);
    case 'voided':
      return { kind: 'voided' };
    case 'refused':
      return { kind: 'refused', cause: end.value.cause };
    case undefined:
      return unknownOutcome('a prize’s answer without an end');
  }
}

function readPrizeReceipt(wire: WirePrizeReceipt): PrizeOutcome {
  const { receiptId, coins, balanceAfter } = wire;
  if (!receiptIdPattern.test(receiptId) || coins < 1n) {
    return unknownOutcome('a prize’s receipt that cannot be read');
  }
  const winnerUserId = wire.winnerUserId as UserId;
  const receipt: PrizeReceipt = {
    ...{ receiptId, winnerUserId, coins },
    balanceAfter: balanceAfter ?? null,
  };
  return { kind: 'paid', receipt };
}

/** Payer, amount and purpose are passed on as they are: what they mean is the caller's judgement. */
function readReceipt<Outcome>(
  receipt: Receipt,
  outcomeOf: (receipt: WalletReceipt) => Outcome,
): Outcome | UnknownOutcome {
  const fault = receiptFault(receipt);
  if (fault !== null) return unknownOutcome(`a receipt ${fault}`);
  return outcomeOf({
    receiptId: receipt.receiptId,
    payerUserId: receipt.payerUserId as UserId,
    coins: receipt.coins,
    purpose: receipt.purpose,
    balanceAfter: receipt.balanceAfter ?? null,
    incomeBalanceAfter: receipt.incomeBalanceAfter ?? null,
  });
}

function receiptFault({ receiptId, payerUserId, coins }: Receipt): string | null {
  if (!receiptIdPattern.test(receiptId)) return 'without a readable receipt_id';
  if (userIdFault(payerUserId) !== null) return 'whose payer is no user id';
  return coins > 0n ? null : `over ${coins} coins`;
}

function refusalOrDoubt(
  thrown: unknown,
): { readonly kind: 'refused'; readonly cause: string } | UnknownOutcome {
  const isRefused =
    thrown instanceof GrpcCallError && refusedStatuses.includes(thrown.failure.status);
  return isRefused ? { kind: 'refused', cause: sentenceOf(thrown) } : doubt(thrown);
}
