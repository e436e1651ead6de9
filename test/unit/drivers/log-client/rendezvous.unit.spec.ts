import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rendezvousAssignment } from '../../../../src/drivers/log-client/rendezvous.ts';
import type { RendezvousMember } from '../../../../src/drivers/log-client/rendezvous.ts';

const member = (instanceName: string, memberId = `id-${instanceName}`): RendezvousMember => ({
  memberId,
  instanceName,
  memberVersion: 1,
});
const fleet = (count: number, label = 'cell'): RendezvousMember[] =>
  Array.from({ length: count }, (_, index) => member(`${label}-${index}`));
const partitionsOf = (count: number): number[] => Array.from({ length: count }, (_, id) => id);

/** Partition → instance name. */
function ownersOf(
  members: readonly RendezvousMember[],
  partitions: readonly number[],
): Map<number, string> {
  const owners = new Map<number, string>();
  for (const [memberId, own] of rendezvousAssignment(members, partitions)) {
    const name = members.find((one) => one.memberId === memberId)?.instanceName ?? '?';
    for (const partition of own) {
      expect(owners.has(partition), `partition ${partition} given twice`).toBe(false);
      owners.set(partition, name);
    }
  }
  return owners;
}

function movedBetween(before: Map<number, string>, after: Map<number, string>): number {
  return [...before].filter(([partition, owner]) => after.get(partition) !== owner).length;
}

describe('rendezvous assignment', () => {
  it('gives every partition to exactly one member, and nobody is more than one ahead', () => {
    for (const count of [1, 2, 3, 5, 7, 16, 20]) {
      const assignment = rendezvousAssignment(fleet(count), partitionsOf(16));
      const loads = [...assignment.values()].map((own) => own.length);
      expect(loads).toHaveLength(count);
      expect(loads.reduce((sum, load) => sum + load, 0)).toBe(16);
      expect(Math.max(...loads)).toBe(Math.ceil(16 / count));
      expect(Math.min(...loads)).toBe(Math.floor(16 / count));
    }
  });

  it('does not depend on the order of the members', () => {
    const members = [...fleet(5), member('cell-1', 'id-twin-of-1')];
    const expected = [...rendezvousAssignment(members, partitionsOf(16))].sort();
    fc.assert(
      fc.property(fc.shuffledSubarray(members, { minLength: 6, maxLength: 6 }), (shuffled) => {
        expect([...rendezvousAssignment(shuffled, partitionsOf(16))].sort()).toEqual(expected);
      }),
    );
  });

  it('moves nothing when a member restarts under its name with a new member id', () => {
    const before = ownersOf(fleet(4), partitionsOf(16));
    const restarted = [...fleet(3), member('cell-3', 'another-random-id')];
    expect(movedBetween(before, ownersOf(restarted, partitionsOf(16)))).toBe(0);
  });

  it.each([16, 64])('moves about the new share of %i partitions when one joins', (count) => {
    for (let members = 1; members <= 8; members += 1) {
      const moves = Array.from({ length: 8 }, (_, round) => {
        const label = `fleet-${round}`;
        const before = ownersOf(fleet(members, label), partitionsOf(count));
        const after = ownersOf(fleet(members + 1, label), partitionsOf(count));
        return movedBetween(before, after);
      });
      const mean = moves.reduce((sum, moved) => sum + moved, 0) / moves.length;
      expect(mean, `${members} members and one joins`).toBeLessThanOrEqual(
        (2 * count) / (members + 1),
      );
    }
  });

  it('keeps giving when two live members share one name', () => {
    const twins = [member('cell-0', 'a'), member('cell-0', 'b')];
    const loads = [...rendezvousAssignment(twins, partitionsOf(16)).values()];
    expect(loads.map((own) => own.length)).toEqual([8, 8]);
  });

  it('keeps its outcome from release to release', () => {
    // Two releases lead the same group during an upgrade; a change needs a new rendezvousVersion.
    expect(Object.fromEntries(rendezvousAssignment(fleet(3), partitionsOf(8))))
      .toMatchInlineSnapshot(`
      {
        "id-cell-0": [
          1,
          2,
          7,
        ],
        "id-cell-1": [
          3,
          4,
          5,
        ],
        "id-cell-2": [
          0,
          6,
        ],
      }
    `);
  });
});
