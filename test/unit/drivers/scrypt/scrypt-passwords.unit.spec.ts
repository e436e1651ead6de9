/** Room passwords: the same bytes in every try, no two rooms alike, bounded work. */
import { describe, expect, test } from 'vitest';
import type { AppCode, CommandId, RoomId } from '../../../../src/domain/ids.ts';
import { createScryptPasswords } from '../../../../src/drivers/scrypt/scrypt-passwords.ts';
import type { PasswordOrigin } from '../../../../src/ports/passwords.ts';
import { passwordsContract } from '../../../contract/suites/passwords-contract.ts';

const secret = 'a secret of thirty-two bytes or more';
/** Cheap: what is tested does not depend on the cost. */
const cost = 16;

const origin = (commandId: string, roomId = 'r1'): PasswordOrigin => ({
  appCode: 'app1' as AppCode,
  roomId: roomId as RoomId,
  commandId: commandId as CommandId,
});

describe('a hash', () => {
  const passwords = createScryptPasswords({ secret, cost });

  test('is the same for a repeat of its command, on every node of a deployment', async () => {
    const otherNode = createScryptPasswords({ secret, cost });
    const hash = await passwords.hash('open', origin('c1'));
    expect(await otherNode.hash('open', origin('c1'))).toBe(hash);
    expect(hash).toMatch(/^scrypt\$16\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  });

  test('differs by room, by command and by deployment', async () => {
    const elsewhere = createScryptPasswords({ secret: `${secret}!`, cost });
    const hashes = await Promise.all([
      passwords.hash('open', origin('c1')),
      passwords.hash('open', origin('c2')),
      passwords.hash('open', origin('c1', 'r2')),
      elsewhere.hash('open', origin('c1')),
    ]);
    expect(new Set(hashes).size).toBe(4);
  });

  test('fits its column with the largest parameters', async () => {
    expect((await passwords.hash('x'.repeat(64), origin('c1'))).length).toBeLessThan(255);
  });

  test('matches its own password and no other', async () => {
    const hash = await passwords.hash('öffnen', origin('c1'));
    expect(await passwords.verify('öffnen'.normalize('NFD'), hash)).toBe(true);
    expect(await passwords.verify('offnen', hash)).toBe(false);
    expect(await passwords.verify('', hash)).toBe(false);
  });

  test('of other costs is still verified', async () => {
    const dearer = createScryptPasswords({ secret, cost: 64 });
    const hash = await dearer.hash('open', origin('c1'));
    expect(await passwords.verify('open', hash)).toBe(true);
  });

  test.each([
    '',
    'plain',
    'scrypt$9999999$8$1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    'scrypt$16$8$1$$',
  ])('that is damaged is corrupt and never a wrong password: %s', async (damaged) => {
    await expect(passwords.verify('x', damaged)).rejects.toMatchObject({ kind: 'corrupt' });
  });
});

test('work beyond what may wait is refused at once, the rest is done', async () => {
  const passwords = createScryptPasswords({ secret, cost, runningMax: 1, waitingMax: 2 });
  const hashes = ['c1', 'c2', 'c3', 'c4'].map((id) => passwords.hash('open', origin(id)));
  const ends = await Promise.allSettled(hashes);
  expect(ends.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  expect(ends[3]).toMatchObject({ reason: { kind: 'retry', reason: 'GATEWAY_BUSY' } });
  await expect(passwords.hash('open', origin('c5'))).resolves.toContain('scrypt$');
});

test('a secret that is too short is refused at the start', () => {
  expect(() => createScryptPasswords({ secret: 'short' })).toThrow('fewer than 32 bytes');
});

passwordsContract('scrypt', () => {
  const open = (itsSecret: string) =>
    createScryptPasswords({ secret: itsSecret, cost, runningMax: 2, waitingMax: 3 });
  const salt = 'A'.repeat(22);
  const hash = 'A'.repeat(43);
  return {
    here: open(secret),
    there: open(secret),
    elsewhere: open(`${secret}!`),
    capacity: 5,
    damaged: [
      `scrypt$9999999$8$1$${salt}$${hash}`,
      `scrypt$15$8$1$${salt}$${hash}`,
      `scrypt$16$99$1$${salt}$${hash}`,
      `scrypt$16$8$99$${salt}$${hash}`,
      `scrypt$1$8$1$${salt}$${hash}`,
      `memory$${salt}$${hash}`,
    ],
  };
});
