/**
 * The whole service under load: callers with tokens of their own over gRPC, spread over 200 rooms,
 * each living through one visit after another: join, take a seat, confirm, give a rose, leave the
 * seat, leave the room. One command in six is a gift that the sandbox's wallet debits.
 */
import type { Timers } from '../src/ports/timers.ts';
import type { Clock } from '../src/ports/clock.ts';
import { RoomCommands } from '../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { RoomMode, SnapshotMode } from '../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { createGrpcClient, type GrpcClient } from '../src/drivers/grpc/grpc-client.ts';
import { issueDevelopmentToken } from '../src/drivers/jwt/development-token.ts';
import { sendUntilTaken } from './busy-answers.ts';
import { closedLoop, type Ask, type LoopTimes } from './closed-loop.ts';
import type { Figures } from './figures.ts';

/** Rooms that share the callers. */
export const roomCount = 200;

const appCode = 'demo';
const seatCount = 20;
const callTimeoutMs = 30_000;
const tokenTtlMs = 3_600_000;
/** Connections that share the callers, as a few app backends would have. */
const connectionCount = 4;

type Commands = GrpcClient<typeof RoomCommands>['calls'];

/** Where the gateway is and what callers need. */
export interface ServiceTarget {
  readonly grpcAddress: string;
  readonly jwtSecret: string;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** See the file header. Close it at the end. */
export class RoomCallers {
  private readonly target: ServiceTarget;
  private readonly clients: GrpcClient<typeof RoomCommands>[] = [];
  private commandsMade = 0;
  private readonly faults = new Map<string, number>();

  constructor(target: ServiceTarget) {
    this.target = target;
    for (let at = 0; at < connectionCount; at += 1) {
      this.clients.push(
        createGrpcClient(RoomCommands, target.grpcAddress, target.clock, { ownConnection: true }),
      );
    }
  }

  /** Creates the rooms that all levels use. */
  async createRooms(): Promise<void> {
    const host = await this.token('host');
    for (let room = 0; room < roomCount; room += 1) {
      const meta = this.meta(roomName(room), 'create');
      await this.commandsOf(room).createRoom(
        { meta, title: 'bench', seatCount, mode: RoomMode.FREE, visibleRegionId: 1n },
        { timeoutMs: callTimeoutMs, token: host },
      );
    }
  }

  /** One level. The callers of a level are people of their own. */
  async measure(callers: number, times: LoopTimes): Promise<Figures> {
    this.faults.clear();
    const asks = await Promise.all(
      Array.from({ length: callers }, (_, caller) =>
        this.visitor(`l${callers}-u${caller}`, caller),
      ),
    );
    const figures = await closedLoop(asks, times);
    for (const [fault, count] of this.faults) console.log(`    ${count} × ${fault}`);
    return figures;
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** The endless visits of one person, one command per ask. */
  private async visitor(userId: string, caller: number): Promise<Ask> {
    const token = await this.token(userId);
    const commands = this.commandsOf(caller);
    const room = roomName(caller % roomCount);
    let micSessionId = '';
    const steps = [
      (meta: Meta, call: Call) => commands.joinRoom({ meta, profile: { nickname: userId } }, call),
      async (meta: Meta, call: Call) => {
        ({ micSessionId } = await commands.micUp({ meta, seatNo: 0 }, call));
      },
      (meta: Meta, call: Call) => commands.confirmMicPublishing({ meta, micSessionId }, call),
      (meta: Meta, call: Call) =>
        commands.sendGift({ meta, giftId: 'rose', giftCount: 1, targetUserIds: [userId] }, call),
      (meta: Meta, call: Call) => commands.micDown({ meta }, call),
      (meta: Meta, call: Call) => commands.leaveRoom({ meta }, call),
    ];
    let step = 0;
    return async () => {
      const act = steps[step % steps.length];
      const meta = this.meta(room, 'c');
      step += 1;
      return act === undefined
        ? false
        : this.tryUntilTaken(() => act(meta, { timeoutMs: callTimeoutMs, token }));
    };
  }

  /** A busy answer is part of the measured time: the caller asks again with the same id. */
  private async tryUntilTaken(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await sendUntilTaken(call, this.target.timers);
      return true;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.faults.set(text, (this.faults.get(text) ?? 0) + 1);
      return false;
    }
  }

  private commandsOf(at: number): Commands {
    const client = this.clients[at % this.clients.length];
    if (client === undefined) throw new Error('there is no connection');
    return client.calls;
  }

  private meta(roomId: string, name: string): Meta {
    this.commandsMade += 1;
    const commandId = `${name}-${this.commandsMade}`;
    return { appCode, roomId, commandId, snapshotMode: SnapshotMode.NONE };
  }

  private token(subject: string): Promise<string> {
    const caller = { appCode, subject, role: 'user' as const };
    return issueDevelopmentToken(this.target.jwtSecret, caller, tokenTtlMs, this.target.clock);
  }
}

interface Meta {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
  readonly snapshotMode: SnapshotMode;
}

interface Call {
  readonly timeoutMs: number;
  readonly token: string;
}

function roomName(room: number): string {
  return `bench-${room}`;
}
