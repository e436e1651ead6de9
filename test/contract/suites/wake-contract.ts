/** What every Wake must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Wake } from '../../../src/ports/wake.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Two processes' ends of one wake. */
export interface WakeFixture {
  readonly here: Wake;
  readonly there: Wake;
  close(): Promise<void>;
}

/** Declares the suite. */
export function wakeContract(name: string, makeFixture: () => Promise<WakeFixture>): void {
  describe(`Wake contract: ${name}`, () => {
    let fixture: WakeFixture;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    it('wakes the own process and the others', async () => {
      const woken = { here: 0, there: 0 };
      const ends = [
        fixture.here.subscribe(() => (woken.here += 1)),
        fixture.there.subscribe(() => (woken.there += 1)),
      ];
      // A hint may be lost while the other end is still subscribing, so hints are repeated.
      await waitUntil(
        'both ends woken by hints of the first',
        () => {
          fixture.here.hint();
          return Promise.resolve(woken.here > 0 && woken.there > 1);
        },
        { seen: () => woken },
      );
      ends.forEach((end) => end());
    });

    it('does not wake who has unsubscribed', async () => {
      let gone = 0;
      let staying = 0;
      fixture.there.subscribe(() => (gone += 1))();
      const end = fixture.there.subscribe(() => (staying += 1));
      const before = gone;
      await waitUntil('a hint heard', () => {
        fixture.here.hint();
        return Promise.resolve(staying > 0);
      });
      expect(gone).toBe(before);
      end();
    });

    it('ends each subscription for itself, and only once', async () => {
      const { here } = fixture;
      let woken = 0;
      const onHint = (): void => void (woken += 1);
      const [endOne, endOther] = [here.subscribe(onHint), here.subscribe(onHint)];
      endOne();
      endOne();
      here.hint();
      expect(woken).toBe(1);
      endOther();
      here.hint();
      expect(woken).toBe(1);
    });

    it('wakes the own process at once, while the hint is given', () => {
      let woken = 0;
      const end = fixture.here.subscribe(() => (woken += 1));
      fixture.here.hint();
      expect(woken).toBe(1);
      end();
    });

    it('lets a listener that throws take the hint from nobody and reach nobody', async () => {
      const woken = { here: 0, there: 0 };
      const ends = [fixture.here, fixture.there].flatMap((end) => [
        end.subscribe(() => {
          throw new Error('a listener with a fault');
        }),
        end.subscribe(() => (woken[end === fixture.here ? 'here' : 'there'] += 1)),
      ]);
      fixture.here.hint();
      expect(woken.here).toBe(1);
      await waitUntil('the other end woken', () => {
        fixture.here.hint();
        return Promise.resolve(woken.there > 0);
      });
      ends.forEach((end) => end());
    });

    it('takes a flood of hints without waiting and without a throw (SVC-16)', async () => {
      let woken = 0;
      const end = fixture.there.subscribe(() => (woken += 1));
      for (let hint = 0; hint < 10_000; hint += 1) fixture.here.hint();
      await waitUntil('the flood heard', () => Promise.resolve(woken > 0));
      expect(woken).toBeLessThan(100);
      end();
    });

    it('gives a hint a look of its own when it comes while another is on its way', async () => {
      // Each hint is given when the one before is heard over there, and its sender knows not yet.
      let heard = 0;
      const end = fixture.there.subscribe(() => {
        heard += 1;
        if (heard < 10) fixture.here.hint();
      });
      fixture.here.hint();
      await waitUntil('a look after each of ten hints', () => Promise.resolve(heard >= 10), {
        seen: () => heard,
      });
      end();
    });
  });
}
