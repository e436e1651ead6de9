/** A caller with a room on every partition, who asks each gateway whether it gets on (INV-31). */
import { fleetApp } from '../../e2e/support/fleet.ts';
import { partitionOfRoom, roomWhere } from '../../e2e/support/ownership.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { CallEnd } from '../../simulation/observations.ts';
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import type { Load } from './load.ts';

const owner = { name: 'probe', userId: 'probe' };
const triesEveryMs = 100;
const ttlMs = 3_000;
const texts = { title: 'a probe', coverUrl: '', backgroundUrl: '', tags: [], ext: '' };

/** See the file header. */
export class Probes {
  private readonly load: Load;
  private readonly rooms: readonly string[];
  private commands = 0;

  constructor(load: Load, partitions: number) {
    this.load = load;
    this.rooms = Array.from({ length: partitions }, (_, at) =>
      roomWhere('probe', (partition) => partition === at),
    );
  }

  /** Makes the rooms. */
  async open(limitMs: number): Promise<void> {
    const request: CommandRequest = {
      ...texts,
      ...{ type: 'CreateRoom', seatCount: 4, mode: 'free', visibleRegionId: 1n, password: '' },
    };
    await Promise.all(this.rooms.map((room) => this.untilOk(0, room, request, limitMs)));
  }

  /** A new command on every partition through this gateway; resolves when all are applied. */
  async throughGateway(gateway: number, limitMs: number): Promise<void> {
    await Promise.all(
      this.rooms.map((room) => {
        const visibleRegionId = BigInt(this.commands + 2);
        return this.untilOk(gateway, room, { type: 'SetVisibleRegion', visibleRegionId }, limitMs);
      }),
    );
  }

  private async untilOk(
    gateway: number,
    room: string,
    request: CommandRequest,
    limitMs: number,
  ): Promise<void> {
    this.commands += 1;
    const commandId = `p${this.commands}`;
    const meta = { appCode: fleetApp, roomId: room, commandId, actorUserId: owner.userId };
    const whole = { ...meta, clientTimeMs: 0n, snapshotMode: 'none' };
    const ask = { kind: 'command', meta: whole, role: 'user', request, ttlMs } as const;
    let last: CallEnd | null = null;
    await waitUntil(
      `partition ${partitionOfRoom(room)} answers through gateway ${gateway + 1}`,
      async () => {
        last = await this.load.send(owner, gateway, ask, 'user');
        return last.kind === 'ok';
      },
      { limitMs, everyMs: triesEveryMs, seen: () => shown(last) },
    );
  }
}

function shown(end: CallEnd | null): string {
  if (end === null) return 'nothing';
  return 'reason' in end ? `${end.kind} ${end.reason}` : end.kind;
}
