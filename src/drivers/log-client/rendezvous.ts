/**
 * Which instance gets which partition: rendezvous hashing with bounded load, pure and without order.
 * Each (instance, partition) has a fixed score; the best pairs are taken first, and nobody takes more
 * than the even share. So a restart under the same name moves nothing, a new instance draws about
 * its share from all, and no instance is more than one partition ahead of another.
 */
import { createHash } from 'node:crypto';

/** One member of the group, as its metadata says. */
export interface RendezvousMember {
  /** The group's own id of it, unique within the group. */
  readonly memberId: string;
  /** The stable name that the hash stands on: survives a restart. */
  readonly instanceName: string;
  /** Version of the rule that this member's release can follow. */
  readonly memberVersion: number;
}

/** The newest rule that this release knows. Raise it with every change of what comes out below. */
export const rendezvousVersion = 1;

interface Pair {
  readonly member: number;
  readonly partition: number;
  readonly score: bigint;
}

/**
 * The partitions of each member id; every member has an entry, every partition occurs once.
 * Lowest version wins: during an upgrade the leader may be of either release, so the group follows
 * the newest rule that all members know. There is one rule so far, hence nothing to choose yet.
 */
export function rendezvousAssignment(
  members: readonly RendezvousMember[],
  partitions: readonly number[],
): Map<string, number[]> {
  const named = withUniqueNames(members);
  const assignment = new Map<string, number[]>(named.map(({ memberId }) => [memberId, []]));
  if (named.length === 0) return assignment;
  const even = Math.floor(partitions.length / named.length);
  // So many members take one more than the even share. Without this limit a cap of ceil(share)
  // could leave the last member with nothing.
  let extrasLeft = partitions.length % named.length;
  const taken = new Set<number>();
  for (const { member, partition } of rankedPairs(named, partitions)) {
    if (taken.has(partition)) continue;
    const { memberId } = named[member] as NamedMember;
    const own = assignment.get(memberId) as number[];
    if (own.length > even || (own.length === even && extrasLeft === 0)) continue;
    if (own.length === even) extrasLeft -= 1;
    own.push(partition);
    taken.add(partition);
  }
  for (const own of assignment.values()) own.sort((left, right) => left - right);
  return assignment;
}

interface NamedMember {
  readonly memberId: string;
  readonly name: string;
}

/**
 * Two members with one name (a wrong configuration, or a predecessor that still lives) must not make
 * the outcome depend on the order of the list: the second by member id counts as `name#2`.
 */
function withUniqueNames(members: readonly RendezvousMember[]): NamedMember[] {
  const byId = [...members].sort((left, right) => compareText(left.memberId, right.memberId));
  const seen = new Map<string, number>();
  const named = byId.map(({ memberId, instanceName }) => {
    const count = (seen.get(instanceName) ?? 0) + 1;
    seen.set(instanceName, count);
    return { memberId, name: count === 1 ? instanceName : `${instanceName}#${count}` };
  });
  return named.sort((left, right) => compareText(left.name, right.name));
}

function rankedPairs(named: readonly NamedMember[], partitions: readonly number[]): Pair[] {
  const pairs = named.flatMap(({ name }, member) =>
    partitions.map((partition) => ({ member, partition, score: score(name, partition) })),
  );
  return pairs.sort((left, right) => {
    if (left.score !== right.score) return left.score > right.score ? -1 : 1;
    return left.partition - right.partition || left.member - right.member;
  });
}

function score(instanceName: string, partition: number): bigint {
  return createHash('sha256').update(`${instanceName}\0${partition}`).digest().readBigUInt64BE(0);
}

/** By code units: a locale's order could differ between machines. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
