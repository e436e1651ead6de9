/**
 * The rule of `log-client/rendezvous.ts` as an assigner that kafkajs can use. The group's leader runs it; the
 * members' stable names and versions travel in their metadata.
 */
import { AssignerProtocol } from 'kafkajs';
import type { Assigner, GroupMember, PartitionAssigner } from 'kafkajs';
import type { Log } from '../../ports/log.ts';
import { rendezvousAssignment, rendezvousVersion } from '../log-client/rendezvous.ts';
import type { RendezvousMember } from '../log-client/rendezvous.ts';

/** Members meet only when they offer the same protocol name, so this text never changes. */
export const rendezvousProtocolName = 'roomcell-rendezvous';
/** Version of the envelope around our data, as Kafka's own assigners write it. */
const envelopeVersion = 0;

/** `instanceName` must be the same after a restart (a pod's ordinal name, for example). */
export function rendezvousAssigner(instanceName: string, log: Log): PartitionAssigner {
  return ({ cluster }): Assigner => ({
    name: rendezvousProtocolName,
    version: envelopeVersion,
    protocol: ({ topics }) => ({
      name: rendezvousProtocolName,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: envelopeVersion,
        topics,
        userData: encodeUserData(instanceName),
      }),
    }),
    assign: ({ members, topics }) => {
      const known = members.map((member) => readMember(member, log));
      const perMember = new Map<string, Record<string, number[]>>(
        known.map(({ memberId }) => [memberId, {}]),
      );
      for (const topic of topics) {
        const partitions = cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId }) => partitionId)
          .sort((left, right) => left - right);
        for (const [memberId, own] of rendezvousAssignment(known, partitions)) {
          (perMember.get(memberId) as Record<string, number[]>)[topic] = own;
        }
      }
      const assignments = [...perMember].map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: envelopeVersion,
          assignment,
          userData: Buffer.alloc(0),
        }),
      }));
      return Promise.resolve(assignments);
    },
  });
}

function encodeUserData(instanceName: string): Buffer {
  return Buffer.from(JSON.stringify({ instanceName, memberVersion: rendezvousVersion }), 'utf8');
}

/** A member whose data cannot be read takes part under its member id: it works, only less stable. */
function readMember({ memberId, memberMetadata }: GroupMember, log: Log): RendezvousMember {
  try {
    const decoded = AssignerProtocol.MemberMetadata.decode(memberMetadata);
    const data: unknown = JSON.parse(decoded?.userData.toString('utf8') ?? '');
    if (isUserData(data)) return { memberId, ...data };
  } catch (error) {
    log.warn({ memberId, error: String(error) }, 'group member with unreadable metadata');
  }
  return { memberId, instanceName: memberId, memberVersion: rendezvousVersion };
}

function isUserData(data: unknown): data is { instanceName: string; memberVersion: number } {
  if (typeof data !== 'object' || data === null) return false;
  const { instanceName, memberVersion } = data as Record<string, unknown>;
  return typeof instanceName === 'string' && typeof memberVersion === 'number';
}
