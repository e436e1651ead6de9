/**
 * Callers that keep rooms busy while a test does something to the processes. Each room has one
 * caller that sends one command after another; what came back is kept by command id.
 */
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import type { WireFailure } from '../../../src/drivers/grpc/error-details.ts';
import { RoomMode } from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';
import { logOf } from './observe.ts';
import { RoomPlayer } from './play.ts';

/**
 * Longest that a caller waits for one answer: an outage that a test makes, a server's start on a busy
 * machine, and the minute behind it in which `more` wants to see answers again.
 */
const patienceMs = 180_000;

/** Rooms under load; every command is sent again under its id until it is answered. */
export class RoomLoad {
  /** Version by command id, per room, of everything that was answered. */
  readonly answered = new Map<string, Map<string, bigint>>();
  private readonly fleet: Fleet;
  private readonly rooms: readonly string[];
  private readonly workers: Promise<void>[] = [];
  private stopping = false;
  /** What ended a caller before its time; whoever waits for the load is told. */
  private readonly failures: unknown[] = [];

  constructor(fleet: Fleet, rooms: readonly string[]) {
    this.fleet = fleet;
    this.rooms = rooms;
  }

  /** Starts one caller per room on the given gateway. */
  start(client: FleetClient): void {
    for (const room of this.rooms) {
      this.workers.push(
        this.play(client, room).catch((error: unknown) => void this.failures.push(error)),
      );
    }
  }

  /** Ends every caller after the command that it waits for. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.workers);
    this.throwFailure();
  }

  /** Commands answered so far, over all rooms. */
  get count(): number {
    return [...this.answered.values()].reduce((sum, ids) => sum + ids.size, 0);
  }

  /** Waits for so many more answers than there are now. */
  async more(answers: number): Promise<void> {
    const wanted = this.count + answers;
    await waitUntil(
      `${answers} more commands are answered`,
      () => {
        this.throwFailure();
        return Promise.resolve(this.count >= wanted);
      },
      { limitMs: 60_000, seen: () => this.count },
    );
  }

  private throwFailure(): void {
    if (this.failures.length > 0) throw this.failures[0];
  }

  /** What differs between the answers and the log: lost, doubled or renumbered commands. */
  async differences(): Promise<string[]> {
    const found: string[] = [];
    for (const [room, ids] of this.answered) {
      const log = await logOf(this.fleet, room);
      const byId = new Map(log.map((row) => [row.commandId, row.version]));
      for (const [id, version] of ids) {
        if (byId.get(id) !== String(version)) found.push(`${room} ${id}: ${byId.get(id)}`);
      }
      if (log.length !== ids.size) found.push(`${room}: ${log.length} rows, ${ids.size} answers`);
    }
    return found;
  }

  private async play(client: FleetClient, room: string): Promise<void> {
    const player = new RoomPlayer(this.fleet, client, room, { patienceMs });
    const ids = new Map<string, bigint>();
    this.answered.set(room, ids);
    ids.set('c1', (await player.create('c1')).roomVersion);
    for (let n = 1; !this.stopping; n += 1) {
      const user = `u${n}`;
      ids.set(`j${n}`, (await player.join(`j${n}`, user)).roomVersion);
      ids.set(`l${n}`, (await player.leave(`l${n}`, user)).roomVersion);
    }
  }
}

/** How one command of a burst ended. */
export type BurstEnd = { readonly room: string } & (
  { readonly kind: 'answered' } | { readonly kind: 'failed'; readonly failure: WireFailure }
);

/** Sends one CreateRoom per room name, all at once and each once only. */
export async function createBurst(
  fleet: Fleet,
  client: FleetClient,
  rooms: readonly string[],
  timeoutMs = 20_000,
): Promise<BurstEnd[]> {
  const token = await fleet.token('owner');
  return Promise.all(
    rooms.map(async (room): Promise<BurstEnd> => {
      const meta = { appCode: fleetApp, roomId: room, commandId: 'c1', actorUserId: 'owner' };
      const body = { meta, title: room, seatCount: 4, mode: RoomMode.FREE };
      try {
        await client.commands.createRoom(body, { timeoutMs, token });
        return { room, kind: 'answered' };
      } catch (error) {
        if (!(error instanceof GrpcCallError)) throw error;
        return { room, kind: 'failed', failure: error.failure };
      }
    }),
  );
}

/** One caller that makes room after room until it is refused once; its last end is that failure. */
export async function createUntilRefused(
  fleet: Fleet,
  client: FleetClient,
  stem: string,
): Promise<BurstEnd[]> {
  const ends: BurstEnd[] = [];
  for (let n = 0; ends.at(-1)?.kind !== 'failed'; n += 1) {
    ends.push(...(await createBurst(fleet, client, [`${stem}-${n}`])));
  }
  return ends;
}
