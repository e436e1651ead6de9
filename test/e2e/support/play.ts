/** Short ways to play a room over gRPC in fault tests. */
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import { RoomMode } from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';

/** Longest that a test waits for one command, retries included, unless it says otherwise. */
const usualPatienceMs = 60_000;
/** Deadline of one try. */
const tryMs = 4_000;

/** A command's answer, with fields that tests compare. */
export interface Played {
  readonly applied: boolean;
  readonly roomVersion: bigint;
  readonly replayed: boolean;
  readonly micSessionId: string;
  /** Users in the room as the answer's view counts them; null: it had no view. */
  readonly online: number | null;
}

/** Sends commands of one room with the same id until an answer comes, as a good caller does. */
export class RoomPlayer {
  readonly unknowns: string[] = [];
  private readonly fleet: Fleet;
  private readonly client: FleetClient;
  private readonly room: string;
  private readonly appCode: string;
  private readonly patienceMs: number;

  constructor(
    fleet: Fleet,
    client: FleetClient,
    room: string,
    { appCode = fleetApp, patienceMs = usualPatienceMs } = {},
  ) {
    this.fleet = fleet;
    this.client = client;
    this.room = room;
    this.appCode = appCode;
    this.patienceMs = patienceMs;
  }

  create(commandId: string, owner = 'owner'): Promise<Played> {
    return this.send(owner, commandId, (meta, call) =>
      this.client.commands.createRoom(
        { meta, title: 'Evening talk', seatCount: 8, mode: RoomMode.FREE },
        call,
      ),
    );
  }

  join(commandId: string, user: string): Promise<Played> {
    return this.send(user, commandId, (meta, call) =>
      this.client.commands.joinRoom({ meta, profile: { nickname: user } }, call),
    );
  }

  leave(commandId: string, user: string): Promise<Played> {
    return this.send(user, commandId, (meta, call) =>
      this.client.commands.leaveRoom({ meta }, call),
    );
  }

  micUp(commandId: string, user: string, seatNo: number): Promise<Played> {
    return this.send(user, commandId, (meta, call) =>
      this.client.commands.micUp({ meta, seatNo }, call),
    );
  }

  /** `micSessionId` '': whatever session the user has. */
  micDown(commandId: string, user: string, micSessionId = ''): Promise<Played> {
    return this.send(user, commandId, (meta, call) =>
      this.client.commands.micDown({ meta, userId: '', micSessionId }, call),
    );
  }

  confirm(commandId: string, user: string, micSessionId: string): Promise<Played> {
    return this.send(user, commandId, (meta, call) =>
      this.client.commands.confirmMicPublishing({ meta, micSessionId }, call),
    );
  }

  kick(commandId: string, userId: string, owner = 'owner'): Promise<Played> {
    return this.send(owner, commandId, (meta, call) =>
      this.client.commands.kickUser({ meta, userId, reason: 'rude', expiresAtMs: 0n }, call),
    );
  }

  unban(commandId: string, userId: string, owner = 'owner'): Promise<Played> {
    return this.send(owner, commandId, (meta, call) =>
      this.client.commands.unbanUser({ meta, userId }, call),
    );
  }

  close(commandId: string, owner = 'owner'): Promise<Played> {
    return this.send(owner, commandId, (meta, call) =>
      this.client.commands.closeRoom({ meta, reason: 'the evening is over' }, call),
    );
  }

  private async send(
    user: string,
    commandId: string,
    call: (meta: MetaInit, options: { timeoutMs: number; token: string }) => Promise<AnswerLike>,
  ): Promise<Played> {
    const { appCode } = this;
    const token = await this.fleet.token(user, 'user', { appCode });
    const meta = { appCode, roomId: this.room, commandId, actorUserId: user };
    const answer = await untilAnswered(
      commandId,
      () => call(meta, { timeoutMs: tryMs, token }),
      (failure) => this.unknowns.push(`${commandId} ${failure}`),
      this.patienceMs,
    );
    return playedOf(answer);
  }
}

/** Statuses that leave the id free or say nothing of what happened. A final no is the test's to see. */
const freeStatuses = ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'];

/** Makes the same call until it is answered, as a good caller does; rejects with a final no. */
export function untilAnswered<Answer>(
  commandId: string,
  call: () => Promise<Answer>,
  onUnknown: (failure: string) => void = () => undefined,
  patienceMs = usualPatienceMs,
): Promise<Answer> {
  let last = '';
  return waitUntil(
    `an answer to ${commandId}`,
    async () => {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof GrpcCallError)) throw error;
        const { status, reason } = error.failure;
        if (!freeStatuses.includes(status)) throw error;
        last = `${status} ${reason}`;
        onUnknown(last);
        return null;
      }
    },
    { limitMs: patienceMs, everyMs: 100, seen: () => last },
  );
}

interface MetaInit {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
  readonly actorUserId: string;
}

interface AnswerLike {
  readonly applied: boolean;
  readonly roomVersion: bigint;
  readonly replayed: boolean;
  readonly micSessionId: string;
  readonly snapshot?: { readonly counts?: { readonly online: number } | undefined } | undefined;
}

function playedOf(answer: AnswerLike): Played {
  const { applied, roomVersion, replayed, micSessionId, snapshot } = answer;
  const online = snapshot?.counts?.online ?? null;
  return { applied, roomVersion, replayed, micSessionId, online };
}
