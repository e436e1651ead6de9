/** What every NodeRegistry must do, with an operator's word by the OperatorStore beside it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/ids.ts';
import type { NodeLook, NodeRegistry } from '../../../src/ports/node-registry.ts';
import type { OperatorAct, OperatorStore } from '../../../src/ports/operator-store.ts';
import { freshCommandId, testApp } from '../../support/lane-batches.ts';

/** The ports on one database, and the passing of time there. */
export interface NodeRegistryFixture {
  readonly nodes: NodeRegistry;
  readonly operators: OperatorStore;
  /** The database's wall clock, as the test knows it from elsewhere. */
  wallMs(): number;
  /** Lets so much time pass for the leases of names. */
  pass(ms: number): Promise<void>;
  /** The connections of this process end, as they do when it dies or when they break. */
  connectionsEnd(incarnation: string): Promise<void>;
  close(): Promise<void>;
}

const ttlMs = 60_000;
const overdueMs = 20_000;
/** By what the clocks of a test and of its servers, on one machine, may differ. */
const clocksDifferMs = 1_000;
const nowMs = 1_700_000_000_000;

/** Declares the suite. */
export function nodeRegistryContract(
  name: string,
  makeFixture: () => Promise<NodeRegistryFixture>,
): void {
  describe(`NodeRegistry contract: ${name}`, () => {
    let fixture: NodeRegistryFixture;
    let named = 0;
    const freshNode = (): string => `node-${(named += 1)}`;
    const renew = (
      nodeId: string,
      incarnation: string,
      queues: ReadonlyMap<number, number> = new Map(),
    ): Promise<NodeLook> => fixture.nodes.renew({ nodeId, incarnation, ttlMs, overdueMs, queues });
    const drainOf = (nodeId: string): OperatorAct => ({
      appCode: testApp,
      commandId: freshCommandId(),
      operatorId: 'op-1' as UserId,
      type: 'DrainNode',
      nodeId,
    });

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    it('gives a name to who asks first, and tells the others who has it', async () => {
      const node = freshNode();
      const first = await renew(node, 'a');
      expect(first).toMatchObject({ heldBy: null, drainAskedBy: '' });
      const second = await renew(node, 'b');
      expect(second.heldBy).toMatchObject({ incarnation: 'a' });
      expect(await renew(freshNode(), 'b')).toMatchObject({ heldBy: null });
      expect(await renew(node, 'a')).toMatchObject({ heldBy: null });
    });

    it('gives it to one of several that ask at once', async () => {
      const node = freshNode();
      const looks = await Promise.all(['a', 'b', 'c', 'd'].map((who) => renew(node, who)));
      expect(looks.filter(({ heldBy }) => heldBy === null)).toHaveLength(1);
    });

    it('shows by the time of the last renewal whether the holder lives', async () => {
      const node = freshNode();
      await renew(node, 'a');
      const seen = (await renew(node, 'b')).heldBy?.renewedAtMs ?? 0;
      expect((await renew(node, 'b')).heldBy?.renewedAtMs).toBe(seen);
      await fixture.pass(10);
      await renew(node, 'a');
      expect((await renew(node, 'b')).heldBy?.renewedAtMs).toBeGreaterThan(seen);
    });

    it('gives a name to another when its lease has run out, and not back', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.pass(ttlMs + 1);
      expect(await renew(node, 'b')).toMatchObject({ heldBy: null });
      expect((await renew(node, 'a')).heldBy).toMatchObject({ incarnation: 'b' });
    });

    it('gives the name of a process that has ended to the next one once a renewal is missing', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.connectionsEnd('a');
      expect((await renew(node, 'b')).heldBy).toMatchObject({ incarnation: 'a' });
      await fixture.pass(overdueMs + 1);
      expect(await renew(node, 'b')).toMatchObject({ heldBy: null });
      expect((await renew(node, 'a')).heldBy).toMatchObject({ incarnation: 'b' });
    });

    it('leaves the name of a process that is frozen to it for as long as its lease runs', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.pass(ttlMs - clocksDifferMs);
      expect((await renew(node, 'b')).heldBy).toMatchObject({ incarnation: 'a' });
    });

    it('does not take the name of a process that renewed after its connections broke', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.connectionsEnd('a');
      await fixture.pass(overdueMs + 1);
      expect(await renew(node, 'a')).toMatchObject({ heldBy: null });
      await fixture.pass(overdueMs + 1);
      expect((await renew(node, 'b')).heldBy).toMatchObject({ incarnation: 'a' });
    });

    it('leaves a name with a holder that renews too late, while nobody took it', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.pass(ttlMs + 1);
      expect(await renew(node, 'a')).toMatchObject({ heldBy: null });
      expect((await renew(node, 'b')).heldBy).toMatchObject({ incarnation: 'a' });
    });

    it('frees a name for its holder, and for nobody else', async () => {
      const node = freshNode();
      await renew(node, 'a');
      await fixture.nodes.release(node, 'b');
      expect((await renew(node, 'b')).heldBy).toMatchObject({ incarnation: 'a' });
      await fixture.nodes.release(node, 'a');
      expect(await renew(node, 'b')).toMatchObject({ heldBy: null });
    });

    it('shows what those last said who live and have their name', async () => {
      const [node, other] = [freshNode(), freshNode()];
      const queues = new Map([
        [0, 5],
        [63, 2_000],
      ]);
      await renew(node, 'a', new Map([[7, 1]]));
      await renew(node, 'a', queues);
      await renew(node, 'b', new Map([[1, 1]]));
      await renew(other, 'c');
      const living = await fixture.nodes.living();
      const ofTest = living.filter(({ nodeId }) => nodeId === node || nodeId === other);
      expect(ofTest).toHaveLength(2);
      expect(ofTest).toContainEqual({ nodeId: node, incarnation: 'a', queues });
      expect(ofTest).toContainEqual({ nodeId: other, incarnation: 'c', queues: new Map() });
      await fixture.pass(ttlMs + 1);
      expect(await fixture.nodes.living()).toEqual([]);
    });

    it('tells the database’s time of the call', async () => {
      const beforeMs = fixture.wallMs();
      const { databaseMs } = await renew(freshNode(), 'a');
      expect(databaseMs).toBeGreaterThan(beforeMs - clocksDifferMs);
      expect(databaseMs).toBeLessThan(fixture.wallMs() + clocksDifferMs);
    });

    describe('the word that a node is to be drained', () => {
      it('reaches the process that has the name, is in the audit, and is said once', async () => {
        const node = freshNode();
        await renew(node, 'a');
        const act = drainOf(node);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('repeat');
        expect(await renew(node, 'a')).toMatchObject({ heldBy: null, drainAskedBy: 'op-1' });
        expect(await renew(node, 'b')).toMatchObject({ drainAskedBy: '' });
        const other = { ...act, nodeId: freshNode() } as OperatorAct;
        await renew(other.type === 'DrainNode' ? other.nodeId : '', 'a');
        expect(await fixture.operators.carryOut(other, nowMs)).toBe('reused');
      });

      it('does not outlive the process', async () => {
        const node = freshNode();
        await renew(node, 'a');
        const act = drainOf(node);
        await fixture.operators.carryOut(act, nowMs);
        await fixture.pass(ttlMs + 1);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('repeat');
        expect(await renew(node, 'b')).toMatchObject({ heldBy: null, drainAskedBy: '' });
      });

      it('about a name that no living process has is refused and leaves its id free', async () => {
        const node = freshNode();
        const act = drainOf(node);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('noNode');
        await renew(node, 'a');
        await fixture.pass(ttlMs + 1);
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('noNode');
        await renew(node, 'a');
        expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
      });
    });
  });
}
