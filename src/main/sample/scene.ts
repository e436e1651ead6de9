/**
 * The people of the sample room and how they call: real gRPC, each with a token of its own. Nothing
 * here knows more than a caller can know.
 */
import { createGrpcClient, type GrpcClient } from '../../drivers/grpc/grpc-client.ts';
import type { UnaryCallOptions } from '../../drivers/grpc/grpc-client.ts';
import { RoomCommands } from '../../drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { RoomQueries } from '../../drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { issueDevelopmentToken } from '../../drivers/jwt/development-token.ts';
import type { Clock } from '../../ports/clock.ts';

/** Who takes part. */
export const sampleUsers = ['host', 'alice', 'bob'] as const;

/** One of them. */
export type SampleUser = (typeof sampleUsers)[number];

/** What a command's meta needs. */
export interface SampleMeta {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
}

/** See the file header. Close it at the end. */
export interface Scene {
  readonly appCode: string;
  readonly roomId: string;
  readonly commands: GrpcClient<typeof RoomCommands>['calls'];
  readonly queries: GrpcClient<typeof RoomQueries>['calls'];
  meta(commandId: string): SampleMeta;
  /** Call options in the name of a user. */
  by(user: SampleUser): UnaryCallOptions;
  close(): void;
}

const callTimeoutMs = 10_000;
const tokenTtlMs = 3_600_000;

/** Opens connections to a gateway. */
export async function openScene(options: {
  readonly grpcAddress: string;
  readonly jwtSecret: string;
  readonly appCode: string;
  readonly roomId: string;
  readonly clock: Clock;
}): Promise<Scene> {
  const { grpcAddress, jwtSecret, appCode, roomId, clock } = options;
  const tokens = new Map<SampleUser, string>();
  for (const subject of sampleUsers) {
    const caller = { appCode, subject, role: 'user' as const };
    tokens.set(subject, await issueDevelopmentToken(jwtSecret, caller, tokenTtlMs, clock));
  }
  const commands = createGrpcClient(RoomCommands, grpcAddress, clock);
  const queries = createGrpcClient(RoomQueries, grpcAddress, clock);
  return {
    appCode,
    roomId,
    commands: commands.calls,
    queries: queries.calls,
    meta: (commandId) => ({ appCode, roomId, commandId }),
    by: (user) => ({ timeoutMs: callTimeoutMs, token: tokens.get(user) ?? '' }),
    close() {
      commands.close();
      queries.close();
    },
  };
}
