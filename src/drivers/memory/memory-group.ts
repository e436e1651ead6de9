/**
 * A consumer group as its coordinator keeps it: members with sessions, generations, the rebalance
 * that waits for every member, and stored offsets. Like a real one it does not ask whether a member
 * that commits an offset still owns the partition.
 */
import { createDeferred } from '../../kernel/deferred.ts';
import type { Deferred } from '../../kernel/deferred.ts';
import type { Random } from '../../ports/random.ts';
import type { CancelTimer, Timers } from '../../ports/timers.ts';
import { rendezvousAssignment, rendezvousVersion } from '../log-client/rendezvous.ts';
import type { BrokerFaults } from './broker-faults.ts';

/** How a member presents itself. Times in ms. */
export interface JoinProfile {
  readonly instanceName: string;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  /** Wanted whatever the others get; null: a share by the rendezvous rule. */
  readonly pinnedPartition: number | null;
}

/** What a member has after a rebalance. */
export interface JoinAnswer {
  readonly memberId: string;
  readonly generation: number;
  readonly partitions: readonly number[];
  /** Where the group's stored offsets are, of those partitions that have one. */
  readonly committed: ReadonlyMap<number, bigint>;
}

/** Why the coordinator refuses a member. */
export class GroupRefusal extends Error {
  readonly code: 'REBALANCE_IN_PROGRESS' | 'UNKNOWN_MEMBER_ID' | 'ILLEGAL_GENERATION';

  constructor(code: GroupRefusal['code']) {
    super(code);
    this.name = 'GroupRefusal';
    this.code = code;
  }
}

/** What a group stands on. */
export interface GroupParts {
  readonly timers: Timers;
  readonly random: Random;
  readonly faults: BrokerFaults;
  /** An empty group waits so long for more members before its first generation. */
  readonly startDelayMs: number;
  readonly partitionCount: () => number;
}

interface Member {
  readonly profile: JoinProfile;
  /** Asked to join; answered when the rebalance ends. */
  joining: Deferred<JoinAnswer> | null;
  cancelSession: CancelTimer;
}

const memberIdBytes = 8;

/** See the file header. */
export class MemoryGroup {
  /** Told of each heartbeat that was taken, before its answer is on its way. */
  onHeartbeat: (memberId: string) => void = () => undefined;
  private readonly id: string;
  private readonly parts: GroupParts;
  private readonly members = new Map<string, Member>();
  private readonly committed = new Map<number, bigint>();
  private generation = 0;
  private isRebalancing = false;
  private isDelayed = false;
  private cancelRebalance: CancelTimer = () => undefined;

  constructor(id: string, parts: GroupParts) {
    this.id = id;
    this.parts = parts;
  }

  /** Members known now, joined or on their way. */
  get size(): number {
    return this.members.size;
  }

  /**
   * Resolves when the rebalance has ended that this call starts or joins. `memberId` is empty at
   * the first time; a strange one is refused.
   */
  join(memberId: string, profile: JoinProfile): Promise<JoinAnswer> {
    if (memberId !== '' && !this.members.has(memberId)) throw new GroupRefusal('UNKNOWN_MEMBER_ID');
    const { random } = this.parts;
    const id =
      memberId === ''
        ? `${profile.instanceName}-${random.hex(memberIdBytes, 'member id')}`
        : memberId;
    const wasEmpty = this.members.size === 0;
    const before = this.members.get(id);
    before?.cancelSession();
    const joining = before?.joining ?? createDeferred<JoinAnswer>();
    // Who waits for the rebalance needs no heartbeat.
    this.members.set(id, { profile, joining, cancelSession: () => undefined });
    this.rebalance(wasEmpty);
    return joining.promise;
  }

  /** Keeps the session. Throws a refusal that tells the member to join again. */
  heartbeat(memberId: string, generation: number): void {
    const member = this.memberOf(memberId, generation);
    this.startSession(memberId, member);
    if (this.isRebalancing) throw new GroupRefusal('REBALANCE_IN_PROGRESS');
    this.onHeartbeat(memberId);
  }

  /** Stores offsets of any partition, owned or not, for a living member. */
  commit(
    memberId: string,
    generation: number,
    offsets: readonly { readonly partition: number; readonly offsetNext: bigint }[],
  ): void {
    const fits = ({ groupId }: { readonly groupId: string }): boolean => groupId === this.id;
    if (this.parts.faults.take(['staleCommitAccepted'], fits) === null) {
      this.startSession(memberId, this.memberOf(memberId, generation));
    }
    for (const { partition, offsetNext } of offsets) this.committed.set(partition, offsetNext);
  }

  /** Unknown ids are nobody's loss. */
  leave(memberId: string): void {
    const member = this.members.get(memberId);
    if (member === undefined) return;
    member.cancelSession();
    this.members.delete(memberId);
    this.rebalance(false);
  }

  /** The stored offset; null when there is none. */
  offsetOf(partition: number): bigint | null {
    return this.committed.get(partition) ?? null;
  }

  /** An operator, or a lost offsets topic, sets the stored offset. */
  rewind(partition: number, offsetNext: bigint): void {
    this.committed.set(partition, offsetNext);
  }

  /** The topic was deleted: its offsets go with it. */
  forgetOffsets(): void {
    this.committed.clear();
  }

  private memberOf(memberId: string, generation: number): Member {
    const member = this.members.get(memberId);
    if (member === undefined) throw new GroupRefusal('UNKNOWN_MEMBER_ID');
    if (generation !== this.generation) throw new GroupRefusal('ILLEGAL_GENERATION');
    return member;
  }

  private startSession(memberId: string, member: Member): void {
    member.cancelSession();
    if (member.joining !== null) return;
    member.cancelSession = this.parts.timers.after(member.profile.sessionTimeoutMs, () =>
      this.leave(memberId),
    );
  }

  private rebalance(isFirst: boolean): void {
    const { timers, startDelayMs } = this.parts;
    if (!this.isRebalancing) {
      this.isRebalancing = true;
      this.isDelayed = isFirst && startDelayMs > 0;
      const patienceMs = Math.max(
        0,
        ...[...this.members.values()].map(({ profile }) => profile.rebalanceTimeoutMs),
      );
      const waitMs = this.isDelayed ? startDelayMs : patienceMs;
      this.cancelRebalance = timers.after(waitMs, () => this.endRebalance());
    }
    const allHere = [...this.members.values()].every(({ joining }) => joining !== null);
    if (allHere && !this.isDelayed) this.endRebalance();
  }

  /** A new generation of those who are here; who has not come is no member any more. */
  private endRebalance(): void {
    this.cancelRebalance();
    this.isRebalancing = false;
    this.isDelayed = false;
    for (const [memberId, { joining, cancelSession }] of this.members) {
      if (joining !== null) continue;
      cancelSession();
      this.members.delete(memberId);
    }
    this.generation += 1;
    const shares = this.shares();
    for (const [memberId, member] of this.members) {
      const { joining } = member;
      member.joining = null;
      this.startSession(memberId, member);
      const partitions = shares.get(memberId) ?? [];
      const committed = new Map(
        [...this.committed].filter(([partition]) => partitions.includes(partition)),
      );
      joining?.resolve({ memberId, generation: this.generation, partitions, committed });
    }
  }

  private shares(): Map<string, number[]> {
    const pinned = new Map<string, number[]>();
    const sharing: { memberId: string; instanceName: string; memberVersion: number }[] = [];
    for (const [memberId, { profile }] of this.members) {
      const { instanceName, pinnedPartition } = profile;
      const isLeftOut = this.parts.faults.take(
        ['nothingAssigned'],
        (fault) => fault.groupId === this.id && fault.instanceName === instanceName,
      );
      if (pinnedPartition !== null) pinned.set(memberId, [pinnedPartition]);
      else if (isLeftOut === null) {
        sharing.push({ memberId, instanceName, memberVersion: rendezvousVersion });
      }
    }
    const partitions = Array.from({ length: this.parts.partitionCount() }, (_, id) => id);
    return new Map([...rendezvousAssignment(sharing, partitions), ...pinned]);
  }
}
