/**
 * One room that far more people press than may have calls in flight: each asks, hears that the room is
 * busy, waits as long as the answer says, and asks again. What that costs the others is the figure.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RoomCommands } from '../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { RoomMode, SnapshotMode } from '../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { createGrpcClient, GrpcCallError } from '../src/drivers/grpc/grpc-client.ts';
import { issueDevelopmentToken } from '../src/drivers/jwt/development-token.ts';
import type { ServiceTarget } from './room-callers.ts';

const appCode = 'demo';
const roomId = 'bench-hot';
const callTimeoutMs = 30_000;
const tokenTtlMs = 3_600_000;
/** Where an answer names no time to wait. */
const pauseMs = 100;

/** What became of the calls until `stop`. */
export interface HotRoomEnds {
  readonly answered: number;
  readonly busy: number;
  /** By reason; none is as it should be. */
  readonly others: Readonly<Record<string, number>>;
}

/** Presses the room with so many people until `stop`, which resolves when all of them have ended. */
export async function pressRoom(
  target: ServiceTarget,
  callers: number,
): Promise<{ stop(): Promise<HotRoomEnds> }> {
  const { grpcAddress, jwtSecret, clock } = target;
  const client = createGrpcClient(RoomCommands, grpcAddress, clock);
  const tokenOf = (subject: string): Promise<string> =>
    issueDevelopmentToken(jwtSecret, { appCode, subject, role: 'user' }, tokenTtlMs, clock);
  const ends = { answered: 0, busy: 0, others: {} as Record<string, number> };
  let made = 0;
  let isOver = false;
  const meta = () => {
    made += 1;
    return { appCode, roomId, commandId: `hot-${made}`, snapshotMode: SnapshotMode.NONE };
  };
  await client.calls.createRoom(
    { meta: meta(), title: 'hot', seatCount: 20, mode: RoomMode.FREE, visibleRegionId: 1n },
    { timeoutMs: callTimeoutMs, token: await tokenOf('host') },
  );
  const press = async (nickname: string): Promise<void> => {
    const call = { timeoutMs: callTimeoutMs, token: await tokenOf(nickname) };
    while (!isOver) {
      try {
        await client.calls.joinRoom({ meta: meta(), profile: { nickname } }, call);
        ends.answered += 1;
      } catch (thrown) {
        if (!(thrown instanceof GrpcCallError)) throw thrown;
        const { reason, retryAfterMs } = thrown.failure;
        if (reason === 'ROOM_BUSY') ends.busy += 1;
        else ends.others[reason] = (ends.others[reason] ?? 0) + 1;
        await sleep(retryAfterMs ?? pauseMs);
      }
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, n) => press(`hot-u${n}`)));
  return {
    async stop() {
      isOver = true;
      await all;
      client.close();
      return ends;
    },
  };
}
