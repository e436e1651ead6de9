/** What every GiftCatalogue must do: prices by version, none of which ever changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, CommandId, GiftId } from '../../../src/domain/ids.ts';
import type { CatalogueGift, GiftCatalogue } from '../../../src/ports/gift-catalogue.ts';

/** A catalogue without a gift of the apps that the suite makes up. */
export interface GiftCatalogueFixture {
  readonly catalogue: GiftCatalogue;
  close(): Promise<void>;
}

const rose = 'rose' as GiftId;
const nowMs = 1_700_000_000_000;
/** 2^53 + 1: the first whole number that a double does not hold. */
const big = 9_007_199_254_740_993n;
const int64Max = 2n ** 63n - 1n;

/** Declares the suite. */
export function giftCatalogueContract(
  name: string,
  makeFixture: () => Promise<GiftCatalogueFixture>,
): void {
  describe(`GiftCatalogue contract: ${name}`, () => {
    let fixture: GiftCatalogueFixture;
    let apps = 0;
    const freshApp = (): AppCode => `gifts-${(apps += 1)}` as AppCode;
    const gift = (
      coinPrice: bigint,
      fields: { giftId?: GiftId; onSale?: boolean; lucky?: boolean } = {},
    ) => ({
      giftId: rose,
      onSale: true,
      lucky: false,
      ...fields,
      coinPrice,
    });

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    it('answers null for a gift that the app never had', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await catalogue.put(freshApp(), gift(10n), nowMs);
      expect(await catalogue.current(appCode, rose)).toBeNull();
      expect(await catalogue.version(appCode, rose, 1n)).toBeNull();
      expect(await catalogue.list(appCode, '', 10)).toEqual([]);
      expect(await catalogue.setBy(appCode, rose, 'c1' as CommandId)).toBeNull();
    });

    it('counts the versions of each gift of each app from 1', async () => {
      const { catalogue } = fixture;
      const [appCode, otherApp] = [freshApp(), freshApp()];
      const car = 'car' as GiftId;
      expect(await catalogue.put(appCode, gift(10n), nowMs)).toEqual({
        ...gift(10n),
        catalogueVersion: 1n,
      });
      expect((await catalogue.put(appCode, gift(12n), nowMs)).catalogueVersion).toBe(2n);
      const others = [
        await catalogue.put(appCode, gift(5n, { giftId: car }), nowMs),
        await catalogue.put(otherApp, gift(5n), nowMs),
      ];
      expect(others.map((stored) => stored.catalogueVersion)).toEqual([1n, 1n]);
    });

    it('sells at the newest price and keeps every old one (GIFT-1)', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      const prices = Array.from({ length: 11 }, (_, index) => BigInt(index + 1));
      for (const price of prices) await catalogue.put(appCode, gift(price), nowMs);
      expect(await catalogue.current(appCode, rose)).toEqual({
        ...gift(11n),
        catalogueVersion: 11n,
      });
      for (const price of prices) {
        const stored = await catalogue.version(appCode, rose, price);
        expect(stored).toEqual({ ...gift(price), catalogueVersion: price });
      }
      expect(await catalogue.version(appCode, rose, 12n)).toBeNull();
    });

    it('takes a gift off sale by a version of its own and does not forget it', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await catalogue.put(appCode, gift(10n), nowMs);
      await catalogue.put(appCode, gift(10n, { onSale: false }), nowMs);
      expect(await catalogue.current(appCode, rose)).toMatchObject({
        onSale: false,
        catalogueVersion: 2n,
      });
      expect(await catalogue.version(appCode, rose, 1n)).toMatchObject({ onSale: true });
      await catalogue.put(appCode, gift(10n, { lucky: true }), nowMs);
      expect(await catalogue.current(appCode, rose)).toMatchObject({ lucky: true });
      expect(await catalogue.version(appCode, rose, 1n)).toMatchObject({ lucky: false });
    });

    it('lists the newest version of every gift of the app, by gift id', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await catalogue.put(freshApp(), gift(1n, { giftId: 'elsewhere' as GiftId }), nowMs);
      for (const id of ['rose', 'Car', 'a.b', 'rose', 'a-b', 'Car']) {
        await catalogue.put(appCode, gift(7n, { giftId: id as GiftId }), nowMs);
      }
      const listed = await catalogue.list(appCode, '', 10);
      expect(listed.map((entry) => [entry.giftId, entry.catalogueVersion])).toEqual([
        ['Car', 2n],
        ['a-b', 1n],
        ['a.b', 1n],
        ['rose', 2n],
      ]);
    });

    it('lists page by page, none twice and none left out', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      const ids = ['a', 'b', 'c', 'd', 'e'] as GiftId[];
      for (const giftId of ids) await catalogue.put(appCode, gift(7n, { giftId }), nowMs);
      const pages: GiftId[][] = [];
      for (let after: GiftId | '' = ''; pages.length < 4; after = pages.at(-1)?.at(-1) ?? after) {
        const page: readonly CatalogueGift[] = await catalogue.list(appCode, after, 2);
        pages.push(page.map(({ giftId }) => giftId));
      }
      expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e'], []]);
    });

    it('tells ids apart that differ in case only', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await catalogue.put(appCode, gift(10n), nowMs);
      expect(await catalogue.current(appCode, 'Rose' as GiftId)).toBeNull();
    });

    it('keeps prices above 2^53 exact', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      for (const price of [big, int64Max]) {
        await catalogue.put(appCode, gift(price), nowMs);
        expect((await catalogue.current(appCode, rose))?.coinPrice).toBe(price);
        expect((await catalogue.list(appCode, '', 1))[0]?.coinPrice).toBe(price);
      }
    });

    it('refuses a price that 64 bits do not hold, and stores no version of it', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await expect(catalogue.put(appCode, gift(int64Max + 1n), nowMs)).rejects.toMatchObject({
        kind: 'reject',
        reason: 'DATA_REFUSED',
      });
      expect(await catalogue.current(appCode, rose)).toBeNull();
    });

    it.each([0n, -1n])('takes no gift for %s coins', async (price) => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      await expect(catalogue.put(appCode, gift(price), nowMs)).rejects.toThrow('costs something');
      expect(await catalogue.current(appCode, rose)).toBeNull();
    });

    it('makes as many versions as there are writers at once', async () => {
      const { catalogue } = fixture;
      const appCode = freshApp();
      const prices = Array.from({ length: 12 }, (_, index) => BigInt(100 + index));
      const stored = await Promise.all(
        prices.map((price) => catalogue.put(appCode, gift(price), nowMs)),
      );
      const versions = stored.map((each) => each.catalogueVersion);
      expect(new Set(versions)).toEqual(new Set(prices.map((_, index) => BigInt(index + 1))));
      for (const each of stored) {
        expect(await catalogue.version(appCode, rose, each.catalogueVersion)).toEqual(each);
      }
    });
  });
}
