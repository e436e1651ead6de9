/** Versions that are only ever added: each write makes the next one, whoever else writes. */
import { Failure } from '../../kernel/failure.ts';
import { toMysqlError } from './mysql-errors.ts';

/**
 * Rounds of one write against other writers of the same thing. Each round that is lost was won by
 * somebody, so this many writers at once are served for certain.
 */
const roundsMax = 50;

/**
 * Inserts the version behind the newest and answers it. Throws Retry when fifty others were faster.
 * Statements go through the session of `newest` and `insert`, in its transaction where one is open.
 *
 * Scenario: two writers saw the same newest version. The primary key lets one of them have the next;
 * the other one looks again. Test: "makes as many versions as there are writers at once".
 */
export async function insertNextVersion(
  what: string,
  newest: () => Promise<bigint>,
  insert: (version: bigint) => Promise<unknown>,
): Promise<bigint> {
  for (let round = 1; round <= roundsMax; round += 1) {
    const version = (await newest()) + 1n;
    try {
      await insert(version);
      return version;
    } catch (thrown) {
      if (toMysqlError(thrown).sort !== 'duplicate') throw thrown;
    }
  }
  const message = `${what} is being changed by many writers at once`;
  throw new Failure('retry', 'UNAVAILABLE', message, { retryAfterMs: 100 });
}
