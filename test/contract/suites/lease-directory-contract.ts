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

/** Two nodes' views on one empty directory whose leases last `leaseTtlMs`. */
export interface LeaseDirectoryFixture {
  readonly leaseTtlMs: number;
  readonly nodeA: LeaseDirectory;
  readonly nodeB: LeaseDirectory;
  /** Loses everything, as a Redis does that was flushed or came back empty. */
  empty(): Promise<void>;
  /** Lets so much time pass for the leases. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const budgetMs = 1_000;
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
      await waitUntil('both nodes connected', () =>
        Promise.resolve(fixture.nodeA.isHealthy() && fixture.nodeB.isHealthy()),
      );
    });
    beforeEach(() => fixture.empty());
    afterAll(() => fixture.close());

    it('takes an absent lease and keeps its token while it is fresh', async () => {
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

    it('renews with a new token when less than two thirds of the time is left', async () => {
      const claim = { roomKey: room('r1'), epoch: 7n, token: '' };
      const first = await held(fixture.nodeA, claim);
      await fixture.pass(fixture.leaseTtlMs * 0.45);
      expect(await held(fixture.nodeA, { ...claim, token: first })).toBe('7.2');
      await fixture.pass(fixture.leaseTtlMs * 0.7);
      // Past the end of the first lease: the renewal has moved it.
      expect(await fixture.nodeB.ownerOf(room('r1'))).toMatchObject({ token: '7.2' });
    });

    it('lets a higher epoch take over at once and refuses a lower one', async () => {
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

    it('verifies only the very token that is stored', async () => {
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

    it('never gives one token twice, though everything was lost in between', async () => {
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

    it('releases by compare-and-delete only', async () => {
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

    it('announces a node for its time and then forgets it', async () => {
      await fixture.nodeA.announceNode('node-a', '10.0.0.7:7000', fixture.leaseTtlMs);
      expect(await fixture.nodeB.addressOf('node-a')).toBe('10.0.0.7:7000');
      await fixture.pass(fixture.leaseTtlMs * 1.2);
      expect(await fixture.nodeB.addressOf('node-a')).toBeNull();
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
