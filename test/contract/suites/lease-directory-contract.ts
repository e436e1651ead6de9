/** What every LeaseDirectory must do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, RoomId, RoomKey } from '../../../src/domain/ids.ts';
import type {
  LeaseClaim,
  LeaseDirectory,
  LeaseVerdict,
} from '../../../src/ports/lease-directory.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** What becomes of requests: answered, late by `slowMs` each way, kept unanswered, refused. */
export type LeaseServerBehaviour = 'up' | { readonly slowMs: number } | 'frozen' | 'down';

/** Two nodes' views on one empty directory whose leases last `leaseTtlMs`. */
export interface LeaseDirectoryFixture {
  readonly leaseTtlMs: number;
  readonly nodeA: LeaseDirectory;
  readonly nodeB: LeaseDirectory;
  /** Loses everything, as a Redis does that was flushed or came back empty. */
  empty(): Promise<void>;
  /** Lets so much time pass for the leases and for the budgets of calls. */
  pass(ms: number): Promise<void>;
  /** Writes any value over a room's lease, as a stranger would; without `ttlMs` it never ends. */
  plant(roomKey: RoomKey, value: string, ttlMs?: number): Promise<void>;
  /** How the server behind both nodes behaves from now on. */
  setServer(behaviour: LeaseServerBehaviour): Promise<void>;
  /** Sets the clock of the server forward, or back when negative. */
  jumpClock(byMs: number): Promise<void>;
  /** Makes the server run the scripts of this one call twice; answers what the second run said. */
  runTwice<T>(call: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const budgetMs = 1_000;
/** What calls without a budget of their own may take: the fixture's nodes have this bound. */
const lookupWithinMs = 250;
/** What the event loop of a busy machine may add. */
const slackMs = 200;
const room = (id: string): RoomKey => roomKeyOf('app1' as AppCode, id as RoomId);

/** Declares the suite. Node ids are `node-a` and `node-b`. */
export function leaseDirectoryContract(
  name: string,
  makeFixture: () => Promise<LeaseDirectoryFixture>,
): void {
  describe(`LeaseDirectory contract: ${name}`, () => {
    let fixture: LeaseDirectoryFixture;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(async () => {
      await fixture.setServer('up');
      await waitUntil('both nodes answered', async () => {
        const probe = { roomKey: room('probe'), epoch: 1n, token: '' };
        await Promise.all(
          [fixture.nodeA, fixture.nodeB].map((node) => node.verify([probe], budgetMs)),
        );
        return fixture.nodeA.isHealthy() && fixture.nodeB.isHealthy();
      });
      await fixture.empty();
    });
    afterAll(() => fixture.close());

    it('takes an absent lease and keeps its token while it is fresh (LEASE-3, LEASE-27, SVC-8)', async () => {
      const first = await held(fixture.nodeA, { roomKey: room('r1'), epoch: 7n, token: '' });
      expect(first).toBe('7.1');
      expect(await held(fixture.nodeA, { roomKey: room('r1'), epoch: 7n, token: first })).toBe(
        first,
      );
      expect(await fixture.nodeB.ownerOf(room('r1'))).toEqual({
        ownerNodeId: 'node-a',
        token: '7.1',
      });
    });

    it('renews with a new token when less than two thirds of the time is left (LEASE-4, WRK-10)', async () => {
      const claim = { roomKey: room('r1'), epoch: 7n, token: '' };
      const first = await held(fixture.nodeA, claim);
      await fixture.pass(fixture.leaseTtlMs * 0.45);
      expect(await held(fixture.nodeA, { ...claim, token: first })).toBe('7.2');
      await fixture.pass(fixture.leaseTtlMs * 0.7);
      // Past the end of the first lease: the renewal has moved it.
      expect(await fixture.nodeB.ownerOf(room('r1'))).toMatchObject({ token: '7.2' });
    });

    it('lets a higher epoch take over at once and refuses a lower one (LEASE-6, LEASE-25)', async () => {
      await held(fixture.nodeA, { roomKey: room('r1'), epoch: 9n, token: '' });
      expect(await held(fixture.nodeB, { roomKey: room('r1'), epoch: 10n, token: '' })).toBe(
        '10.1',
      );
      expect(
        await one(
          fixture.nodeA.ensure([{ roomKey: room('r1'), epoch: 9n, token: '9.1' }], budgetMs),
        ),
      ).toEqual({ kind: 'foreign', ownerNodeId: 'node-b', token: '10.1' });
    });

    it('compares epochs beyond what a double can tell apart', async () => {
      const epoch = 9_007_199_254_740_993n;
      await held(fixture.nodeA, { roomKey: room('r1'), epoch, token: '' });
      const lower = { roomKey: room('r1'), epoch: epoch - 1n, token: '' };
      expect(await one(fixture.nodeB.ensure([lower], budgetMs))).toEqual({
        kind: 'foreign',
        ownerNodeId: 'node-a',
        token: `${epoch}.1`,
      });
      const higher = { roomKey: room('r1'), epoch: epoch + 1n, token: '' };
      expect(await held(fixture.nodeB, higher)).toBe(`${epoch + 1n}.1`);
    });

    it('verifies only the very token that is stored (LEASE-14, LEASE-19)', async () => {
      const claim = { roomKey: room('r1'), epoch: 7n, token: '' };
      const token = await held(fixture.nodeA, claim);
      const verify = (node: LeaseDirectory, held: string): Promise<LeaseVerdict> =>
        one(node.verify([{ ...claim, token: held }], budgetMs));
      expect(await verify(fixture.nodeA, token)).toEqual({ kind: 'held', token });
      expect(await verify(fixture.nodeA, '7.2')).toMatchObject({ kind: 'foreign', token });
      expect(await verify(fixture.nodeB, token)).toMatchObject({ ownerNodeId: 'node-a' });
      await fixture.empty();
      expect(await verify(fixture.nodeA, token)).toEqual({
        kind: 'foreign',
        ownerNodeId: '',
        token: '',
      });
    });

    it('never gives one token twice, though everything was lost in between (LEASE-29)', async () => {
      const claim = { roomKey: room('r1'), epoch: 7n, token: '7.4' };
      await fixture.empty();
      expect(await held(fixture.nodeA, claim)).toBe('7.5');
    });

    it('overwrites whatever is there for the owner that MySQL confirmed', async () => {
      await held(fixture.nodeB, { roomKey: room('r1'), epoch: 12n, token: '' });
      const claim = { roomKey: room('r1'), epoch: 11n, token: '11.3' };
      expect(await one(fixture.nodeA.overwrite([claim], budgetMs))).toEqual({
        kind: 'held',
        token: '11.4',
      });
    });

    it('releases by compare-and-delete only (LEASE-28)', async () => {
      const claim = { roomKey: room('r1'), epoch: 7n, token: '' };
      const token = await held(fixture.nodeA, claim);
      await fixture.nodeA.release([{ ...claim, token: '7.9' }], budgetMs);
      await fixture.nodeB.release([{ ...claim, token }], budgetMs);
      expect(await fixture.nodeA.ownerOf(room('r1'))).toMatchObject({ token });
      await fixture.nodeA.release([{ ...claim, token }], budgetMs);
      expect(await fixture.nodeA.ownerOf(room('r1'))).toBeNull();
    });

    it('answers many claims in their order, each room for itself', async () => {
      await held(fixture.nodeB, { roomKey: room('r2'), epoch: 99n, token: '' });
      const claims = ['r1', 'r2', 'r3'].map((id) => ({ roomKey: room(id), epoch: 7n, token: '' }));
      const verdicts = await fixture.nodeA.ensure(claims, budgetMs);
      expect(verdicts.map(({ kind }) => kind)).toEqual(['held', 'foreign', 'held']);
      expect(await fixture.nodeA.ensure([], budgetMs)).toEqual([]);
    });

    it('announces a node for its time and then forgets it (LEASE-10, LEASE-35, WRK-12)', async () => {
      await fixture.nodeA.announceNode('node-a', '10.0.0.7:7000', fixture.leaseTtlMs);
      expect(await fixture.nodeB.addressOf('node-a')).toBe('10.0.0.7:7000');
      await fixture.pass(fixture.leaseTtlMs * 1.2);
      expect(await fixture.nodeB.addressOf('node-a')).toBeNull();
    });

    it('refuses to another node of the same epoch (LEASE-24, CFG-1, SVC-1)', async () => {
      await held(fixture.nodeA, { roomKey: room('same'), epoch: 7n, token: '' });
      const rival = { roomKey: room('same'), epoch: 7n, token: '' };
      expect(await one(fixture.nodeB.ensure([rival], budgetMs))).toEqual({
        kind: 'foreign',
        ownerNodeId: 'node-a',
        token: '7.1',
      });
    });

    it('takes a damaged value for none', async () => {
      const claim = { roomKey: room('damaged'), epoch: 7n, token: '7.3' };
      await fixture.plant(claim.roomKey, 'no lease');
      expect(await fixture.nodeA.ownerOf(claim.roomKey)).toBeNull();
      expect(await one(fixture.nodeA.verify([claim], budgetMs))).toEqual({
        kind: 'foreign',
        ownerNodeId: '',
        token: '',
      });
      expect(await held(fixture.nodeA, claim)).toBe('7.4');
    });

    it('shows the token of a stranger and gives it up only when overwritten', async () => {
      const claim = { roomKey: room('forged'), epoch: 7n, token: '7.1' };
      const forged = { kind: 'foreign', ownerNodeId: 'nobody', token: '99.5' };
      await fixture.plant(claim.roomKey, '99.5|nobody', fixture.leaseTtlMs);
      expect(await one(fixture.nodeA.ensure([claim], budgetMs))).toEqual(forged);
      expect(await one(fixture.nodeA.verify([claim], budgetMs))).toEqual(forged);
      await fixture.nodeA.release([claim], budgetMs);
      expect(await fixture.nodeB.ownerOf(claim.roomKey)).toMatchObject({ token: '99.5' });
      expect(await one(fixture.nodeA.overwrite([claim], budgetMs))).toEqual({
        kind: 'held',
        token: '7.2',
      });
      expect(await held(fixture.nodeA, { ...claim, token: '7.2' })).toBe('7.2');
    });

    it('goes on from the greater of the counters when the server has fallen back', async () => {
      const claim = { roomKey: room('older'), epoch: 7n, token: '7.9' };
      await fixture.plant(claim.roomKey, '7.4|node-a', fixture.leaseTtlMs);
      expect(await held(fixture.nodeA, claim)).toBe('7.10');
      await fixture.plant(claim.roomKey, '7.12|node-a', fixture.leaseTtlMs);
      expect(await held(fixture.nodeA, { ...claim, token: '7.10' })).toBe('7.12');
    });

    it('gives an end to a lease that had none', async () => {
      const claim = { roomKey: room('endless'), epoch: 7n, token: '7.1' };
      await fixture.plant(claim.roomKey, '7.1|node-a');
      expect(await held(fixture.nodeA, claim)).toBe('7.2');
      await fixture.pass(fixture.leaseTtlMs * 1.2);
      expect(await fixture.nodeB.ownerOf(claim.roomKey)).toBeNull();
    });

    it('gives every lease that it writes an end (LEASE-5, CFG-2, SVC-2)', async () => {
      const claim = { roomKey: room('overwritten'), epoch: 7n, token: '' };
      await fixture.nodeA.overwrite([claim], budgetMs);
      await fixture.pass(fixture.leaseTtlMs * 1.2);
      expect(await fixture.nodeB.ownerOf(claim.roomKey)).toBeNull();
    });

    it('says the same when a script ran twice (LEASE-29)', async () => {
      const claim = { roomKey: room('twice'), epoch: 7n, token: '' };
      const { nodeA } = fixture;
      const ensure = (token: string) => () => held(nodeA, { ...claim, token });
      expect(await fixture.runTwice(ensure(''))).toBe('7.1');
      await fixture.pass(fixture.leaseTtlMs * 0.45);
      expect(await fixture.runTwice(ensure('7.1'))).toBe('7.2');
      const again = await fixture.runTwice(() => nodeA.overwrite([claim], budgetMs));
      // Overwriting makes a token each time; what was answered last is what is stored.
      expect(again).toEqual([{ kind: 'held', token: '7.4' }]);
      expect(await nodeA.ownerOf(claim.roomKey)).toMatchObject({ token: '7.4' });
      await fixture.runTwice(() => nodeA.release([{ ...claim, token: '7.4' }], budgetMs));
      expect(await nodeA.ownerOf(claim.roomKey)).toBeNull();
    });

    it('loses leases to a leap of the server’s clock, and no token comes twice', async () => {
      const claim = { roomKey: room('leap'), epoch: 7n, token: '' };
      const token = await held(fixture.nodeA, claim);
      await fixture.jumpClock(fixture.leaseTtlMs * 2);
      expect(await fixture.nodeB.ownerOf(claim.roomKey)).toBeNull();
      expect(await held(fixture.nodeA, { ...claim, token })).toBe('7.2');
    });

    it('keeps leases longer when the server’s clock was set back', async () => {
      const claim = { roomKey: room('back'), epoch: 7n, token: '' };
      const token = await held(fixture.nodeA, claim);
      await fixture.jumpClock(-fixture.leaseTtlMs);
      await fixture.pass(fixture.leaseTtlMs * 1.2);
      expect(await held(fixture.nodeA, { ...claim, token })).toBe(token);
    });

    it('waits for a slow answer as long as its budget lasts', async () => {
      const claim = { roomKey: room('slow'), epoch: 7n, token: '' };
      await fixture.setServer({ slowMs: 40 });
      const answered = fixture.nodeA.ensure([claim], budgetMs);
      await fixture.pass(200);
      expect(await answered).toEqual([{ kind: 'held', token: '7.1' }]);
    });

    it('is unreachable once the budget is over, and the call may have taken effect', async () => {
      const claim = { roomKey: room('late'), epoch: 7n, token: '' };
      await fixture.setServer({ slowMs: 200 });
      let isEnded = false;
      const late = fixture.nodeA.ensure([claim, claim], 50).finally(() => (isEnded = true));
      await fixture.pass(50 + slackMs);
      expect(isEnded).toBe(true);
      expect((await late).map(({ kind }) => kind)).toEqual(['unreachable', 'unreachable']);
      await fixture.setServer('up');
      await fixture.pass(250);
      expect(await fixture.nodeA.ownerOf(claim.roomKey)).toMatchObject({ token: '7.1' });
      // Nothing is known from the call itself; asking tells that it had run.
      expect(await one(fixture.nodeA.verify([{ ...claim, token: '7.1' }], budgetMs))).toEqual({
        kind: 'held',
        token: '7.1',
      });
    });

    it('ends every call to a frozen server, is not healthy, and recovers by itself', async () => {
      const claim = { roomKey: room('frozen'), epoch: 7n, token: '' };
      const { nodeA } = fixture;
      await fixture.setServer('frozen');
      const calls: readonly Promise<unknown>[] = [
        nodeA.ensure([claim], 50),
        nodeA.verify([claim], 50),
        nodeA.overwrite([claim], 50),
        nodeA.release([claim], 50),
        nodeA.ownerOf(claim.roomKey),
        nodeA.addressOf('node-a'),
        nodeA.announceNode('node-a', '10.0.0.7:7000', 1_000),
      ];
      let ended = 0;
      for (const call of calls) void call.then(() => (ended += 1));
      await fixture.pass(lookupWithinMs + slackMs);
      expect(ended).toBe(calls.length);
      const unreachable = [{ kind: 'unreachable', cause: expect.any(String) }];
      expect((await Promise.all(calls)).slice(0, 3)).toEqual([
        unreachable,
        unreachable,
        unreachable,
      ]);
      expect((await Promise.all(calls)).slice(3)).toEqual([undefined, null, null, undefined]);
      expect(nodeA.isHealthy()).toBe(false);
      await fixture.setServer('up');
      await waitUntil('held again', async () => {
        const [verdict] = await nodeA.ensure([{ ...claim, epoch: 8n }], budgetMs);
        return verdict?.kind === 'held';
      });
      expect(nodeA.isHealthy()).toBe(true);
    });

    it('is unreachable, and throws nothing, while the server is down', async () => {
      const claim = { roomKey: room('down'), epoch: 7n, token: '' };
      await fixture.setServer('down');
      expect(await one(fixture.nodeA.ensure([claim], budgetMs))).toMatchObject({
        kind: 'unreachable',
      });
      await fixture.nodeA.release([claim], budgetMs);
      expect(await fixture.nodeA.ownerOf(claim.roomKey)).toBeNull();
    });

    it('answers nothing more once it is stopped', async () => {
      const claim = { roomKey: room('stopped'), epoch: 7n, token: '' };
      await fixture.nodeB.stop();
      expect(fixture.nodeB.isHealthy()).toBe(false);
      expect(await one(fixture.nodeB.ensure([claim], budgetMs))).toMatchObject({
        kind: 'unreachable',
      });
      expect(await fixture.nodeA.ownerOf(claim.roomKey)).toBeNull();
      await fixture.nodeB.stop();
    });
  });
}

async function one(verdicts: Promise<readonly LeaseVerdict[]>): Promise<LeaseVerdict> {
  const [verdict, ...more] = await verdicts;
  expect(more).toEqual([]);
  if (verdict === undefined) throw new Error('no verdict for a claim');
  return verdict;
}

async function held(directory: LeaseDirectory, claim: LeaseClaim): Promise<string> {
  const verdict = await one(directory.ensure([claim], budgetMs));
  if (verdict.kind !== 'held') throw new Error(`not held: ${JSON.stringify(verdict)}`);
  return verdict.token;
}
