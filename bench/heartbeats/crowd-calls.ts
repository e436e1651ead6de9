/** How people of a crowd reach their gateway: shared connections, tokens, and a book of what failed. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { RoomCommands } from '../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { SnapshotMode } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { createGrpcClient, type GrpcClient } from '../../src/drivers/grpc/grpc-client.ts';
import { issueDevelopmentToken } from '../../src/drivers/jwt/development-token.ts';
import { sendUntilTaken } from '../busy-answers.ts';

/** What crowds need of their deployment. */
export interface CrowdTarget {
  readonly jwtSecret: string;
  readonly clock: Clock;
  readonly timers: Timers;
}

type Client = GrpcClient<typeof RoomCommands>;

/** The app of every crowd. */
export const crowdApp = 'demo';
/** Nobody waits longer for an answer. */
export const crowdTimeoutMs = 30_000;
const tokenTtlMs = 4 * 3_600_000;
/** A connection carries 1,000 calls at once, and a beat waits for its fold. */
const connectionCount = 8;

/** See the file header. */
export class CrowdCalls {
  private readonly target: CrowdTarget;
  private clients: Client[] = [];
  private commandsMade = 0;
  private readonly faults = new Map<string, number>();

  constructor(target: CrowdTarget) {
    this.target = target;
  }

  /** From now on calls go to this gateway. */
  connect(grpcAddress: string): void {
    this.close();
    this.clients = Array.from({ length: connectionCount }, () =>
      createGrpcClient(RoomCommands, grpcAddress, this.target.clock, { ownConnection: true }),
    );
  }

  close(): void {
    for (const client of this.clients) client.close();
    this.clients = [];
  }

  /** The calls of whoever has this number. */
  of(at: number): Client['calls'] {
    const client = this.clients[at % this.clients.length];
    if (client === undefined) throw new Error('there is no connection');
    return client.calls;
  }

  /** The frame of a new command. */
  meta(roomId: string) {
    this.commandsMade += 1;
    const commandId = `crowd-${this.commandsMade}`;
    return { appCode: crowdApp, roomId, commandId, snapshotMode: SnapshotMode.NONE };
  }

  token(subject: string): Promise<string> {
    const { jwtSecret, clock } = this.target;
    const caller = { appCode: crowdApp, subject, role: 'user' } as const;
    return issueDevelopmentToken(jwtSecret, caller, tokenTtlMs, clock);
  }

  /** Sends a command until it is taken: a busy answer is part of the time. False: it failed. */
  sent(act: () => Promise<unknown>): Promise<boolean> {
    return this.noted(() => sendUntilTaken(act, this.target.timers));
  }

  /** Whether a call succeeded; its fault is noted otherwise. */
  async noted(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.faults.set(text, (this.faults.get(text) ?? 0) + 1);
      return false;
    }
  }

  /** What failed since the last time, as text; '' nothing. */
  told(): string {
    const text = [...this.faults].map(([fault, count]) => `${count} × ${fault}`).join(', ');
    this.faults.clear();
    return text;
  }
}
