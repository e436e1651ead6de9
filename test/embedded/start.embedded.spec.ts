/**
 * `npm start -- --once` without any server: the same story, the same comparison and the same exit
 * codes as on a real stack (test/e2e/start.e2e.spec.ts), and everybody is told that nothing is kept.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { EndedRun } from '../support/run-to-end.ts';
import {
  expectBothMissing,
  expectImMissing,
  expectOneMissing,
  expectWholeStory,
} from '../support/sample-run.ts';
import { runScript } from './run-script.ts';

function start(...args: string[]): Promise<EndedRun> {
  return runScript('scripts/start.js', ['--once', ...args], { ROOMCELL_STACK: 'embedded' });
}

describe('npm start -- --once on the embedded stack', () => {
  let whole: EndedRun;
  beforeAll(async () => {
    whole = await start();
  });

  it('ends with 0 when everything arrived, and tells the story', () => {
    expectWholeStory(whole);
  });

  it('says first of all that nothing is kept, and again as the only warning of the log', () => {
    expect(whole.output.split('\n')[0]).toMatch(/^stack: embedded .* NOTHING IS KEPT/);
    expect(whole.output.match(/^ +WARN .*/gm)).toEqual([
      expect.stringMatching(/WARN drivers is embedded: NOTHING IS KEPT/),
    ]);
  });

  it('ends with 1 without the relay, naming what is missing at both destinations', async () => {
    expectBothMissing(await start('--without', 'relay', '--wait', '3s'));
  });

  it('ends with 1 without an adapter, naming what is missing at its destination alone', async () => {
    expectImMissing(await start('--without', 'adapter-im', '--wait', '3s'));
  });

  it('ends with 1 when one single event is lost on its way, naming that one', async () => {
    expectOneMissing(await start('--lose-one-event', '--wait', '5s'));
  });
});
