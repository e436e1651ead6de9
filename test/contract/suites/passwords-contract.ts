/** What every Passwords must do. */
import { describe, expect, it } from 'vitest';
import type { AppCode, CommandId, RoomId } from '../../../src/domain/ids.ts';
import type { PasswordOrigin, Passwords } from '../../../src/ports/passwords.ts';

/** Two nodes of one deployment, and a node of another. */
export interface PasswordsFixture {
  readonly here: Passwords;
  readonly there: Passwords;
  readonly elsewhere: Passwords;
  /** Computations that `here` takes on at once; it refuses the next. */
  readonly capacity: number;
  /** Hashes that no release of this driver has written, however much they look like it. */
  readonly damaged: readonly string[];
}

/** What the column of a stored hash holds. */
const encodedLengthMax = 255;

const origin = (commandId: string, roomId = 'r1', appCode = 'app1'): PasswordOrigin => ({
  appCode: appCode as AppCode,
  roomId: roomId as RoomId,
  commandId: commandId as CommandId,
});

/** Declares the suite. */
export function passwordsContract(name: string, makeFixture: () => PasswordsFixture): void {
  describe(`Passwords contract: ${name}`, () => {
    it('gives a repeated command the same bytes, on every node of a deployment', async () => {
      const { here, there } = makeFixture();
      const hash = await here.hash('open', origin('c1'));
      expect(await here.hash('open', origin('c1'))).toBe(hash);
      expect(await there.hash('open', origin('c1'))).toBe(hash);
    });

    it('gives every password, command, room, app and deployment a hash of its own', async () => {
      const { here, elsewhere } = makeFixture();
      const hashes = [
        await here.hash('open', origin('c1')),
        await here.hash('Open', origin('c1')),
        await here.hash('open', origin('c2')),
        await here.hash('open', origin('c1', 'r2')),
        await here.hash('open', origin('c1', 'r1', 'app2')),
        await here.hash('open', origin('1', 'r1c')),
        await elsewhere.hash('open', origin('c1')),
      ];
      expect(new Set(hashes).size).toBe(hashes.length);
    });

    it('does not show the password, and fits the column (PWD-1)', async () => {
      const { here } = makeFixture();
      const hash = await here.hash('a very visible password', origin('c1'));
      expect(hash).not.toContain('visible');
      expect((await here.hash('€'.repeat(64), origin('c1'))).length).toBeLessThan(encodedLengthMax);
    });

    it('verifies its own password on every node, and no other (PWD-1)', async () => {
      const { here, there } = makeFixture();
      const hash = await here.hash('öffnen', origin('c1'));
      expect(await there.verify('öffnen', hash)).toBe(true);
      expect(await there.verify('öffnen'.normalize('NFD'), hash)).toBe(true);
      for (const wrong of ['offnen', 'öffne', 'öffnen ', '']) {
        expect(await here.verify(wrong, hash)).toBe(false);
      }
    });

    it('tells a damaged hash from a wrong password', async () => {
      const { here, damaged } = makeFixture();
      const hash = await here.hash('open', origin('c1'));
      const cut = [hash.slice(0, -1), hash.slice(0, hash.length / 2), hash.slice(1), `${hash}A`];
      for (const text of ['', 'plain', ...cut, ...damaged]) {
        await expect(here.verify('open', text), text).rejects.toMatchObject({ kind: 'corrupt' });
      }
    });

    it('leaves the event loop free while it computes', async () => {
      const { here } = makeFixture();
      let isDone = false;
      const hashing = here.hash('open', origin('c1')).finally(() => (isDone = true));
      await Promise.resolve();
      expect(isDone).toBe(false);
      await hashing;
    });

    it('refuses at once what is beyond its bound, and does all the rest', async () => {
      const { here, capacity } = makeFixture();
      const hash = await here.hash('open', origin('c0'));
      const taken = Array.from({ length: capacity - 1 }, (_, at) =>
        here.hash('open', origin(`c${at}`)),
      );
      const last = here.verify('open', hash);
      const busy = { kind: 'retry', reason: 'GATEWAY_BUSY', retryAfterMs: expect.any(Number) };
      await expect(here.hash('open', origin('more'))).rejects.toMatchObject(busy);
      await expect(here.verify('open', hash)).rejects.toMatchObject(busy);
      expect(new Set(await Promise.all(taken)).size).toBe(capacity - 1);
      expect(await last).toBe(true);
      expect(await here.verify('open', hash)).toBe(true);
    });
  });
}
