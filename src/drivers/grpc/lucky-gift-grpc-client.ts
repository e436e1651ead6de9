/**
 * The lucky gift service over gRPC. An answer that is not what `lucky_gift.proto` says is a doubt like
 * none at all: a prize hangs on it.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Draw, DrawRequest, LuckyGiftClient } from '../../ports/lucky-gift-client.ts';
import { LuckyGiftService } from './generated/roomcell/v1/lucky_gift_pb.ts';
import type { DrawResponse } from './generated/roomcell/v1/lucky_gift_pb.ts';
import { openMoneyConnection, doubt } from './money-connection.ts';
import type { MoneyConnectionOptions } from './money-connection.ts';

const drawIdPattern = /^[\x21-\x7e]{1,128}$/;
const multiplierPercentMax = 100_000_000;

/** Connects with the first call and again by itself. */
export function createLuckyGiftGrpcClient(
  options: MoneyConnectionOptions,
  ports: { readonly clock: Clock },
): LuckyGiftClient {
  const { calls, within, stop } = openMoneyConnection(LuckyGiftService, options, ports.clock);
  return {
    async check(gift, targetUserIds, timeoutMs) {
      try {
        const request = { gift: { ...gift }, targetUserIds: [...targetUserIds] };
        const { allowed, cause } = await calls.check(request, within(timeoutMs));
        return allowed ? { kind: 'allowed' } : { kind: 'refused', cause };
      } catch (thrown) {
        return doubt(thrown);
      }
    },
    async draw(gift, requests, timeoutMs) {
      try {
        const draws = requests.map(({ key, targetUserId }) => ({ key, targetUserId }));
        const answer = await calls.draw({ gift: { ...gift }, draws }, within(timeoutMs));
        const drawn = readDraws(answer, requests);
        return drawn === null
          ? unknownOutcome('draws that do not fit what was asked')
          : { kind: 'drawn', draws: drawn };
      } catch (thrown) {
        return doubt(thrown);
      }
    },
    stop,
  };
}

function readDraws(
  { draws }: DrawResponse,
  requests: readonly DrawRequest[],
): readonly Draw[] | null {
  if (draws.length !== requests.length) return null;
  const read = draws.map(({ key, drawId, multiplierPercent, prizeCoins }) => {
    return { key, drawId, multiplierPercent, prizeCoins };
  });
  const isSound = read.every((draw, at) => draw.key === requests[at]?.key && isReadable(draw));
  return isSound ? read : null;
}

function isReadable({ drawId, multiplierPercent, prizeCoins }: Draw): boolean {
  const isWin = multiplierPercent > 0;
  return (
    drawIdPattern.test(drawId) &&
    multiplierPercent >= 0 &&
    multiplierPercent <= multiplierPercentMax &&
    prizeCoins >= 0n &&
    isWin === prizeCoins > 0n
  );
}
