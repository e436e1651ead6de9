/** What operators of the deployment see of partitions, and what they say about those that stand. */
import { describe, expect, test } from 'vitest';
import type { PartitionStop } from '../../../../src/ports/partition-stops.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import type { CallFrame } from '../../../../src/ports/room-api.ts';
import { appCode, frame, user } from '../gateway-fakes.ts';
import { byOperator, operatorsRig } from './operators-rig.ts';

const platform = 'platform';

function byPlatform(): CallFrame {
  return frame({ caller: { appCode: platform, subject: 'root', role: 'operator' } });
}

const gap: PartitionStop = {
  partition: 2,
  state: 'GAP',
  expectedOffset: 5n,
  logStartOffset: 9n,
  logEndOffset: 20n,
  committedOffset: -1n,
};
const word = {
  appCode: platform,
  commandId: 'w1',
  actorUserId: '',
  partition: 2,
  state: 'GAP',
  expectedOffset: 5n,
  choice: 'skip',
  replayUntil: 0n,
};

/** Partitions 1 (owned), 2 (standing still) and 3 (given up) have owners. */
async function withOwners(change: Parameters<typeof operatorsRig>[0] = {}, stop = gap) {
  const rig = operatorsRig(change);
  const { partitionStore, partitionStops } = rig.drivers;
  const taken = { nodeId: 'cell-1', incarnation: 'a', lane: 0, advertiseAddr: '10.0.0.1:7000' };
  for (const partition of [1, 2, 3]) {
    await rig.ended(partitionStore.takeover({ ...taken, partition }));
  }
  await rig.ended(partitionStore.release(3, 1n, 'a'));
  const note = { ...stop, epoch: 1n, incarnation: 'a', ownerNodeId: 'cell-1' };
  await rig.ended(partitionStops.note(note, 77));
  return rig;
}

describe('who may', () => {
  test.each([
    ['a user', frame({ caller: user }), appCode],
    ['an operator of an app', byOperator(), appCode],
    ['an operator of an app that names the deployment’s', byOperator(), platform],
  ])('%s has no say about partitions', async (_who, call, app) => {
    const { operators, database, ended } = await withOwners();
    const denied = { reason: 'PERMISSION_DENIED' };
    await expect(ended(operators.listPartitions(call, { appCode: app }))).rejects.toMatchObject(
      denied,
    );
    const said = operators.acceptState(call, { ...word, appCode: app });
    await expect(ended(said)).rejects.toMatchObject(denied);
    expect(database.operatorAudit.size).toBe(0);
  });

  test('where no tokens are asked for, everybody may', async () => {
    const { operators, ended } = await withOwners();
    const call = frame({ caller: { appCode: 'any', subject: '', role: 'operator' } });
    expect(await ended(operators.listPartitions(call, { appCode: 'any' }))).toHaveLength(8);
  });
});

const claim = (queues: ReadonlyMap<number, number> = new Map()) => ({
  ...{ nodeId: 'cell-1', incarnation: 'a', ttlMs: 9_000, overdueMs: 4_000 },
  queues,
});

describe('DrainNode', () => {
  const drain = { appCode: platform, commandId: 'd1', actorUserId: '', nodeId: 'cell-1' };

  test('tells the node, and says in the audit who wanted it', async () => {
    const { operators, drivers, database, ended } = await withOwners();
    await ended(drivers.nodeRegistry.renew(claim()));
    await ended(operators.drainNode(byPlatform(), drain));
    expect(database.nodes.get('cell-1')).toMatchObject({ drainAskedBy: 'root' });
    expect(database.operatorAudit.get(`${platform}\0d1`)).toMatchObject({
      ...{ type: 'DrainNode', operatorId: 'root', nodeId: 'cell-1' },
    });
    await ended(operators.drainNode(byPlatform(), drain));
  });

  test('of a node that does not live is refused', async () => {
    const { operators, ended } = await withOwners();
    await expect(ended(operators.drainNode(byPlatform(), drain))).rejects.toMatchObject({
      reason: 'NODE_UNKNOWN',
    });
  });

  test.each(['', 'no node'])('names %o as no node id', async (nodeId) => {
    const { operators, ended } = await withOwners();
    const said = operators.drainNode(byPlatform(), { ...drain, nodeId });
    await expect(ended(said)).rejects.toMatchObject({ facts: { field: 'node_id' } });
  });

  test('is not for operators of an app', async () => {
    const { operators, ended } = await withOwners();
    await expect(ended(operators.drainNode(byOperator(), drain))).rejects.toMatchObject({
      reason: 'PERMISSION_DENIED',
    });
  });
});

describe('ListPartitions', () => {
  test('shows owner, applied offset, lag and state of every partition', async () => {
    const { operators, ended } = await withOwners();
    const all = await ended(operators.listPartitions(byPlatform(), { appCode: platform }));
    expect(all.map(({ partition }) => partition)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(all.slice(0, 4).map(({ state }) => state)).toEqual([
      'UNOWNED',
      'OWNED',
      'GAP',
      'RELEASED',
    ]);
    expect(all[1]).toMatchObject({
      ...{ epoch: 1n, ownerNodeId: 'cell-1', advertiseAddr: '10.0.0.1:7000' },
      ...{ appliedOffset: -1n, lag: 10n, stop: null },
      lastProgressAtMs: expect.any(Number) as number,
    });
    expect(all[2]?.stop).toMatchObject({ ...gap, stoppedAtMs: 77, acceptance: null });
  });

  test('shows what waits at owners that live, and of others that nobody knows', async () => {
    const { operators, drivers, time, ended } = await withOwners();
    const queues = async (): Promise<unknown[]> => {
      const all = await ended(operators.listPartitions(byPlatform(), { appCode: platform }));
      return all.slice(0, 3).map(({ queue }) => queue);
    };
    expect(await queues()).toEqual([null, null, null]);
    await ended(drivers.nodeRegistry.renew(claim(new Map([[1, 17]]))));
    expect(await queues()).toEqual([null, 17, 0]);
    await time.advance(9_001);
    expect(await queues()).toEqual([null, null, null]);
  });

  test('shows no stop of an owner that is gone', async () => {
    const { operators, drivers, ended } = await withOwners();
    const next = { nodeId: 'cell-2', incarnation: 'b', lane: 0, advertiseAddr: '10.0.0.2:7000' };
    await ended(drivers.partitionStore.takeover({ ...next, partition: 2 }));
    const all = await ended(operators.listPartitions(byPlatform(), { appCode: platform }));
    expect(all[2]).toMatchObject({ state: 'OWNED', stop: null });
  });

  test('shows the rest while the brokers do not answer', async () => {
    const endOffset = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'no broker'));
    const produce = () => Promise.reject(new Error('nothing is produced here'));
    const { operators, ended } = await withOwners({ commandSink: { endOffset, produce } });
    const all = await ended(operators.listPartitions(byPlatform(), { appCode: platform }));
    expect(all[1]).toMatchObject({ ownerNodeId: 'cell-1', lag: null });
  });
});

describe('AcceptState', () => {
  test('writes the word where the owner reads it, and who said it into the audit', async () => {
    const { operators, database, ended } = await withOwners();
    await ended(operators.acceptState(byPlatform(), word));
    expect(database.stops.get(2)?.acceptance).toMatchObject({ choice: 'skip', operatorId: 'root' });
    expect(database.operatorAudit.get(`${platform}\0w1`)).toMatchObject({
      ...{ type: 'AcceptState', operatorId: 'root', partition: 2 },
      ...{ state: 'GAP', expectedOffset: 5n, choice: 'skip', replayUntil: -1n },
    });
  });

  test('keeps how far is replayed', async () => {
    const { operators, database, ended } = await withOwners({}, { ...gap, state: 'DB_REWOUND' });
    const replay = { ...word, state: 'DB_REWOUND', choice: 'replay', replayUntil: 19n };
    await ended(operators.acceptState(byPlatform(), replay));
    expect(database.stops.get(2)?.acceptance).toMatchObject({ choice: 'replay', replayUntil: 19n });
  });

  test.each([
    ['a partition that runs', { partition: 1 }],
    ['an older stop', { expectedOffset: 4n }],
  ])('about %s is refused', async (_what, change) => {
    const { operators, ended } = await withOwners();
    const said = operators.acceptState(byPlatform(), { ...word, ...change });
    await expect(ended(said)).rejects.toMatchObject({ reason: 'PARTITION_RUNS' });
  });

  test.each([
    ['partition', 'unknown', { partition: 8 }],
    ['partition', 'unknown', { partition: -1 }],
    ['state', 'unknown', { state: 'BROKEN' }],
    ['choice', 'not_for_this_state', { choice: 'restart' }],
    ['choice', 'not_for_this_state', { state: 'TOPIC_CHANGED', choice: 'replay', replayUntil: 9n }],
    ['expected_offset', 'too_small', { expectedOffset: -1n }],
    [
      'replay_until',
      'below_expected_offset',
      { state: 'DB_REWOUND', choice: 'replay', replayUntil: 4n },
    ],
  ])('names %s as %s', async (field, fault, change) => {
    const { operators, ended } = await withOwners();
    const said = operators.acceptState(byPlatform(), { ...word, ...change });
    await expect(ended(said)).rejects.toMatchObject({ facts: { field, fault } });
  });
});
