/** A lucky gift service over gRPC: the sandbox's stand-in, and the pattern for writing one. */
import { status as grpcStatus } from '@grpc/grpc-js';
import type { AppCode, GiftId, RoomId, UserId } from '../../domain/ids.ts';
import type { Draw, DrawRequest, LuckyGift } from '../../ports/lucky-gift-client.ts';
import { statusAnswer, StatusError } from './error-details.ts';
import { LuckyGiftService } from './generated/roomcell/v1/lucky_gift_pb.ts';
import type { LuckyGift as WireLuckyGift } from './generated/roomcell/v1/lucky_gift_pb.ts';
import { bridgeService } from './grpc-bridge.ts';
import type { BridgedService } from './grpc-bridge.ts';

/** No end of the business: any gRPC status. */
interface StatusEnd {
  readonly kind: 'status';
  readonly status: keyof typeof grpcStatus;
  readonly message: string;
}

/** The service behind the server. `signal` aborts when the caller no longer waits. */
export interface ServedLuckyGifts {
  check(
    signal: AbortSignal,
  ): Promise<
    { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly cause: string } | StatusEnd
  >;
  draw(
    gift: LuckyGift,
    requests: readonly DrawRequest[],
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'drawn'; readonly draws: readonly Draw[] } | StatusEnd>;
}

/** The service, for a server that may have others beside it. */
export function luckyGiftService(luckyGifts: ServedLuckyGifts): BridgedService {
  return bridgeService(LuckyGiftService, {
    check: async (_request, { signal }) => {
      const end = await luckyGifts.check(signal);
      if (end.kind === 'status') throw statusError(end);
      return end.kind === 'allowed' ? { allowed: true } : { allowed: false, cause: end.cause };
    },
    draw: async ({ gift, draws }, { signal }) => {
      const requests = draws.map(({ key, targetUserId }) => {
        return { key, targetUserId: targetUserId as UserId };
      });
      const end = await luckyGifts.draw(giftOf(gift), requests, signal);
      if (end.kind === 'status') throw statusError(end);
      return { draws: end.draws.map((draw) => ({ ...draw })) };
    },
  });
}

function giftOf(wire: WireLuckyGift | undefined): LuckyGift {
  return {
    appCode: (wire?.appCode ?? '') as AppCode,
    roomId: (wire?.roomId ?? '') as RoomId,
    senderUserId: (wire?.senderUserId ?? '') as UserId,
    giftId: (wire?.giftId ?? '') as GiftId,
    catalogueVersion: wire?.catalogueVersion ?? 0n,
    giftCount: wire?.giftCount ?? 0,
    unitPrice: wire?.unitPrice ?? 0n,
  };
}

function statusError({ status, message }: StatusEnd): StatusError {
  return new StatusError(statusAnswer(grpcStatus[status], message, []));
}
