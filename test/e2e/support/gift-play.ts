/**
 * Gifts over gRPC as callers send them: an unknown answer is asked again under its own id until it
 * is known. Every end is written into a book, which `moneyAddsUp` compares with what was stored.
 */
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import type { CommandResult } from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';
import { RoomPlayer, untilAnswered } from './play.ts';

/** What is given, by whom and to whom. */
export interface Gift {
  readonly from: string;
  readonly to: readonly string[];
  /** For each target. Default: 1. */
  readonly count?: number;
  /** Default: a rose of 10 coins. */
  readonly giftId?: string;
}

/** How a gift ended. */
export type GiftEnd =
  | { readonly kind: 'given'; readonly result: CommandResult }
  | {
      readonly kind: 'refused';
      readonly status: string;
      readonly reason: string;
      readonly facts: Readonly<Record<string, string>>;
    };

/** One answer that a caller got. */
export interface GiftAnswer {
  readonly room: string;
  readonly commandId: string;
  readonly gift: Gift;
  readonly end: GiftEnd;
}

/** Longest deadline that a gateway takes by default. */
const patientMs = 30_000;

/** See the file header. */
export class GiftPlayer {
  readonly answers: GiftAnswer[] = [];
  /** Tries whose outcome the caller did not learn. */
  unknowns = 0;
  private readonly fleet: Fleet;
  private readonly client: FleetClient;
  private readonly appCode: string;

  constructor(fleet: Fleet, client: FleetClient, appCode = fleetApp) {
    this.fleet = fleet;
    this.client = client;
    this.appCode = appCode;
  }

  /** Makes a room of `owner` and lets the users in. */
  async fill(room: string, users: readonly string[]): Promise<RoomPlayer> {
    const play = new RoomPlayer(this.fleet, this.client, room, { appCode: this.appCode });
    await play.create('c1');
    await Promise.all(users.map((user) => play.join(`join-${user}`, user)));
    return play;
  }

  /** Sends the gift until its end is known. `tryMs`: deadline of one try. */
  async give(room: string, commandId: string, gift: Gift, tryMs = patientMs): Promise<GiftEnd> {
    const end = await endOf(
      untilAnswered(
        commandId,
        () => this.send(room, commandId, gift, tryMs),
        () => {
          this.unknowns += 1;
        },
      ),
    );
    this.answers.push({ room, commandId, gift, end });
    return end;
  }

  /** One try, whatever comes back. Not in the book: nothing may be known. */
  once(room: string, commandId: string, gift: Gift, tryMs: number): Promise<GiftEnd> {
    return endOf(this.send(room, commandId, gift, tryMs));
  }

  private async send(
    room: string,
    commandId: string,
    { from, to, count = 1, giftId = 'rose' }: Gift,
    timeoutMs: number,
  ): Promise<CommandResult> {
    const { appCode } = this;
    const token = await this.fleet.token(from, 'user', { appCode });
    const meta = { appCode, roomId: room, commandId, actorUserId: from };
    const body = { meta, giftId, giftCount: count, targetUserIds: [...to], comboId: '' };
    return this.client.commands.sendGift(body, { timeoutMs, token });
  }
}

async function endOf(call: Promise<CommandResult>): Promise<GiftEnd> {
  try {
    return { kind: 'given', result: await call };
  } catch (error) {
    if (!(error instanceof GrpcCallError)) throw error;
    const { status, reason, facts } = error.failure;
    return { kind: 'refused', status, reason, facts: Object.fromEntries(Object.entries(facts)) };
  }
}

/** Many senders in several rooms, each with one gift after another, until they are stopped. */
export class GiftLoad {
  private readonly player: GiftPlayer;
  private readonly callers: Promise<void>[] = [];
  private stopping = false;

  constructor(player: GiftPlayer) {
    this.player = player;
  }

  /** Every user of every room gives to the next one or two of the others. */
  start(rooms: readonly string[], users: readonly string[]): void {
    for (const room of rooms) {
      for (const from of users) this.callers.push(this.send(room, from, users));
    }
  }

  /** Waits for so many more known ends than there are now. */
  async more(ends: number): Promise<void> {
    const wanted = this.player.answers.length + ends;
    await waitUntil(
      `${ends} more gifts have ended`,
      () => Promise.resolve(this.player.answers.length >= wanted),
      { limitMs: 90_000, seen: () => this.player.answers.length },
    );
  }

  /** Ends every caller after the gift that it waits for. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.callers);
  }

  private async send(room: string, from: string, users: readonly string[]): Promise<void> {
    const others = [...users.slice(users.indexOf(from) + 1), ...users].slice(0, 2);
    for (let n = 1; !this.stopping; n += 1) {
      const gift = { from, to: others.slice(0, 1 + (n % 2)), count: 1 + (n % 3) };
      await this.player.give(room, `g-${from}-${n}`, gift, 8_000);
    }
  }
}
