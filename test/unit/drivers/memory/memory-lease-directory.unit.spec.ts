/** The lease twin keeps the contract of the directory, and its server goes wrong only on order. */
import { describe, expect, it } from 'vitest';
import type { RoomKey } from '../../../../src/domain/ids.ts';
import { MemoryLeaseDirectory } from '../../../../src/drivers/memory/memory-lease-directory.ts';
import { MemoryLeaseServer } from '../../../../src/drivers/memory/memory-lease-server.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';
import { leaseDirectoryContract } from '../../../contract/suites/lease-directory-contract.ts';
import type { LeaseServerBehaviour } from '../../../contract/suites/lease-directory-contract.ts';

const leaseTtlMs = 30_000;

function open() {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const server = new MemoryLeaseServer({ clock: time, timers: time });
  const node = (nodeId: string) => new MemoryLeaseDirectory({ nodeId, leaseTtlMs }, server);
  return { time, server, nodeA: node('node-a'), nodeB: node('node-b') };
}

function modeOf(behaviour: LeaseServerBehaviour) {
  if (typeof behaviour === 'string') return { kind: behaviour };
  return { kind: 'slow', delayMs: 2 * behaviour.slowMs } as const;
}

leaseDirectoryContract('memory', () => {
  const { time, server, nodeA, nodeB } = open();
  return Promise.resolve({
    leaseTtlMs,
    nodeA,
    nodeB,
    empty: () => Promise.resolve(server.empty()),
    pass: (ms) => time.advance(ms),
    plant: (roomKey, value, ttlMs) => Promise.resolve(server.plant(roomKey, value, ttlMs)),
    setServer: (behaviour) => Promise.resolve(server.setMode(modeOf(behaviour))),
    jumpClock: (byMs) => Promise.resolve(server.jumpClock(byMs)),
    runTwice: (call) => {
      server.runTwice(1);
      return call();
    },
    close: () => Promise.resolve(),
  });
});

describe('the server of the lease twin', () => {
  const claim = { roomKey: 'app1\0r1' as RoomKey, epoch: 7n, token: '' };

  it('ends a call exactly at its budget when it is frozen', async () => {
    const { time, server, nodeA } = open();
    server.setMode({ kind: 'frozen' });
    let endedAtMs: number | null = null;
    void nodeA.ensure([claim], 20).then(() => (endedAtMs = time.monoMs()));
    await time.advance(19);
    expect(endedAtMs).toBeNull();
    await time.advance(11);
    expect(endedAtMs).toBe(20);
    expect(time.pending).toBe(0);
  });

  it('carries out what it had in its sockets when it goes on, in order', async () => {
    const { time, server, nodeA, nodeB } = open();
    server.setMode({ kind: 'frozen' });
    const waiting = [nodeA.ensure([claim], 20), nodeB.ensure([{ ...claim, epoch: 8n }], 20)];
    await time.advance(20);
    expect((await Promise.all(waiting)).flat()).toMatchObject([
      { kind: 'unreachable' },
      { kind: 'unreachable' },
    ]);
    expect(await pendingOwner(nodeA, time)).toBeNull();
    server.setMode({ kind: 'up' });
    expect(await nodeA.ownerOf(claim.roomKey)).toEqual({ ownerNodeId: 'node-b', token: '8.1' });
  });

  it('loses what it had in its sockets when it goes down', async () => {
    const { time, server, nodeA } = open();
    server.setMode({ kind: 'frozen' });
    const lost = nodeA.ensure([claim], 20);
    server.setMode({ kind: 'down' });
    await time.advance(20);
    expect(await lost).toMatchObject([{ kind: 'unreachable' }]);
    server.setMode({ kind: 'up' });
    expect(await nodeA.ownerOf(claim.roomKey)).toBeNull();
    expect(server.keyNames).toEqual([]);
  });

  it('compares epochs as the script does, digit by digit', async () => {
    const { server, nodeA } = open();
    server.plant(claim.roomKey, '007.3|node-a', leaseTtlMs);
    expect(await nodeA.ensure([claim], 20)).toMatchObject([{ kind: 'foreign', token: '007.3' }]);
  });
});

function pendingOwner(node: MemoryLeaseDirectory, time: VirtualTime) {
  const asked = node.ownerOf('app1\0r1' as RoomKey);
  return time.advance(250).then(() => asked);
}
