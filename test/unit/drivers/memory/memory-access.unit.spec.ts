/** The twins of passwords and tokens keep the contracts. */
import { expect, it } from 'vitest';
import { MemoryPasswords } from '../../../../src/drivers/memory/memory-passwords.ts';
import {
  MemoryTokenVerifier,
  signMemoryToken,
} from '../../../../src/drivers/memory/memory-token-verifier.ts';
import { passwordsContract } from '../../../contract/suites/passwords-contract.ts';
import { tokenVerifierContract } from '../../../contract/suites/token-verifier-contract.ts';

passwordsContract('memory', () => {
  const capacity = 5;
  const open = (secret: string) => new MemoryPasswords({ secret, underWayMax: capacity });
  return {
    here: open('one'),
    there: open('one'),
    elsewhere: open('other'),
    capacity,
    damaged: ['scrypt$16$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA', 'memory$$'],
  };
});

tokenVerifierContract('memory', () => {
  let nowMs = 1_700_000_000_000;
  const clock = { wallMs: () => nowMs, monoMs: () => 0 };
  const withoutKeys = new MemoryTokenVerifier('one', clock);
  withoutKeys.hasKeys = false;
  return Promise.resolve({
    verifier: new MemoryTokenVerifier('one', clock),
    nowMs,
    sign: (claims) => Promise.resolve(signMemoryToken('one', claims)),
    signByStranger: (claims) => Promise.resolve(signMemoryToken('other', claims)),
    moveTo: (wallMs) => void (nowMs = wallMs),
    verifyWithoutKeys: (claims) => withoutKeys.verify(signMemoryToken('one', claims)),
  });
});

it('a token of the twin may hold any JSON, and is refused for it', async () => {
  const verifier = new MemoryTokenVerifier('one', { wallMs: () => 0, monoMs: () => 0 });
  const token = signMemoryToken('one', null as unknown as Record<string, unknown>);
  expect(await verifier.verify(token)).toMatchObject({ kind: 'refused' });
});
