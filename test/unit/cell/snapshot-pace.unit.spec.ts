/** Which versions of a room are stored as snapshots, when no command asks for one. */
import { describe, expect, it } from 'vitest';
import { CellRig, createRoomBody, joinRoomBody } from '../../support/cell-rig.ts';
import { eventually } from '../../support/stepped-time.ts';

/** Plays a room up to version 7, waiting for each snapshot that is due; the versions stored. */
async function storedVersions(snapshotEveryN: number): Promise<bigint[]> {
  const rig = new CellRig(1);
  const options = { snapshotEveryN, snapshotsKept: 10 };
  const node = await rig.startNode('a', { options });
  const stored = (): bigint[] =>
    (rig.database.snapshots.get('app1\0r1' as never) ?? []).map(({ version }) => version);
  for (let version = 1; version <= 7; version += 1) {
    const body = version === 1 ? createRoomBody() : joinRoomBody();
    await rig.result(node, rig.send('r1', `c${version}`, `u${version}`, body));
    const due = Math.floor(version / snapshotEveryN);
    await eventually(`${due} snapshots`, () => stored().length === due);
  }
  return stored();
}

describe('a snapshot', () => {
  it('is written every so many versions, and at no other (PIPE-7, SNAP-1, CFG-4, SVC-4)', async () => {
    expect(await storedVersions(3)).toEqual([6n, 3n]);
  });

  it('is written at every version where one is all that is asked for (PIPE-7)', async () => {
    expect(await storedVersions(1)).toEqual([7n, 6n, 5n, 4n, 3n, 2n, 1n]);
  });
});
