/**
 * Somebody in one room who asks one thing after another, as the caller of a room service should: a call
 * that fails is made once more with its id, at once or when the answer says. What it waited is kept.
 */
import { GrpcCallError } from '../../src/drivers/grpc/grpc-client.ts';
import { RoomMode } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import type { Timers } from '../../src/ports/timers.ts';
import { fleetApp, type Fleet, type FleetClient } from '../../test/e2e/support/fleet.ts';
import { untilAnswered } from '../../test/e2e/support/play.ts';

/** One command from its first try to its end; times of `performance.now()`. */
export interface Asked {
  readonly sentMs: number;
  readonly endedMs: number;
  /** 1, or 2 after a retry; more when that one failed as well. */
  readonly tries: number;
}

/** A bound that no healthy hand-over comes near. */
const tryMs = 5_000;
/** Between an answer and the next command. */
const pauseMs = 20;

/** See the file header. */
export class SteadyCaller {
  readonly asked: Asked[] = [];
  private readonly fleet: Fleet;
  private readonly client: FleetClient;
  private readonly timers: Timers;
  readonly room: string;
  /** Commands asked so far, beside the room's creation. */
  commands = 0;
  private running: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(fleet: Fleet, client: FleetClient, timers: Timers, room: string) {
    this.fleet = fleet;
    this.client = client;
    this.timers = timers;
    this.room = room;
  }

  /** Makes the room. */
  async open(): Promise<void> {
    const { client, room } = this;
    const meta = this.meta('create');
    const call = { timeoutMs: tryMs, token: await this.fleet.token('owner') };
    const texts = { title: room, seatCount: 4, mode: RoomMode.FREE };
    await untilAnswered('create', () => client.commands.createRoom({ meta, ...texts }, call));
  }

  /** Goes on until `stop`. */
  start(): void {
    this.isOver = false;
    this.running = this.goOn();
  }

  /** Resolves when the last command has its answer. Rejects with what no caller may be told. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  /**
   * One new command, asked again with its id until it is answered; each try waits for `eachMs` at most,
   * so that a lost answer is noticed soon.
   */
  async once(eachMs: number): Promise<Asked> {
    const token = await this.fleet.token('owner');
    const request = this.next();
    const sentMs = performance.now();
    let tries = 0;
    await untilAnswered(request.meta.commandId, () => {
      tries += 1;
      return this.client.commands.setVisibleRegion(request, { timeoutMs: eachMs, token });
    });
    return { sentMs, endedMs: performance.now(), tries };
  }

  private async goOn(): Promise<void> {
    const call = { timeoutMs: tryMs, token: await this.fleet.token('owner') };
    while (!this.isOver) {
      const request = this.next();
      const sentMs = performance.now();
      let tries = 0;
      for (let isAnswered = false; !isAnswered;) {
        tries += 1;
        try {
          await this.client.commands.setVisibleRegion(request, call);
          isAnswered = true;
        } catch (thrown) {
          if (!(thrown instanceof GrpcCallError)) throw thrown;
          await this.timers.sleep(thrown.failure.retryAfterMs ?? 0);
        }
      }
      this.asked.push({ sentMs, endedMs: performance.now(), tries });
      await this.timers.sleep(pauseMs);
    }
  }

  private next() {
    this.commands += 1;
    return {
      meta: this.meta(`${this.commands}`),
      visibleRegionId: BigInt(this.commands + 1),
    };
  }

  private meta(commandId: string) {
    return { appCode: fleetApp, roomId: this.room, commandId, actorUserId: 'owner' };
  }
}
