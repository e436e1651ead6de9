/** Wake-ups of rockets from outside only make the owner look at its deadlines (ROCKET-5, WRK-5). */
import { describe, expect, it } from 'vitest';
import { MemoryRocketWakes } from '../../../src/drivers/memory/memory-rocket-scheduler.ts';
import { RocketWakes } from '../../../src/cell/rocket-wakes.ts';
import type { CellContext } from '../../../src/cell/cell-context.ts';
import type { Partition } from '../../../src/cell/partition/partition.ts';
import type { AppCode, RoomId, RoomKey } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';

const partitionCount = 8;
const nowMs = 5_000_000;
const keyOf = (room: string): RoomKey => roomKeyOf('app1' as AppCode, room as RoomId);

/** A node that owns the partition of `r1`, or nothing. */
async function lookOnce(server: MemoryRocketWakes, owns: boolean): Promise<readonly RoomKey[]> {
  const woken: RoomKey[] = [];
  const owned = { id: partitionOf(keyOf('r1'), partitionCount), active: true } as Partition;
  const context = {
    rocketScheduler: server.open(),
    clock: { wallMs: () => nowMs },
    metrics: { count: () => undefined },
  } as unknown as CellContext;
  const wakes = new RocketWakes(context, partitionCount, {
    partitions: { find: (id) => (owns && id === owned.id ? owned : undefined) },
    registry: { ensure: (key) => void woken.push(key) as never },
  });
  await wakes.look();
  return woken;
}

describe('a wake-up', () => {
  it('brings the room into memory where it is owned, and is over then (ROCKET-5, WRK-5, CFG-8)', async () => {
    const server = new MemoryRocketWakes();
    const wake = { roomKey: keyOf('r1'), roundNo: 1n, launchAtMs: nowMs };
    await server.open().schedule(wake);
    expect(await lookOnce(server, false)).toEqual([]);
    expect(server.wakes.size).toBe(1);
    expect(await lookOnce(server, true)).toEqual([keyOf('r1')]);
    expect(server.wakes.size).toBe(0);
  });

  it('whose time has not come wakes nobody', async () => {
    const server = new MemoryRocketWakes();
    await server.open().schedule({ roomKey: keyOf('r1'), roundNo: 1n, launchAtMs: nowMs + 1 });
    expect(await lookOnce(server, true)).toEqual([]);
  });
});
