/**
 * An assigner for a group of one that wants one certain partition: kafkajs has no other way to read
 * a partition of one's own choice.
 */
import { AssignerProtocol } from 'kafkajs';
import type { PartitionAssigner } from 'kafkajs';

const protocolName = 'roomcell-pinned';

/** Every member gets `partition`; the group is meant to have one member. */
export function pinningAssigner(partition: number): PartitionAssigner {
  return () => ({
    name: protocolName,
    version: 0,
    protocol: ({ topics }) => ({
      name: protocolName,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: 0,
        topics,
        userData: Buffer.alloc(0),
      }),
    }),
    assign: ({ members, topics }) =>
      Promise.resolve(
        members.map(({ memberId }) => ({
          memberId,
          memberAssignment: AssignerProtocol.MemberAssignment.encode({
            version: 0,
            assignment: Object.fromEntries(topics.map((topic) => [topic, [partition]])),
            userData: Buffer.alloc(0),
          }),
        })),
      ),
  });
}
