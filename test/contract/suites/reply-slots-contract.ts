/** What every ReplySlots must do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReplySlots } from '../../../src/ports/reply-slots.ts';

/** The port over an empty table, and the passing of time at the database. */
export interface ReplySlotsFixture {
  readonly slots: ReplySlots;
  /** Those of another gateway. */
  readonly otherSlots: ReplySlots;
  /** Lets so much time pass at the database. */
  pass(ms: number): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Declares the suite. */
export function replySlotsContract(
  name: string,
  makeFixture: () => Promise<ReplySlotsFixture>,
): void {
  describe(`ReplySlots contract: ${name}`, () => {
    let fixture: ReplySlotsFixture;
    const lease = (incarnation: string, slotCount = 4): Promise<number | null> =>
      fixture.slots.lease({ nodeId: `node-${incarnation}`, incarnation, slotCount, ttlMs: 60_000 });

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(() => fixture.clear());
    afterAll(() => fixture.close());

    it('gives gateways that lease at once different slots', async () => {
      const leased = await Promise.all(['a', 'b', 'c', 'd'].map((who) => lease(who)));
      expect([...leased].sort()).toEqual([0, 1, 2, 3]);
    });

    it('answers null when all slots are held', async () => {
      const leased = await Promise.all(['a', 'b', 'c'].map((who) => lease(who, 2)));
      expect(leased.filter((slot) => slot === null)).toHaveLength(1);
      expect(await lease('d', 2)).toBeNull();
    });

    it('gives an expired slot to the next gateway and refuses its former holder', async () => {
      const slot = (await lease('a', 1)) ?? -1;
      await fixture.pass(60_001);
      expect(await lease('b', 1)).toBe(slot);
      expect(await fixture.slots.renew(slot, 'a', 60_000)).toBe(false);
      expect(await fixture.slots.renew(slot, 'b', 60_000)).toBe(true);
    });

    it('does not renew a lease that has run out', async () => {
      const slot = (await lease('a', 1)) ?? -1;
      await fixture.pass(60_001);
      expect(await fixture.slots.renew(slot, 'a', 60_000)).toBe(false);
    });

    it('frees a slot for its holder, and for nobody else', async () => {
      const slot = (await lease('a', 1)) ?? -1;
      await fixture.slots.release(slot, 'b');
      expect(await lease('b', 1)).toBeNull();
      await fixture.slots.release(slot, 'a');
      expect(await lease('b', 1)).toBe(slot);
    });

    it('knows the new slots when the reply topic grew', async () => {
      await lease('a', 1);
      expect(await lease('b', 1)).toBeNull();
      expect(await lease('b', 2)).toBe(1);
    });

    it('holds a lease for its time and not much longer', async () => {
      await lease('a', 1);
      await fixture.pass(59_000);
      expect(await lease('b', 1)).toBeNull();
      await fixture.pass(1_001);
      expect(await lease('b', 1)).toBe(0);
    });

    it('holds a renewed lease for its time from the renewal on', async () => {
      const slot = (await lease('a', 1)) ?? -1;
      await fixture.pass(50_000);
      expect(await fixture.slots.renew(slot, 'a', 60_000)).toBe(true);
      await fixture.pass(50_000);
      expect(await lease('b', 1)).toBeNull();
      await fixture.pass(10_001);
      expect(await lease('b', 1)).toBe(slot);
    });

    it('does not renew what another holds, what was released, or what never was', async () => {
      const slot = (await lease('a', 1)) ?? -1;
      expect(await fixture.slots.renew(slot, 'b', 60_000)).toBe(false);
      expect(await fixture.slots.renew(7, 'a', 60_000)).toBe(false);
      await fixture.slots.release(slot, 'a');
      expect(await fixture.slots.renew(slot, 'a', 60_000)).toBe(false);
    });

    it('is seen alike by every gateway', async () => {
      const slot = (await lease('a', 2)) ?? -1;
      const holder = { nodeId: 'node-b', incarnation: 'b', slotCount: 2, ttlMs: 60_000 };
      expect(await fixture.otherSlots.lease(holder)).toBe(1 - slot);
      expect(await lease('c', 2)).toBeNull();
    });
  });
}
