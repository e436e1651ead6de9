/** What clients see of a rocket while it charges, and how often. */
import { describe, expect, it } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import type { RigNode } from '../../support/cell-rig.ts';
import { giftBody, openGiftRig, passTime, sell } from '../../support/gift-rig.ts';
import { rocketRules } from '../../support/rocket-builders.ts';
import { eventually } from '../../support/stepped-time.ts';

const app = 'app1' as AppCode;
const codec = createCodec();

/** Round and fuel of each progress that has left the cell, oldest first. */
function progressOf(node: RigNode): readonly string[] {
  return node.displays.offered.flatMap(({ value }) => {
    const read = codec.decodeDisplay(value);
    if (!read.ok || read.value.display?.type !== 'RoomRocketProgressed') return [];
    const { roundNo, fuel, fuelTarget } = read.value.display;
    return [`${roundNo}: ${fuel}/${fuelTarget}`];
  });
}

async function openRocket(targets: readonly bigint[] = [50n, 100_000n]) {
  const { rig, node } = await openGiftRig();
  const { rulesVersion: _, ...rules } = rocketRules(targets, { countdownMs: 4_000 });
  await rig.rocketRules.put(app, rules);
  let gifts = 0;
  const give = async (count = 1): Promise<void> => {
    gifts += 1;
    await rig.result(node, rig.send('r1', `g${gifts}`, 'u1', giftBody(['u2'], count)));
  };
  return { rig, node, give };
}

describe('progress of a rocket', () => {
  it('leaves at once, and then once a second with the newest value (ROCKET-4, SVC-19, RES-23, NEW-9)', async () => {
    const { rig, node, give } = await openRocket();
    await give();
    expect(progressOf(node)).toEqual(['1: 10/50']);
    await give();
    await give();
    expect(progressOf(node)).toEqual(['1: 10/50']);
    rig.time.advance(1_000);
    expect(progressOf(node)).toEqual(['1: 10/50', '1: 30/50']);
    rig.time.advance(5_000);
    expect(progressOf(node)).toHaveLength(2);
  });

  it('ends at once with the ignition, rests in the countdown, and begins the next round with the launch (ROCKET-4, WRK-6)', async () => {
    const { rig, node, give } = await openRocket();
    await give();
    await give();
    await give(4);
    expect(progressOf(node)).toEqual(['1: 10/50', '1: 50/50']);
    await give();
    rig.time.advance(1_500);
    expect(progressOf(node)).toHaveLength(2);
    await passTime(rig, 'the rocket launches', () => progressOf(node).length > 2);
    expect(progressOf(node).slice(2)).toEqual(['2: 20/100000']);
  });

  it('leaves before its time when the room closes, and when the cell is drained (ROCKET-4, WRK-6)', async () => {
    const closed = await openRocket();
    await closed.give();
    await closed.give();
    await closed.rig.result(
      closed.node,
      closed.rig.send('r1', 'x', 'u1', { type: 'CloseRoom', reason: '', note: '' }),
    );
    expect(progressOf(closed.node)).toEqual(['1: 10/50', '1: 20/50']);
    const drained = await openRocket();
    await drained.give();
    await drained.give();
    await drained.node.cell.drain(1_000);
    expect(progressOf(drained.node)).toEqual(['1: 10/50', '1: 20/50']);
  });

  it('of 1,000 gifts in a second is told at most once in it, the fuel is exact and every gift is a fact (TST-17, ROCKET-3, EVT-5)', async () => {
    const { rig, node } = await openRocket([100_000n]);
    await sell(rig, 'leaf', 1n);
    const gifts = 1_000;
    const users = 5;
    const stepMs = 5;
    const perStep = gifts / (1_000 / stepMs);
    const begunAtMs = rig.time.wallMs();
    const toldAtMs: number[] = [];
    const note = (): void => {
      while (toldAtMs.length < progressOf(node).length) toldAtMs.push(rig.time.wallMs());
    };
    let sent = 0;
    while (sent < gifts) {
      for (let at = 0; at < perStep; at += 1, sent += 1) {
        const giver = `u${1 + (sent % users)}`;
        rig.send('r1', `g${sent}`, giver, giftBody([giver === 'u1' ? 'u2' : 'u1'], 1, 'leaf'));
      }
      const due = sent;
      await eventually(`${due} gifts are stored`, () => giftsOf(rig) === due);
      note();
      if (sent < gifts) rig.time.advance(stepMs);
      note();
    }
    expect(rig.time.wallMs() - begunAtMs).toBeLessThan(1_000);
    expect(toldAtMs).toHaveLength(1);
    rig.time.advance(1_000);
    note();
    expect(progressOf(node).at(-1)).toBe(`1: ${gifts}/100000`);
    expect((toldAtMs[1] ?? 0) - (toldAtMs[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(toldAtMs).toHaveLength(2);
    expect(giftsOf(rig)).toBe(gifts);
  });
});

function giftsOf(rig: Awaited<ReturnType<typeof openRocket>>['rig']): number {
  let count = 0;
  for (const { eventType } of rig.database.events.values()) {
    if (eventType === 'RoomGiftSent') count += 1;
  }
  return count;
}
