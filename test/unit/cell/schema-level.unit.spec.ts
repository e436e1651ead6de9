/**
 * While a deployment is being upgraded, a cell of the former release may take any room over. Goal:
 * nothing that it could not replay is written before the operator raises the level, and a cell that
 * has become the former release itself owns nothing.
 */
import { describe, expect, it } from 'vitest';
import { MemorySchemaRegistry } from '../../../src/drivers/memory/memory-schema-registry.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import { schemaLevel } from '../../../src/protocol/schema-levels.ts';
import { CellRig, createRoomBody, joinRoomBody, rigOptions } from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const kick: CommandBody = {
  type: 'KickUser',
  userId: 'u2' as never,
  reason: '',
  expiresAtMs: 0,
};

interface LevelRig {
  readonly rig: CellRig;
  readonly registry: MemorySchemaRegistry;
}

/** A database at the level of release 0.2.0, or at another one. */
async function rigAt(level = 2): Promise<LevelRig> {
  const rig = new CellRig(1);
  const registry = new MemorySchemaRegistry(rig.database);
  await registry.level(level);
  return { rig, registry };
}

async function fillRoom(rig: CellRig, node: RigNode): Promise<void> {
  const body = createRoomBody({ passwordHash: 'scrypt:1' });
  await rig.result(node, rig.send('r1', 'c1', 'owner', body));
  const password = { passwordVersion: 1n, verdict: 'match' as const };
  await rig.result(node, rig.send('r1', 'j2', 'u2', { ...joinRoomBody(), password }));
}

/** Lets time pass in steps, with turns for what they begin. */
async function pass(rig: CellRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    rig.time.advance(1_000);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  }
}

function loggedTypes(rig: CellRig): string[] {
  return [...rig.database.log.values()].map(({ commandType }) => commandType);
}

describe('a cell of the newer release, while the level is the former one', () => {
  it('refuses a command of its own release and leaves the id free until the level is raised', async () => {
    const { rig, registry } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    const early = await rig.reply(node, rig.send('r1', 'k1', 'owner', kick));
    expect(early).toMatchObject({
      kind: 'refusal',
      reason: 'NOT_YET_ENABLED',
      facts: { level: '2' },
    });
    expect(loggedTypes(rig)).toEqual(['CreateRoom', 'JoinRoom']);
    await registry.raiseLevel(3);
    await pass(rig, 6_000);
    const late = await rig.result(node, rig.send('r1', 'k1', 'owner', kick));
    expect(late).toMatchObject({ outcome: 'applied', replayed: false });
  });

  it('asks for the level again before it refuses what came behind a raise', async () => {
    const { rig, registry } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    await registry.raiseLevel(3);
    // No time passes: its own look is still to come.
    const id = rig.send('r1', 'k1', 'owner', kick);
    expect(await rig.result(node, id)).toMatchObject({ outcome: 'applied' });
  });

  it('keeps no row of a command of its own release, whatever it would come to', async () => {
    const { rig } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    const asks: readonly CommandBody[] = [
      // A rejection, and a command without effect.
      { type: 'AnswerMicRequest', userId: 'u2' as never, answer: 'accepted' },
      { type: 'SetRoomMode', mode: 'free' },
    ];
    for (const [n, body] of asks.entries()) {
      const sent = await rig.reply(node, rig.send('r1', `a${n}`, 'owner', body));
      expect(sent).toMatchObject({ kind: 'refusal', reason: 'NOT_YET_ENABLED' });
    }
    expect(loggedTypes(rig)).toEqual(['CreateRoom', 'JoinRoom']);
  });

  it('refuses a command of the former release that would make an event of its own', async () => {
    const { rig } = await rigAt();
    const times = { ...rigOptions.times, closeGraceMs: 30_000 };
    const node = await rig.startNode('a', { options: { times } });
    await fillRoom(rig, node);
    const close: CommandBody = { type: 'CloseRoom', reason: '', note: '' };
    const sent = await rig.reply(node, rig.send('r1', 'x1', 'owner', close));
    expect(sent).toMatchObject({ kind: 'refusal', reason: 'NOT_YET_ENABLED' });
    expect(node.cell.committedRooms()[0]).toMatchObject({ status: 'active', version: 2n });
  });

  it('rejects a wrong password without counting it', async () => {
    const { rig } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    const password = { passwordVersion: 1n, verdict: 'mismatch' as const };
    const guess = rig.send('r1', 'j3', 'u3', { ...joinRoomBody(), password });
    expect(await rig.result(node, guess)).toMatchObject({ reason: 'WRONG_PASSWORD' });
    expect(loggedTypes(rig)).toEqual(['CreateRoom', 'JoinRoom', 'JoinRoom']);
    expect(node.cell.committedRooms()[0]).toMatchObject({ version: 2n });
  });

  it('sweeps nobody, and does when the level is raised', async () => {
    const { rig, registry } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    await pass(rig, rigOptions.presenceStaleAfterMs * 3);
    expect(loggedTypes(rig)).not.toContain('SweepStaleUsers');
    await registry.raiseLevel(3);
    await pass(rig, rigOptions.presenceStaleAfterMs * 3);
    expect(loggedTypes(rig)).toContain('SweepStaleUsers');
  });

  it('still executes everything of the former release', async () => {
    const { rig } = await rigAt();
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    const up = await rig.result(node, rig.send('r1', 'm1', 'u2', { type: 'MicUp', seatNo: 1 }));
    expect(up.outcome).toBe('applied');
    const left = await rig.result(node, rig.send('r1', 'l1', 'u2', { type: 'LeaveRoom' }));
    expect(left.outcome).toBe('applied');
  });
});

describe('a cell whose release is below the level', () => {
  it('becomes no member of the group, and says why', async () => {
    const { rig } = await rigAt(schemaLevel + 1);
    const node = await rig.startNode('a', { assign: [] });
    node.source.assign([0]);
    await pass(rig, 10_000);
    expect(node.cell.ownedPartitions()).toEqual([]);
    expect(rig.database.owners.get(0)).toBeUndefined();
    expect(node.cell.readiness()).toMatchObject({ ready: false });
    // It has not even begun to take part.
    expect(node.cell.readiness().reasons).toEqual(
      expect.arrayContaining(['STARTING', 'RELEASE_TOO_OLD']),
    );
    await node.cell.drain(1_000);
    await node.cell.stop();
  });

  it('gives everything up when it becomes so while it runs', async () => {
    const { rig, registry } = await rigAt(schemaLevel);
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    expect(node.cell.readiness().ready).toBe(true);
    await registry.raiseLevel(schemaLevel + 1);
    await pass(rig, 6_000);
    await eventually('partition 0 is given up', () => node.cell.ownedPartitions().length === 0);
    expect(rig.database.owners.get(0)).toMatchObject({ released: true });
    expect(node.cell.readiness().reasons).toContain('RELEASE_TOO_OLD');
    await node.cell.drain(1_000);
    await node.cell.stop();
  });
});

describe('a database that nobody has written to', () => {
  it('begins with the level of the first release, at which everything is enabled', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await fillRoom(rig, node);
    expect((await rig.result(node, rig.send('r1', 'k1', 'owner', kick))).outcome).toBe('applied');
    expect([...rig.database.schemaLevel.values()]).toEqual([schemaLevel]);
  });
});
