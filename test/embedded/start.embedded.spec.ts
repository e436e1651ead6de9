/**
 * `npm start -- --once` without any server: the same story, the same comparison and the same exit
 * codes as on a real stack (test/e2e/start.e2e.spec.ts), and everybody is told that nothing is kept.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { runScript, type EndedRun } from './run-script.ts';

function start(...args: string[]): Promise<EndedRun> {
  return runScript('scripts/start.js', ['--once', ...args], { ROOMCELL_STACK: 'embedded' });
}

describe('npm start -- --once on the embedded stack', () => {
  let whole: EndedRun;
  beforeAll(async () => {
    whole = await start();
  });

  it('ends with 0 when everything arrived, and tells the story', () => {
    const { code, output } = whole;
    expect(output).toContain('replayed: the stored answer');
    expect(output).toMatch(/publish timeout +v8 .* ms \(idempotency .* commit .*\)/);
    expect(output).toMatch(/bob had 1000000 coins, the same id twice +now 999970; heat 30/);
    expect(output).toMatch(/RoomClosed .* → im \(message and notification\), activity/);
    expect(output).not.toMatch(/missing:|extra:|ERROR/);
    expect(code, output).toBe(0);
  });

  it('says first of all that nothing is kept, and again as the only warning of the log', () => {
    expect(whole.output.split('\n')[0]).toMatch(/^stack: embedded .* NOTHING IS KEPT/);
    expect(whole.output.match(/^ +WARN .*/gm)).toEqual([
      expect.stringMatching(/WARN drivers is embedded: NOTHING IS KEPT/),
    ]);
  });

  it('ends with 1 without the relay, naming what is missing at both destinations', async () => {
    const { code, output } = await start('--without', 'relay', '--wait', '3s');
    expect(output).toMatch(/^im: missing: RoomCreated/m);
    expect(output).toMatch(/^activity: missing: RoomClosed/m);
    expect(code, output).toBe(1);
  });

  it('ends with 1 without an adapter, naming what is missing at its destination alone', async () => {
    const { code, output } = await start('--without', 'adapter-im', '--wait', '3s');
    expect(output).toMatch(/^im: missing: RoomUserJoined/m);
    expect(output).not.toMatch(/^activity: /m);
    expect(code, output).toBe(1);
  });

  it('ends with 1 when one single event is lost on its way, naming that one', async () => {
    const { code, output } = await start('--lose-one-event', '--wait', '5s');
    expect(output.match(/^(im|activity): .*/gm)).toEqual([
      expect.stringMatching(/^im: missing: RoomUserJoined .* \(of join-alice\)$/),
    ]);
    expect(code, output).toBe(1);
  });
});
