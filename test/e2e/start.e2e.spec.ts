/**
 * `npm start -- --once` tells the truth: exit 0 only when every event of the sample room arrived at
 * each destination, exit 1 as soon as a part of the path is missing or one event is lost.
 */
import { describe, it } from 'vitest';
import { runToEnd, type EndedRun } from '../support/run-to-end.ts';
import {
  expectBothMissing,
  expectImMissing,
  expectOneMissing,
  expectWholeStory,
} from '../support/sample-run.ts';

const limitMs = 170_000;

/** Runs it on the stack of this test run, with a database and key space of its own. */
function start(...args: string[]): Promise<EndedRun> {
  const { ROOMCELL_MYSQL_DATABASE: _, ROOMCELL_REDIS_KEY_PREFIX: __, ...env } = process.env;
  const given = { ...env, ROOMCELL_STACK: 'given' };
  return runToEnd('scripts/start.js', ['--once', ...args], given, limitMs);
}

describe('npm start -- --once', { timeout: limitMs + 30_000 }, () => {
  it('ends with 0 when everything arrived, and tells the story (ACC-5)', async () => {
    expectWholeStory(await start());
  });

  it('ends with 1 without the relay, naming what is missing at both destinations', async () => {
    expectBothMissing(await start('--without', 'relay', '--wait', '3s'));
  });

  it('ends with 1 without an adapter, naming what is missing at its destination alone', async () => {
    expectImMissing(await start('--without', 'adapter-im', '--wait', '15s'));
  });

  it('ends with 1 when one single event is lost on its way, naming that one', async () => {
    expectOneMissing(await start('--lose-one-event', '--wait', '15s'));
  });
});
