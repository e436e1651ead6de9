/**
 * Two processes under one name, and a node that an operator drains. Goal: one process has a name, it is
 * the one that lives, and the other one ends saying why; a drained node owns nothing and stays that way.
 */
import { describe, expect, it } from 'vitest';
import type { UserId, CommandId } from '../../../src/domain/ids.ts';
import { nodeName } from '../../../src/drivers/memory/memory-node-registry.ts';
import { MemoryOperatorStore } from '../../../src/drivers/memory/memory-operator-store.ts';
import { CellRig, createRoomBody, rigApp } from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** Lets time pass in steps, with turns for what they begin. */
async function pass(rig: CellRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    rig.time.advance(500);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  }
}

/** Ends as `starting` ends, while time passes for everybody who lives. */
async function ended<T>(rig: CellRig, starting: Promise<T>): Promise<T> {
  let isOver = false;
  const over = starting.finally(() => (isOver = true));
  over.catch(() => undefined);
  while (!isOver) await pass(rig, 500);
  return starting;
}

/** A gate that a test may close: then nothing of the node reaches a store, and nothing is answered. */
function freezable() {
  let thaw: (() => void) | null = null;
  let waiting: Promise<void> = Promise.resolve();
  const gate = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]): unknown =>
          thaw === null
            ? Reflect.apply(value, target, values)
            : waiting.then(() => Reflect.apply(value, target, values) as unknown);
      },
    });
  return {
    gate,
    freeze: () => void (waiting = new Promise<void>((resolve) => (thaw = resolve))),
    thaw: () => {
      thaw?.();
      thaw = null;
    },
  };
}

describe('a second process under the name of one that lives', () => {
  it('is refused, and the first one goes on', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('a');
    const second = ended(rig, rig.startNode('a', { assign: [] }));
    await expect(second).rejects.toMatchObject({
      kind: 'fenced',
      reason: 'NODE_NAME_TAKEN',
      facts: { node_id: 'a', incarnation: 'inc-a-1' },
    });
    await rig.result(first, rig.send('r1', 'c1', 'owner', createRoomBody()));
    expect(first.fatal).toEqual([]);
    expect(rig.database.nodes.get('a')).toMatchObject({ incarnation: 'inc-a-1' });
  });

  it('gets it at once when the first one has stopped', async () => {
    const rig = new CellRig(1);
    const first = await rig.startNode('a');
    await first.cell.drain(1_000);
    await first.cell.stop();
    const before = rig.time.monoMs();
    const second = await rig.startNode('a');
    expect(second.cell.readiness().ready).toBe(true);
    expect(rig.time.monoMs() - before).toBeLessThan(500);
  });

  it('gets it within two renewals of one that was killed and whose connections ended', async () => {
    const rig = new CellRig(1);
    const killed = freezable();
    await rig.startNode('a', { gate: killed.gate });
    killed.freeze();
    rig.database.server.named(nodeName('inc-a-1'))?.end();
    const killedAtMs = rig.time.monoMs();
    const second = await ended(rig, rig.startNode('a'));
    expect(second.cell.readiness().ready).toBe(true);
    expect(rig.time.monoMs() - killedAtMs).toBeLessThanOrEqual(3_000);
  });

  it('gets it when the lease of one that is frozen, or was cut off, runs out', async () => {
    const rig = new CellRig(1);
    const killed = freezable();
    await rig.startNode('a', { gate: killed.gate });
    killed.freeze();
    const second = await ended(rig, rig.startNode('a'));
    expect(second.cell.readiness().ready).toBe(true);
    const line = second.log.lines.find(({ text }) => text.startsWith('another process has'));
    expect(line).toMatchObject({ level: 'warn', fields: { nodeId: 'a', incarnation: 'inc-a-1' } });
  });
});

it('a process that was frozen for longer than its name lasts ends when it thaws', async () => {
  const rig = new CellRig(1);
  const frozen = freezable();
  const first = await rig.startNode('a', { gate: frozen.gate });
  frozen.freeze();
  const second: RigNode = await ended(rig, rig.startNode('a'));
  frozen.thaw();
  await pass(rig, 3_000);
  expect(first.fatal).toMatchObject([{ reason: 'NODE_NAME_TAKEN' }]);
  expect(second.fatal).toEqual([]);
});

describe('a node that an operator drains', () => {
  async function drained() {
    const rig = new CellRig(2);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    const outcome = await new MemoryOperatorStore(rig.database).carryOut(
      {
        ...{ appCode: rigApp, commandId: 'd1' as CommandId, operatorId: 'kim' as UserId },
        ...{ type: 'DrainNode', nodeId: 'a' },
      },
      rig.time.wallMs(),
    );
    expect(outcome).toBe('done');
    await pass(rig, 3_000);
    await eventually('it has left the group', () => node.source.stopped);
    return { rig, node };
  }

  it('gives everything up, leaves the group, and says that it is drained', async () => {
    const { rig, node } = await drained();
    expect(node.cell.ownedPartitions()).toEqual([]);
    expect([...rig.database.owners.values()].map(({ released }) => released)).toEqual([true, true]);
    expect(node.cell.readiness()).toMatchObject({ ready: false, reasons: ['DRAINING'] });
    const line = node.log.lines.find(({ text }) => text === 'an operator drains this node');
    expect(line).toMatchObject({ fields: { operatorId: 'kim' } });
    expect(node.fatal).toEqual([]);
  });

  it('stays drained until its process is replaced', async () => {
    const { rig, node } = await drained();
    await pass(rig, 20_000);
    expect(node.sources).toHaveLength(1);
    // It lives, so its name is not free.
    await expect(ended(rig, rig.startNode('a', { assign: [] }))).rejects.toMatchObject({
      reason: 'NODE_NAME_TAKEN',
    });
    await node.cell.drain(1_000);
    await node.cell.stop();
    const next = await rig.startNode('a');
    expect(next.cell.readiness().ready).toBe(true);
  });
});
