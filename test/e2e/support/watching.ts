/** A client that watches a room for as long as a test likes, and goes on as the documents say. */
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import { isForClients } from '../../../src/protocol/client-event.ts';
import type { RoomEventType } from '../../../src/domain/room/events.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';

/** Pause before a stream that ended is asked for again. */
const againMs = 100;

/** One event as it was told, or as MySQL has it: `3/0 RoomUserJoined <event id>`. */
type Told = string;

/** See the file header. Goes on at whichever client it is given; `faults` says what should not be. */
export class RoomWatching {
  readonly faults: string[] = [];
  /** How streams ended, in order. */
  readonly ends: string[] = [];
  readonly told: Told[] = [];
  views = 0;
  private position = 0n;
  private client: FleetClient;
  private readonly fleet: Fleet;
  private readonly room: string;
  private readonly stopped = new AbortController();
  private working: Promise<void> | null = null;

  constructor(fleet: Fleet, client: FleetClient, room: string) {
    this.fleet = fleet;
    this.client = client;
    this.room = room;
  }

  start(): this {
    this.working = this.run();
    return this;
  }

  /** Its next stream is asked for there. */
  moveTo(client: FleetClient): void {
    this.client = client;
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.working;
  }

  async reaches(version: bigint): Promise<void> {
    await waitUntil(
      `${this.room} is watched up to version ${version}`,
      () => Promise.resolve(this.position >= version),
      { limitMs: 60_000, seen: () => `${this.position}, ended ${this.ends.join(', ')}` },
    );
  }

  /** Events of the room that clients are told of, behind the first view, as MySQL has them. */
  async stored(behind = 1): Promise<Told[]> {
    const rows = await this.fleet.sql(
      'SELECT room_version, event_index, event_type, event_id FROM room_events ' +
        'WHERE app_code = ? AND room_id = ? AND room_version > ? ORDER BY room_version, event_index',
      [fleetApp, this.room, behind],
    );
    return rows
      .filter((row) => isForClients(String(row['event_type']) as RoomEventType))
      .map((row) =>
        lineOf(row['room_version'], row['event_index'], row['event_type'], row['event_id']),
      );
  }

  private async run(): Promise<void> {
    const { signal } = this.stopped;
    while (!signal.aborted) {
      try {
        await this.listen(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof GrpcCallError)) throw error;
        this.ends.push(error.failure.reason || error.failure.status);
      }
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }

  private async listen(signal: AbortSignal): Promise<void> {
    const token = await this.fleet.token('backend', 'service');
    const request = { appCode: fleetApp, roomId: this.room, afterVersion: this.position };
    for await (const { message } of this.client.watches.watchRoom(request, { token, signal })) {
      if (message.case === 'snapshot') this.see(message.value.roomVersion);
      if (message.case === 'end') {
        this.ends.push(message.value.reason);
        if (message.value.resumeAfterVersion !== this.position) {
          this.faults.push(`${this.position} sent back to ${message.value.resumeAfterVersion}`);
        }
      }
      if (message.case !== 'step') continue;
      const { roomVersion, events } = message.value;
      if (roomVersion !== this.position + 1n) this.faults.push(`${this.position}, ${roomVersion}`);
      this.position = roomVersion;
      for (const { eventIndex, type, eventId, data } of events) {
        this.told.push(lineOf(roomVersion, eventIndex, type, eventId));
        const { event_id: inData, version } = JSON.parse(data) as Record<string, unknown>;
        if (inData !== eventId || version !== String(roomVersion)) this.faults.push(data);
      }
    }
  }

  private see(version: bigint): void {
    if (version < this.position) this.faults.push(`${this.position}, a view of ${version}`);
    this.position = version;
    this.views += 1;
  }
}

function lineOf(version: unknown, index: unknown, type: unknown, id: unknown): Told {
  return `${String(version)}/${String(index)} ${String(type)} ${String(id)}`;
}
