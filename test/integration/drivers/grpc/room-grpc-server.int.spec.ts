/** The room API on the wire: messages, failures, identity, time. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { Metadata, credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import type { ClientDuplexStream, ServiceDefinition, ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { service as healthDefinition } from 'grpc-health-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MicAnswer } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import {
  RoomRole,
  SeatState,
  SnapshotMode,
  type CommandResult,
  type RoomMode,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { CommandState } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createRoomGrpcServer } from '../../../../src/drivers/grpc/room-grpc-server.ts';
import type {
  AppCode,
  MicSessionId,
  RoomId,
  RoomVersion,
  UserId,
} from '../../../../src/domain/ids.ts';
import type { RoomView } from '../../../../src/domain/room/room-view.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import type { CallFrame } from '../../../../src/ports/room-api.ts';
import { commandCases, type CommandCases } from './command-cases.ts';
import {
  clock,
  failureOf,
  ScriptedApi,
  silentMetrics,
  startRoomServer,
  success,
  timers,
  tokenOf,
} from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
beforeEach(async () => void (rig = await startRoomServer()));
afterEach(() => rig.close());

const meta = { appCode: 'app1', roomId: 'r1', commandId: 'c1' };
const call = (change: object = {}) => ({ timeoutMs: 5_000, token: rig.token, ...change });

describe('a command', () => {
  test('arrives with every field of its meta (ARC-17, EXT-1)', async () => {
    const whole = { ...meta, actorUserId: 'u1', clientTimeMs: 2n ** 53n };
    const sent = { ...whole, snapshotMode: SnapshotMode.NONE };
    await rig.commands.leaveRoom({ meta: sent }, call());
    expect(rig.api.calls[0]?.meta).toEqual({ ...whole, snapshotMode: 'none' });
  });

  test.each(Object.keys(commandCases) as (keyof CommandCases)[])(
    '%s reaches the api with every field, and its result comes back',
    async (rpc) => {
      const { sent, arrives } = commandCases[rpc];
      // One signature for all: the table has checked each request against its own.
      const send = rig.commands[rpc] as (
        request: object,
        options: object,
      ) => Promise<CommandResult>;
      const answer = await send({ meta, ...sent }, call());
      expect(rig.api.calls.map(({ request }) => request)).toEqual([arrives]);
      expect(rig.api.calls[0]?.meta).toMatchObject(meta);
      expect(answer).toMatchObject({ applied: true, roomId: 'r1', roomVersion: 7n });
    },
  );

  test('answers its result and the view with its addresses (RES-2, ARC-13)', async () => {
    const fields = {
      seatNo: 2,
      micSessionId: 's1' as MicSessionId,
      publishDeadlineMs: 1_700_000_000_123,
    };
    rig.api.onExecute = () =>
      Promise.resolve({
        ...success,
        replayed: true,
        result: { ...success.result, roomVersion: 9_007_199_254_740_993n as RoomVersion, fields },
        view,
      });
    const answer = await rig.commands.micUp({ meta, seatNo: 0 }, call());
    expect(answer).toMatchObject({
      applied: true,
      replayed: true,
      roomId: 'r1',
      roomVersion: 9_007_199_254_740_993n,
      seatNo: 2,
      micSessionId: 's1',
      publishDeadlineMs: 1_700_000_000_123n,
      snapshot: {
        roomVersion: 9n,
        imGroupId: 'rc_app1_r1',
        rtcSdkAppId: 1_400_000_001n,
        rtcRoomId: 'r1',
        seats: [{ seatNo: 1, state: SeatState.PUBLISHING, holder: { userId: 'u1' } }],
        counts: { online: 3, onSeat: 1, robots: 0 },
        roomHeat: beyondDoubles,
        giftRank: [{ userId: 'u1', coins: beyondDoubles, rank: 1 }],
        me: { role: RoomRole.OWNER, seatNo: 1, micSessionId: 's1' },
      },
    });
  });

  test('with an enum value of a newer client reaches the rules, which refuse it', async () => {
    await rig.commands.setRoomMode({ meta, mode: 9 as RoomMode }, call());
    await rig.commands.answerMicRequest({ meta, answer: 9 as MicAnswer }, call());
    expect(rig.api.calls.map(({ request }) => request)).toMatchObject([
      { mode: 'unknown:9' },
      { answer: 'unknown:9' },
    ]);
  });
});

describe('a heartbeat', () => {
  test('of presence reaches the api without a command id', async () => {
    await rig.commands.roomHeartbeat({ meta: { ...meta, commandId: '' } }, call());
    expect(rig.api.beats).toMatchObject([{ meta: { roomId: 'r1' }, micSessionId: null }]);
  });

  test('of a mic session names it, and says when the room heard it', async () => {
    const answer = await rig.commands.micHeartbeat({ meta, micSessionId: 's1' }, call());
    expect(rig.api.beats).toMatchObject([{ meta: { roomId: 'r1' }, micSessionId: 's1' }]);
    await rig.commands.micHeartbeat({ meta, micSessionId: 's1', publishing: true }, call());
    expect(rig.api.beats[1]).toMatchObject({ micSessionId: 's1', publishing: true });
    expect(answer.micHeartbeatAtMs).toBe(1_700_000_000_123n);
  });

  test('of a session that is over fails with its reason', async () => {
    const facts = { mic_session_id: 's0' };
    rig.api.onHeartbeat = () =>
      Promise.reject(new Failure('reject', 'MIC_SESSION_STALE', 'x', { facts }));
    const stale = rig.commands.micHeartbeat({ meta, micSessionId: 's0' }, call());
    expect(await failureOf(stale)).toMatchObject({
      status: 'FAILED_PRECONDITION',
      reason: 'MIC_SESSION_STALE',
      facts,
    });
  });
});

describe('a failure', () => {
  test('carries reason, domain, facts and pause in the status details', async () => {
    rig.api.onExecute = () =>
      Promise.reject(
        new Failure('retry', 'ROOM_BUSY', 'x', { facts: { produced: 'no' }, retryAfterMs: 250 }),
      );
    expect(await failureOf(rig.commands.leaveRoom({ meta }, call()))).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      reason: 'ROOM_BUSY',
      domain: 'roomcell',
      facts: { produced: 'no' },
      retryAfterMs: 250,
    });
  });

  test('that nobody expected is INTERNAL, says nothing about itself, and is logged', async () => {
    rig.api.onExecute = () => Promise.reject(new Error('secret at 10.0.0.3'));
    const failure = await failureOf(rig.commands.leaveRoom({ meta }, call()));
    expect(failure).toMatchObject({ status: 'INTERNAL', reason: 'INTERNAL' });
    expect(JSON.stringify(failure)).not.toContain('secret');
    expect(rig.log.messages('error')).toEqual(['a call met a fault']);
  });

  test('of a request above the size limit never reaches the api', async () => {
    const huge = { meta, reason: 'x'.repeat(70_000) };
    expect(await failureOf(rig.commands.closeRoom(huge, call()))).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
    });
    expect(rig.api.calls).toEqual([]);
  });
});

describe('identity', () => {
  async function frameWith(token: string | undefined): Promise<CallFrame | undefined> {
    await rig.commands.leaveRoom({ meta }, { timeoutMs: 5_000, ...(token && { token }) });
    return rig.api.calls.at(-1)?.frame;
  }

  test('a good token is its caller', async () => {
    expect((await frameWith(rig.token))?.caller).toEqual({
      appCode: 'app1',
      subject: 'u1',
      role: 'user',
    });
  });

  test.each([
    ['none', async () => undefined, 'no bearer token'],
    ['a bad one', async () => 'x.y.z', 'token malformed or signed by nobody we know'],
    [
      'an expired one',
      () => tokenOf({ appCode: 'app1', subject: 'u1', role: 'user' }, -60_000),
      'token expired',
    ],
  ])('%s is nobody, and the frame says why', async (_name, token, authFault) => {
    expect(await frameWith(await token())).toMatchObject({ caller: null, authFault });
  });

  test('switched off, refuses every address but loopback', () => {
    const serverOn = (host: string) => () =>
      createRoomGrpcServer(
        { host, port: 0, auth: { kind: 'off' }, rtcSdkAppIds: new Map() },
        new ScriptedApi(),
        { clock, timers, log: rig.log, metrics: silentMetrics },
      );
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org']) {
      expect(serverOn(host)).toThrow('authentication is off');
    }
    for (const host of ['127.0.0.1', '::1', 'localhost']) expect(serverOn(host)).not.toThrow();
  });
});

describe('time', () => {
  test('the deadline of the caller is handed on, less the way back', async () => {
    await rig.commands.leaveRoom({ meta }, call({ timeoutMs: 20_000 }));
    const remainingMs = rig.api.calls[0]?.frame.remainingMs ?? 0;
    expect(remainingMs).toBeGreaterThan(1_000);
    expect(remainingMs).toBeLessThanOrEqual(19_900);
  });

  test('a failure at the end of the time still reaches the caller with its reason', async () => {
    rig.api.onExecute = async (frame) => {
      await timers.sleep(frame.remainingMs ?? 0);
      throw new Failure('retry', 'OUTCOME_UNKNOWN', 'x', { facts: { produced: 'yes' } });
    };
    // The way back is 100 ms long. A machine that stands still for longer than that in one try does
    // not in all of them; without the allowance no try would get the reason.
    const reasons: string[] = [];
    for (let tries = 0; tries < 8 && !reasons.includes('OUTCOME_UNKNOWN'); tries += 1) {
      const failure = await failureOf(rig.commands.leaveRoom({ meta }, call({ timeoutMs: 1_000 })));
      expect(failure.status).toBe('DEADLINE_EXCEEDED');
      reasons.push(failure.reason);
    }
    expect(reasons).toContain('OUTCOME_UNKNOWN');
  });
});

describe('queries', () => {
  test('a snapshot, a look-up and a list come back whole', async () => {
    rig.api.answers.readRoom = { ...view, me: null };
    const { snapshot } = await rig.queries.getRoomSnapshot(
      { appCode: 'app1', roomId: 'r1' },
      call(),
    );
    expect(snapshot).toMatchObject({ title: 'Evening', roomVersion: 9n });
    expect(snapshot?.me).toBeUndefined();

    const rejected = { ...success.result, outcome: 'rejected', reason: 'SEAT_TAKEN' } as const;
    const facts = { seat_no: '1' };
    rig.api.getCommand = () =>
      Promise.resolve({ kind: 'found', commandType: 'MicUp', result: { ...rejected, facts } });
    expect(await rig.queries.getCommand(meta, call())).toMatchObject({
      state: CommandState.REJECTED,
      commandType: 'MicUp',
      rejection: { reason: 'SEAT_TAKEN', facts, roomVersion: 7n },
    });

    const queries: unknown[] = [];
    rig.api.listRooms = (_frame, query) => {
      queries.push(query);
      return Promise.resolve({ entries: [], nextCursor: 'next' });
    };
    const page = await rig.queries.listRooms({ appCode: 'app1', visibleRegionId: 0n }, call());
    await rig.queries.listRooms({ appCode: 'app1' }, call());
    expect(page.nextCursor).toBe('next');
    expect(queries).toMatchObject([{ visibleRegionId: 0n }, { visibleRegionId: null }]);
  });
});

describe('standard services', () => {
  test('health follows readiness, for the server and for each of its services', async () => {
    const Health = makeGenericClientConstructor(healthDefinition, 'Health');
    const health = new Health(rig.address, credentials.createInsecure());
    const statusOf = (service: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const onEnd = (error: ServiceError | null, answer: { status: string }): void =>
          error === null ? resolve(answer.status) : reject(error);
        health['check']?.({ service }, new Metadata(), onEnd);
      });
    expect(await statusOf('roomcell.v1.RoomCommands')).toBe('SERVING');
    rig.server.setServing(false);
    expect(await statusOf('')).toBe('NOT_SERVING');
    expect(await statusOf('roomcell.v1.RoomQueries')).toBe('NOT_SERVING');
    health.close();
  });

  test('reflection names the services and knows the types behind them', async () => {
    const answers = await reflect([{ list_services: '' }, ...symbols.map(fileContaining)]);
    const [list, ...files] = answers;
    expect(list?.list_services_response?.service.map(({ name }) => name).sort()).toEqual([
      'roomcell.v1.RoomAdmin',
      'roomcell.v1.RoomCommands',
      'roomcell.v1.RoomQueries',
    ]);
    for (const file of files) {
      expect(file.file_descriptor_response?.file_descriptor_proto.length).toBeGreaterThan(0);
    }
  });
});

const symbols = [
  'roomcell.v1.RoomAdmin',
  'roomcell.v1.RoomCommands',
  'roomcell.v1.CommandMeta',
  'google.rpc.ErrorInfo',
];

interface ReflectionAnswer {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
}

function fileContaining(symbol: string) {
  return { file_containing_symbol: symbol };
}

/** One answer per question, through the standard protocol and not through our own code. */
function reflect(questions: readonly object[]): Promise<ReflectionAnswer[]> {
  const proto = path.join(
    path.dirname(createRequire(import.meta.url).resolve('@grpc/reflection')),
    '../proto/grpc/reflection/v1/reflection.proto',
  );
  const definition = loadSync(proto, { keepCase: true })['grpc.reflection.v1.ServerReflection'];
  const Reflection = makeGenericClientConstructor(definition as ServiceDefinition, 'Reflection');
  const client = new Reflection(rig.address, credentials.createInsecure());
  const stream = client['ServerReflectionInfo']?.() as ClientDuplexStream<object, ReflectionAnswer>;
  return new Promise((resolve, reject) => {
    const answers: ReflectionAnswer[] = [];
    stream.on('data', (answer: ReflectionAnswer) => answers.push(answer));
    stream.on('error', reject);
    stream.on('end', () => {
      client.close();
      resolve(answers);
    });
    for (const question of questions) stream.write(question);
    stream.end();
  });
}

/** 2^53 + 1: the first whole number that a double cannot hold (A9). */
const beyondDoubles = 9_007_199_254_740_993n;

const view: RoomView = {
  appCode: 'app1' as AppCode,
  roomId: 'r1' as RoomId,
  status: 'active',
  version: 9n as RoomVersion,
  ownerUserId: 'u1' as UserId,
  title: 'Evening',
  coverUrl: '',
  announcement: '',
  backgroundUrl: '',
  tags: [],
  ext: '',
  mode: 'free',
  visibleRegionId: 0n,
  locked: false,
  createdAtMs: 1,
  rocket: null,
  closesAtMs: 0,
  seats: [
    {
      seatNo: 1,
      locked: false,
      muted: false,
      state: 'publishing',
      holder: { userId: 'u1' as UserId, nickname: 'Ann', avatarUrl: '' },
    },
  ],
  counts: { online: 3, onSeat: 1, robots: 0 },
  roomHeat: beyondDoubles,
  giftRank: [{ userId: 'u1' as UserId, coins: beyondDoubles, rank: 1 }],
  close: null,
  me: {
    role: 'owner',
    present: true,
    seatNo: 1,
    micSessionId: 's1' as MicSessionId,
    muted: false,
  },
};
