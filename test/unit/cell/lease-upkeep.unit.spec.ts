/** What a node does to keep its leases, and itself findable, while its rooms go on. */
import { describe, expect, it } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

const key = roomKeyOf(rigApp, 'r1' as RoomId);

describe('a lease that gets old', () => {
  it('is renewed by the next command of its room, which the new token does not fence (LEASE-32, LEASE-4, LEASE-16)', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a');
    await rig.result(node, rig.send('r1', 'c1', 'u1', createRoomBody()));
    const before = rig.keys.held.get(key);
    await rig.keys.time.advance(15_000);
    const joined = await rig.result(node, rig.send('r1', 'j1', 'u2', joinRoomBody()));
    const after = rig.keys.held.get(key);
    expect(joined).toMatchObject({ outcome: 'applied', roomVersion: 2n });
    expect([before?.token, after?.token]).toEqual(['1.1', '1.2']);
    const rows = [...rig.database.log.values()];
    expect(rows.map(({ leaseToken }) => leaseToken)).toEqual(['1.1', '1.2']);
    expect(rig.database.owners.get(0)?.epoch).toBe(1n);
  });
});

describe('the address of a node', () => {
  it('is told again several times before it would be forgotten (LEASE-35, WRK-12)', async () => {
    const rig = new CellRig(1);
    let told = 0;
    const leaseTtlMs = 9_000;
    const gate = <Port extends object>(port: Port): Port => {
      if (!('announceNode' in port)) return port;
      const leases = port as { announceNode: (...given: never[]) => Promise<void> };
      const announce = leases.announceNode.bind(port);
      leases.announceNode = (...given) => {
        told += 1;
        return announce(...given);
      };
      return port;
    };
    await rig.startNode('a', { gate, options: { leaseTtlMs } });
    expect(told).toBe(1);
    for (let passed = 0; passed < leaseTtlMs; passed += leaseTtlMs / 9) {
      rig.time.advance(leaseTtlMs / 9);
      await rig.time.sleep(0);
    }
    await eventually('it was told again', () => told >= 3);
  });
});
