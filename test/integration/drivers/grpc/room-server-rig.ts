/** A real gRPC server on loopback over a RoomApi that only does what a test tells it. */
import { issueDevelopmentToken } from '../../../../src/drivers/jwt/development-token.ts';
import { createTokenVerifier } from '../../../../src/drivers/jwt/token-verifier.ts';
import { RoomAdmin } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_admin_pb.ts';
import { RoomCommands } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { RoomQueries } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createGrpcClient, GrpcCallError } from '../../../../src/drivers/grpc/grpc-client.ts';
import type { WireFailure } from '../../../../src/drivers/grpc/error-details.ts';
import type { GrpcHost } from '../../../../src/drivers/grpc/grpc-host.ts';
import {
  createRoomGrpcServer,
  type RoomGrpcServerOptions,
} from '../../../../src/drivers/grpc/room-grpc-server.ts';
import { createSystemClock } from '../../../../src/drivers/system/system-clock.ts';
import { createSystemTimers } from '../../../../src/drivers/system/system-timers.ts';
import type { Metrics } from '../../../../src/ports/metrics.ts';
import type {
  CallFrame,
  Caller,
  CommandRequest,
  CommandSuccess,
  RequestMeta,
  RoomApi,
} from '../../../../src/ports/room-api.ts';
import type { OperatorApi } from '../../../../src/ports/operator-api.ts';
import type { RoomReadApi } from '../../../../src/ports/room-read-api.ts';
import type { RoomVersion } from '../../../../src/domain/ids.ts';
import { MemoryLog } from '../../../support/memory-log.ts';

export const secret = 'a secret of thirty-two bytes or more';
export const clock = createSystemClock();
export const timers = createSystemTimers();
export const silentMetrics: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observeMs: () => undefined,
};

export const success: CommandSuccess = {
  roomId: 'r1',
  replayed: false,
  view: null,
  result: {
    outcome: 'applied',
    roomVersion: 7n as RoomVersion,
    reason: '',
    facts: {},
    fields: {},
  },
};

/** What is answered by script. */
type Scripted = Omit<RoomReadApi, 'watchRoom'> & OperatorApi;

/** Answers reads and operators with what a test puts in place; keeps what they were called with. */
class ScriptedReads implements Scripted {
  readonly asked: { readonly method: string; readonly frame: CallFrame; readonly what: unknown }[] =
    [];
  readonly answers: {
    -readonly [Name in keyof Scripted]?: Awaited<ReturnType<Scripted[Name]>>;
  } = {};
  readRoom = this.scripted('readRoom');
  guardUser = this.scripted('guardUser');
  issueRtcTicket = this.scripted('issueRtcTicket');
  listAudience = this.scripted('listAudience');
  listBans = this.scripted('listBans');
  listMicRequests = this.scripted('listMicRequests');
  getGiftRank = this.scripted('getGiftRank');
  batchGetRooms = this.scripted('batchGetRooms');
  listRoomsByOwner = this.scripted('listRoomsByOwner');
  getLeaderboard = this.scripted('getLeaderboard');
  getUserRooms = this.scripted('getUserRooms');
  evictUser = this.scripted('evictUser');
  liftPlatformBan = this.scripted('liftPlatformBan');
  pinRoom = this.scripted('pinRoom');
  getRoomHistory = this.scripted('getRoomHistory');
  verifyRoom = this.scripted('verifyRoom');
  listPartitions = this.scripted('listPartitions');
  acceptState = this.scripted('acceptState');
  listOutbox = this.scripted('listOutbox');
  replayOutbox = this.scripted('replayOutbox');
  dismissOutbox = this.scripted('dismissOutbox');
  listDeadLetters = this.scripted('listDeadLetters');
  replayDeadLetter = this.scripted('replayDeadLetter');
  drainNode = this.scripted('drainNode');
  listGifts = this.scripted('listGifts');
  setGift = this.scripted('setGift');
  getRocketRules = this.scripted('getRocketRules');
  setRocketRules = this.scripted('setRocketRules');

  private scripted<Name extends keyof Scripted>(method: Name): Scripted[Name] {
    const answer = (frame: CallFrame, what: unknown): Promise<unknown> => {
      this.asked.push({ method, frame, what });
      const scripted = this.answers[method];
      if (!(method in this.answers)) return Promise.reject(new Error(`${method} is not scripted`));
      return Promise.resolve(scripted);
    };
    return answer as Scripted[Name];
  }
}

/** Answers every command with `onExecute`; keeps what it was called with. */
export class ScriptedApi extends ScriptedReads implements RoomApi {
  /** Watches by script. */
  watchRoom: RoomReadApi['watchRoom'] = () => {
    throw new Error('watchRoom is not scripted');
  };
  readonly calls: { frame: CallFrame; meta: RequestMeta; request: CommandRequest }[] = [];
  onExecute: (frame: CallFrame) => Promise<CommandSuccess> = () => Promise.resolve(success);
  /** Heartbeats of presence have no session. */
  readonly beats: { meta: RequestMeta; micSessionId: string | null; publishing?: boolean }[] = [];
  onHeartbeat: () => Promise<void> = () => Promise.resolve();
  getCommand: RoomApi['getCommand'] = () => Promise.resolve({ kind: 'notExecuted' });
  getRoomSnapshot: RoomApi['getRoomSnapshot'] = () => Promise.reject(new Error('not scripted'));
  listRooms: RoomApi['listRooms'] = () => Promise.resolve({ entries: [], nextCursor: '' });

  execute(frame: CallFrame, meta: RequestMeta, request: CommandRequest): Promise<CommandSuccess> {
    this.calls.push({ frame, meta, request });
    return this.onExecute(frame);
  }

  heartbeat(_frame: CallFrame, meta: RequestMeta): Promise<void> {
    this.beats.push({ meta, micSessionId: null });
    return this.onHeartbeat();
  }

  async micHeartbeat(
    _frame: CallFrame,
    meta: RequestMeta,
    { micSessionId, publishing }: { readonly micSessionId: string; readonly publishing: boolean },
  ): Promise<{ micHeartbeatAtMs: number }> {
    this.beats.push({ meta, micSessionId, ...(publishing ? { publishing } : {}) });
    await this.onHeartbeat();
    return { micHeartbeatAtMs: 1_700_000_000_123 };
  }
}

/** Server and clients; `close` ends what the test left open. */
export async function startRoomServer(
  more: Partial<Pick<RoomGrpcServerOptions, 'takeWithinMs'>> = {},
): Promise<{
  readonly api: ScriptedApi;
  readonly log: MemoryLog;
  readonly server: GrpcHost;
  readonly address: string;
  readonly commands: ReturnType<typeof createGrpcClient<typeof RoomCommands>>['calls'];
  readonly queries: ReturnType<typeof createGrpcClient<typeof RoomQueries>>['calls'];
  readonly admin: ReturnType<typeof createGrpcClient<typeof RoomAdmin>>['calls'];
  readonly token: string;
  close(): Promise<void>;
}> {
  const api = new ScriptedApi();
  const log = new MemoryLog();
  const verifier = await createTokenVerifier({ kind: 'hs256', secret }, clock);
  const server = createRoomGrpcServer(
    {
      host: '127.0.0.1',
      port: 0,
      auth: { kind: 'tokens', verifier },
      rtcSdkAppIds: new Map([['app1', 1_400_000_001]]),
      ...more,
    },
    api,
    { clock, timers, log, metrics: silentMetrics },
  );
  const address = `127.0.0.1:${await server.start()}`;
  server.setServing(true);
  const commandClient = createGrpcClient(RoomCommands, address, clock);
  const queryClient = createGrpcClient(RoomQueries, address, clock);
  const adminClient = createGrpcClient(RoomAdmin, address, clock);
  return {
    api,
    log,
    server,
    address,
    commands: commandClient.calls,
    queries: queryClient.calls,
    admin: adminClient.calls,
    token: await tokenOf({ appCode: 'app1', subject: 'u1', role: 'user' }),
    async close() {
      commandClient.close();
      queryClient.close();
      adminClient.close();
      await server.stop(0);
    },
  };
}

/** A good token of this caller. */
export function tokenOf(caller: Caller, ttlMs = 60_000): Promise<string> {
  return issueDevelopmentToken(secret, caller, ttlMs, clock);
}

/** The failure that a call ends in; a success is a fault of the test. */
export async function failureOf(call: Promise<unknown>): Promise<WireFailure> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof GrpcCallError) return thrown.failure;
    throw thrown;
  }
  throw new Error('the call succeeded');
}
