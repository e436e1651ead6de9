/** A rocket in the cell: rules from the store, fuel with the gift, launch by the room's deadline. */
import { describe, expect, it } from 'vitest';
import type { AppCode } from '../../../src/domain/ids.ts';
import { MemorySchemaRegistry } from '../../../src/drivers/memory/memory-schema-registry.ts';
import { CellRig } from '../../support/cell-rig.ts';
import { fillRoom, giftBody, openGiftRig, passTime, sell } from '../../support/gift-rig.ts';
import { rocketRules } from '../../support/rocket-builders.ts';

const app = 'app1' as AppCode;
const { rulesVersion: _, ...rules } = rocketRules([30n, 80n], { countdownMs: 4_000 });

/** Types of all events, in the order in which they were stored. */
function eventTypes(rig: Awaited<ReturnType<typeof openGiftRig>>['rig']): readonly string[] {
  return [...rig.database.events.values()].map(({ eventType }) => eventType);
}

describe('a rocket', () => {
  it('is fueled in the commit of the gift by the rules of its app, and launches by itself when its countdown is over (ROCKET-3, ROCKET-6, ROCKET-7)', async () => {
    const { rig, node } = await openGiftRig();
    await rig.rocketRules.put(app, rules);
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2', 'u3'])));
    expect(eventTypes(rig).slice(-3)).toEqual(['RoomGiftSent', 'RoomGiftSent', 'RoomRocketFueled']);
    await rig.result(node, rig.send('r1', 'g2', 'u2', giftBody(['u1'])));
    expect(eventTypes(rig).at(-1)).toBe('RoomRocketIgnited');
    const [row] = [...rig.database.rooms.values()];
    expect(row?.nextDeadlineMs).toBeLessThanOrEqual(rig.time.wallMs() + 4_000);
    await passTime(rig, 'the rocket launches', () => {
      return eventTypes(rig).at(-1) === 'RoomRocketLaunched';
    });
    expect([...rig.database.log.values()].at(-1)).toMatchObject({
      commandType: 'LaunchRocket',
      commandId: expect.stringMatching(/^sys:rocket-launch:/),
      actorUserId: 'system',
    });
  });

  it('launches once though its owner is gone when it is due: the next owner does it (ROCKET-7)', async () => {
    const { rig, node } = await openGiftRig();
    await rig.rocketRules.put(app, rules);
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2'], 3)));
    await node.cell.stop();
    rig.time.advance(60_000);
    await rig.startNode('two');
    await passTime(rig, 'the rocket launches', () => {
      return eventTypes(rig).includes('RoomRocketLaunched');
    });
    const launchedAtMs = rig.time.wallMs();
    await passTime(rig, '10 s go by', () => rig.time.wallMs() > launchedAtMs + 10_000);
    expect(eventTypes(rig).filter((type) => type === 'RoomRocketLaunched')).toHaveLength(1);
  });

  it('is not there for gifts of an app without rules', async () => {
    const { rig, node } = await openGiftRig();
    await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2'], 3)));
    expect(eventTypes(rig)).not.toContain('RoomRocketFueled');
  });

  it('makes no fuel while nodes of the former release may take the room over, and the gift is given', async () => {
    const rig = new CellRig(1);
    await new MemorySchemaRegistry(rig.database).level(3);
    await sell(rig, 'rose', 10n);
    await rig.rocketRules.put(app, rules);
    const node = await rig.startNode('a');
    await fillRoom(rig, node, 'r1');
    const sent = await rig.result(node, rig.send('r1', 'g1', 'u1', giftBody(['u2'], 3)));
    expect(sent).toMatchObject({ outcome: 'applied' });
    expect(eventTypes(rig).at(-1)).toBe('RoomGiftSent');
  });
});
