/** What every LuckyGiftClient must do, judged by the books of the service behind it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, GiftId, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { LuckyStandIn } from '../../../src/drivers/lucky-stand-in/lucky-stand-in.ts';
import type { LuckyGift, LuckyGiftClient } from '../../../src/ports/lucky-gift-client.ts';
import { walletKey } from '../../support/wallet-builders.ts';

/** A client, the service behind it, and the way to let time pass for both. */
export interface LuckyGiftFixture {
  readonly client: LuckyGiftClient;
  readonly standIn: LuckyStandIn;
  /** Lets time pass until the call has ended; answers how. */
  ended<T>(call: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const patienceMs = 5_000;
const gift: LuckyGift = {
  appCode: 'demo' as AppCode,
  roomId: 'r1' as RoomId,
  senderUserId: 'alice' as UserId,
  giftId: 'clover' as GiftId,
  catalogueVersion: 9_007_199_254_740_993n,
  giftCount: 3,
  unitPrice: 9_007_199_254_740_993n,
};
const bob = 'bob' as UserId;
const carol = 'carol' as UserId;
/** Begins with 00: wins by the stand-in's rule. */
const winning = walletKey(1);
const losing = `ff${walletKey(2).slice(2)}`;

/** Declares the suite. */
export function luckyGiftClientContract(
  name: string,
  makeFixture: () => Promise<LuckyGiftFixture>,
): void {
  describe(`LuckyGiftClient contract: ${name}`, () => {
    let fixture: LuckyGiftFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.close());

    const draw = (requests = [{ key: winning, targetUserId: bob }], timeoutMs = patienceMs) =>
      fixture.ended(fixture.client.draw(gift, requests, timeoutMs));

    it('says what the check says, and nothing is drawn by it (LUCKY-1, EXT-6)', async () => {
      const check = () => fixture.ended(fixture.client.check(gift, [bob], patienceMs));
      expect(await check()).toEqual({ kind: 'allowed' });
      fixture.standIn.faults.add({ kind: 'refuse', times: 1 });
      expect(await check()).toMatchObject({ kind: 'refused', cause: /\w/ });
      expect(fixture.standIn.draws()).toEqual([]);
    });

    it('draws once per key, in the order asked, to the last digit (LUCKY-3)', async () => {
      const requests = [
        { key: losing, targetUserId: carol },
        { key: winning, targetUserId: bob },
      ];
      const drawn = await draw(requests);
      expect(drawn).toMatchObject({
        kind: 'drawn',
        draws: [
          { key: losing, multiplierPercent: 0, prizeCoins: 0n },
          { key: winning, multiplierPercent: 50, prizeCoins: 13_510_798_882_111_489n },
        ],
      });
      expect(await draw(requests)).toEqual(drawn);
      expect(fixture.standIn.draws()).toMatchObject([
        { key: losing, gift, targetUserId: carol, repeats: 1 },
        { key: winning, gift, targetUserId: bob, repeats: 1 },
      ]);
    });

    it('doubts what it did not hear, and hears the same draw with the next call', async () => {
      fixture.standIn.faults.add({ kind: 'applied_then_unavailable', times: 1 });
      expect(await draw()).toMatchObject({ kind: 'unknown' });
      const [kept] = fixture.standIn.draws();
      expect(await draw()).toMatchObject({ kind: 'drawn', draws: [{ drawId: kept?.drawId }] });
    });

    it('doubts a refusal of the call itself', async () => {
      expect(await draw([{ key: 'k1', targetUserId: bob }])).toMatchObject({ kind: 'unknown' });
      fixture.standIn.faults.add({ kind: 'unavailable', times: 1 });
      const check = fixture.client.check(gift, [bob], patienceMs);
      expect(await fixture.ended(check)).toMatchObject({ kind: 'unknown' });
    });

    it('ends within its time when no answer comes, and at its stop', async () => {
      fixture.standIn.faults.add({ kind: 'applied_then_hang', times: 1 });
      expect(await draw(undefined, 150)).toMatchObject({ kind: 'unknown' });
      await fixture.client.stop();
      expect(await draw()).toMatchObject({ kind: 'unknown' });
    });
  });
}
