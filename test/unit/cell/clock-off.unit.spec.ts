/**
 * A machine whose clock is wrong. Goal: a node that is further off than allowed owns nothing, says so,
 * and comes back by itself once it has been right for long enough; a slow database never makes it leave.
 */
import { describe, expect, it } from 'vitest';
import { ClockVerdict } from '../../../src/cell/clock-verdict.ts';
import { CellRig, createRoomBody, rigOptions } from '../../support/cell-rig.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import { RigLog } from '../../support/rig-log.ts';
import { eventually } from '../../support/stepped-time.ts';

const options = { ...rigOptions, nodeId: 'a', incarnation: 'a.1' };

/** Lets time pass in steps, with turns for what they begin. */
async function pass(rig: CellRig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    rig.time.advance(500);
    for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  }
}

const reasons = ({ cell }: RigNode): readonly string[] => cell.readiness().reasons;

describe('a cell whose clock is set wrong while it runs', () => {
  it('gives everything up, is not ready, and names the state', async () => {
    const rig = new CellRig(2);
    const clock = rig.clock();
    const node = await rig.startNode('a', { clock });
    await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    clock.aheadMs = 2_100;
    await pass(rig, 2_000);
    await eventually('it owns nothing', () => node.cell.ownedPartitions().length === 0);
    expect([...rig.database.owners.values()].map(({ released }) => released)).toEqual([true, true]);
    await eventually('it has left the group', () => node.source.stopped);
    expect(node.cell.readiness()).toEqual({ ready: false, reasons: ['CLOCK_OFF'] });
    const line = node.log.lines.find(({ fields }) => fields['state'] === 'CLOCK_OFF');
    expect(line).toMatchObject({ level: 'error', fields: { aheadMs: 2_100, limitMs: 2_000 } });
    expect(node.fatal).toEqual([]);
  });

  it.each([1_900, -1_900])('stays when it is %i ms off, within the limit', async (aheadMs) => {
    const rig = new CellRig(1);
    const clock = rig.clock();
    const node = await rig.startNode('a', { clock });
    clock.aheadMs = aheadMs;
    await pass(rig, 10_000);
    expect(node.cell.readiness().ready).toBe(true);
    expect(node.source.stopped).toBe(false);
  });

  it('comes back as a new member after 30 s of being right, and serves what it had', async () => {
    const rig = new CellRig(1);
    const clock = rig.clock();
    const node = await rig.startNode('a', { clock });
    await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    clock.aheadMs = -5_000;
    await pass(rig, 3_000);
    await eventually('it has left', () => node.source.stopped);
    clock.aheadMs = 0;
    await pass(rig, 25_000);
    expect(reasons(node)).toEqual(['CLOCK_OFF']);
    // A relapse begins the time anew.
    clock.aheadMs = 3_000;
    await pass(rig, 2_000);
    clock.aheadMs = 0;
    await pass(rig, 29_000);
    expect(reasons(node)).toEqual(['CLOCK_OFF']);
    await pass(rig, 4_000);
    const second = await eventually('it joins anew', () => node.sources[1]);
    second.assign([0]);
    await eventually('it owns the partition again', () => node.cell.ownedPartitions().length === 1);
    expect(node.cell.readiness()).toEqual({ ready: true, reasons: [] });
    const again = await rig.result(node, rig.send('r1', 'c1', 'owner', createRoomBody()));
    expect(again).toMatchObject({ outcome: 'applied', replayed: true });
    await node.cell.drain(1_000);
    await node.cell.stop();
  });

  it('becomes no member at all while it is off from the start', async () => {
    const rig = new CellRig(1);
    const clock = rig.clock();
    clock.aheadMs = 60_000;
    const node = await rig.startNode('a', { clock, assign: [] });
    expect(reasons(node)).toEqual(['CLOCK_OFF']);
    expect(rig.database.owners.size).toBe(0);
    clock.aheadMs = 0;
    await pass(rig, 33_000);
    node.source.assign([0]);
    await eventually('it owns the partition', () => node.cell.ownedPartitions().length === 1);
  });

  it('drains and stops while it is away', async () => {
    const rig = new CellRig(1);
    const clock = rig.clock();
    const node = await rig.startNode('a', { clock });
    clock.aheadMs = 10_000;
    await pass(rig, 2_000);
    await eventually('it has left', () => node.source.stopped);
    clock.aheadMs = 0;
    await node.cell.drain(1_000);
    await pass(rig, 40_000);
    expect(node.sources).toHaveLength(1);
    await node.cell.stop();
    expect(rig.database.nodes.size).toBe(0);
  });
});

describe('one look at the clock', () => {
  const look = { wallMs: 0, monoMs: 0 };
  const verdict = (): ClockVerdict => {
    Object.assign(look, { wallMs: 1_000_000, monoMs: 50_000 });
    const clock = { wallMs: () => look.wallMs, monoMs: () => look.monoMs };
    const metrics = { count: () => undefined, gauge: () => undefined, observeMs: () => undefined };
    return new ClockVerdict({ clock, log: new RigLog(), metrics, options });
  };

  it('takes the answer for the time in the middle of the call', () => {
    const clock = verdict();
    // Sent 3 s ago, answered with the time of 1.5 s ago: nothing is wrong.
    expect(clock.judge(look.wallMs - 1_500, look.monoMs - 3_000)).toBe(false);
    expect(clock.isOff).toBe(false);
    // 2.3 s behind in the middle of a call of 400 ms: by its end it seems to be 2.1 s.
    expect(clock.judge(look.wallMs + 2_300 - 200, look.monoMs - 400)).toBe(true);
    expect(clock.isOff).toBe(true);
  });

  it('finds no clock off that a slow answer alone may explain', () => {
    const clock = verdict();
    // 3 s off by the middle, yet the database may have read its clock at the very end.
    clock.judge(look.wallMs - 3_000 - 4_900, look.monoMs - 9_800);
    expect(clock.isOff).toBe(false);
    clock.judge(look.wallMs - 2_400, look.monoMs - 200);
    expect(clock.isOff).toBe(true);
  });

  it('counts no uncertain look as right', () => {
    const clock = verdict();
    clock.judge(look.wallMs + 10_000, look.monoMs);
    for (const step of [0, 40_000]) {
      look.monoMs += step;
      clock.judge(look.wallMs - 2_000, look.monoMs - 4_100);
    }
    expect(clock.isOff).toBe(true);
  });
});
