/** What every LuckyGiftSendLocker must do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, UserId } from '../../../src/domain/ids.ts';
import type { LuckyGiftSendLocker } from '../../../src/ports/lucky-gift-send-locker.ts';

/** The lockers of two nodes. */
export interface LockerFixture {
  readonly here: LuckyGiftSendLocker;
  readonly there: LuckyGiftSendLocker;
  /** Lets so much time pass for the locks. */
  pass(ms: number): Promise<void>;
  /** From now on nothing that stands behind them answers. */
  goAway(): Promise<void> | void;
  close(): Promise<void>;
}

const app = 'demo' as AppCode;
const alice = 'alice' as UserId;
const longMs = 60_000;

/** Declares the suite. */
export function luckyGiftSendLockerContract(
  name: string,
  makeFixture: () => Promise<LockerFixture>,
): void {
  describe(`LuckyGiftSendLocker contract: ${name}`, () => {
    let fixture: LockerFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.close());

    it('gives a user’s lock to one at a time, over all nodes (LUCKY-2, CFG-14, SVC-23)', async () => {
      const { here, there } = fixture;
      expect(await here.take(app, alice, 'one', longMs)).toBe('taken');
      expect(await there.take(app, alice, 'two', longMs)).toBe('busy');
      await here.release(app, alice, 'one');
      expect(await there.take(app, alice, 'two', longMs)).toBe('taken');
    });

    it('gives it to its holder again', async () => {
      expect(await fixture.here.take(app, alice, 'one', longMs)).toBe('taken');
      expect(await fixture.here.take(app, alice, 'one', longMs)).toBe('taken');
    });

    it('keeps users and apps apart', async () => {
      const { here } = fixture;
      expect(await here.take(app, alice, 'one', longMs)).toBe('taken');
      expect(await here.take(app, 'bob' as UserId, 'two', longMs)).toBe('taken');
      expect(await here.take('other' as AppCode, alice, 'three', longMs)).toBe('taken');
    });

    it('ends by itself (CFG-15, SVC-24)', async () => {
      expect(await fixture.here.take(app, alice, 'one', 100)).toBe('taken');
      await fixture.pass(200);
      expect(await fixture.there.take(app, alice, 'two', longMs)).toBe('taken');
    });

    it('is not freed by whoever had it before', async () => {
      const { here, there } = fixture;
      await here.take(app, alice, 'one', 100);
      await fixture.pass(200);
      await there.take(app, alice, 'two', longMs);
      await here.release(app, alice, 'one');
      expect(await here.take(app, alice, 'three', longMs)).toBe('busy');
    });

    it('says that nobody can say when nothing answers, and frees without a fault', async () => {
      await fixture.goAway();
      expect(await fixture.here.take(app, alice, 'one', longMs)).toBe('away');
      await fixture.here.release(app, alice, 'one');
    });
  });
}
