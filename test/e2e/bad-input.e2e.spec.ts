/**
 * Bad callers against a real gateway and cell: each refusal names its reason and its facts, and the
 * tables hold exactly what the contract says: nothing for a request at fault, one row for a final no.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandState } from '../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import type { RoomMode } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import {
  faultyRequests,
  goodMeta as good,
  goodRoom as room,
  type Meta,
  type RoomInit,
} from './support/faulty-requests.ts';
import { failureOf, logOf, logSize, recordsProduced } from './support/observe.ts';
import type { RoleProcess } from './support/role-process.ts';

let fleet: Fleet;
let client: FleetClient;
let cell: RoleProcess;
const token = { owner: '', u1: '', u2: '', bot: '' };
const timeoutMs = 10_000;

beforeAll(async () => {
  fleet = await Fleet.open('badinput');
  const gateway = await fleet.start('gateway-1', ['gateway']);
  cell = await fleet.start('cell-1', ['cell']);
  await gateway.ready();
  await cell.ready();
  client = fleet.connect(gateway);
  token.owner = await fleet.token('owner');
  token.u1 = await fleet.token('u1');
  token.u2 = await fleet.token('u2');
  token.bot = await fleet.token('runtime', 'service');
});
afterAll(async () => {
  await fleet.close();
});

const byOwner = (): { timeoutMs: number; token: string } => ({ timeoutMs, token: token.owner });

function create(meta: Partial<Meta>, body: RoomInit = {}) {
  return client.commands.createRoom({ meta: { ...good, ...meta }, ...room, ...body }, byOwner());
}

/** A fresh room with an owner, and a way to speak in it. */
async function freshRoom(roomId: string, password = '') {
  await create({ roomId, commandId: 'c1' }, { password });
  const metaOf = (commandId: string, actorUserId: string): Meta => ({
    ...good,
    roomId,
    commandId,
    actorUserId,
  });
  const by = (user: 'u1' | 'u2') => ({ timeoutMs, token: token[user] });
  const join = (commandId: string, user: 'u1' | 'u2', nickname = user as string) =>
    client.commands.joinRoom({ meta: metaOf(commandId, user), profile: { nickname } }, by(user));
  const micUp = (commandId: string, user: 'u1' | 'u2', seatNo: number) =>
    client.commands.micUp({ meta: metaOf(commandId, user), seatNo }, by(user));
  return { metaOf, join, micUp };
}

describe('a request that breaks a rule of its fields', () => {
  const faulty = () => faultyRequests(client, token.owner);

  it('is refused with the field and the fault, whatever the rule', async () => {
    for (const [what, call, field, fault] of faulty()) {
      const failure = await failureOf(call());
      expect(failure, what).toMatchObject({ status: 'INVALID_ARGUMENT', reason: 'INVALID_FIELD' });
      expect(failure.domain, what).toBe('roomcell');
      expect(failure.facts['field'], what).toBe(field);
      expect(failure.facts['fault'], what).toContain(fault);
      expect(failure.facts['fault_count'], what).toBeUndefined();
    }
  });

  it('hears of all its faults at once', async () => {
    const failure = await failureOf(
      create({ roomId: 'a b', commandId: '' }, { title: '', seatCount: 99, mode: 77 as RoomMode }),
    );
    const named = Object.entries(failure.facts).filter(([name]) => /^field(_\d+)?$/.test(name));
    expect(named.map(([, field]) => field).sort()).toEqual(
      ['command_id', 'mode', 'room_id', 'seat_count', 'title'].sort(),
    );
    expect(failure.facts['fault_count']).toBe('5');
  });

  it('is refused when it has no meta at all, or is larger than a request may be', async () => {
    const bare = await failureOf(client.commands.createRoom(room, byOwner()));
    expect(bare).toMatchObject({ reason: 'INVALID_FIELD', facts: { field: 'app_code' } });
    const huge = await failureOf(create({}, { ext: 'x'.repeat(100_000) }));
    expect(huge.status).toBe('RESOURCE_EXHAUSTED');
  });

  it('reached neither the topic nor the log', async () => {
    expect(await recordsProduced(fleet)).toBe(0n);
    expect(await logSize(fleet)).toBe(0);
  });
});

describe('a caller without the right', () => {
  const createAs = (bearer: string | undefined, meta: Partial<Meta> = {}) =>
    failureOf(
      client.commands.createRoom(
        { meta: { ...good, ...meta }, ...room },
        { timeoutMs, ...(bearer === undefined ? {} : { token: bearer }) },
      ),
    );

  it('has no token, garbage, an old one, or one signed by somebody else: UNAUTHENTICATED', async () => {
    const expired = await fleet.token('owner', 'user', { validMs: -60_000 });
    const foreign = await fleet.token('owner', 'user', { secret: 'x'.repeat(32) });
    for (const bearer of [undefined, 'garbage', expired, foreign]) {
      const failure = await createAs(bearer);
      expect(failure).toMatchObject({ status: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' });
      expect(failure.facts['fault']).toBeTruthy();
    }
    expect((await createAs(expired)).facts['fault']).toContain('expired');
  });

  it('comes from another app, or speaks for another user: PERMISSION_DENIED', async () => {
    const denied = { status: 'PERMISSION_DENIED', reason: 'PERMISSION_DENIED' };
    const otherApp = await fleet.token('owner', 'user', { appCode: 'other' });
    expect(await createAs(otherApp)).toMatchObject({ ...denied, facts: { fault: 'other_app' } });
    expect(await createAs(token.u1)).toMatchObject({ ...denied, facts: { fault: 'other_user' } });
    const listed = client.queries.listRooms({ appCode: 'other' }, byOwner());
    expect(await failureOf(listed)).toMatchObject(denied);
  });

  it('is a service that names nobody, or an impossible user: INVALID_FIELD', async () => {
    const nobody = await createAs(token.bot, { actorUserId: '' });
    expect(nobody.facts).toMatchObject({ field: 'actor_user_id', fault: 'missing' });
    const odd = await createAs(token.bot, { actorUserId: 'a:b' });
    expect(odd.facts).toMatchObject({ field: 'actor_user_id', fault: 'malformed' });
  });

  it('reached neither the topic nor the log', async () => {
    expect(await recordsProduced(fleet)).toBe(0n);
    expect(await logSize(fleet)).toBe(0);
  });
});

describe('an id', () => {
  it('of a command to an unknown room stays free and leaves no row', async () => {
    const join = () =>
      client.commands.joinRoom(
        { meta: { ...good, roomId: 'later', commandId: 'j1', actorUserId: 'u1' } },
        { timeoutMs, token: token.u1 },
      );
    const failure = await failureOf(join());
    expect(failure).toMatchObject({ status: 'NOT_FOUND', reason: 'ROOM_NOT_FOUND' });
    expect(await logOf(fleet, 'later')).toEqual([]);
    await freshRoom('later');
    expect(await join()).toMatchObject({ applied: true, replayed: false, roomVersion: 2n });
  });

  it('that was used for something else is refused, and the first result stays (PIPE-12)', async () => {
    const { join, micUp, metaOf } = await freshRoom('reused');
    await join('x1', 'u1');
    await join('x2', 'u2');
    const before = await logOf(fleet, 'reused');
    const u1 = { timeoutMs, token: token.u1 };
    const others = [
      () => join('x1', 'u1', 'another nickname'),
      () => join('x1', 'u2'),
      () => client.commands.leaveRoom({ meta: metaOf('x1', 'u1') }, u1),
      () => micUp('c1', 'u1', 1),
    ];
    for (const call of others) {
      const failure = await failureOf(call());
      expect(failure).toMatchObject({ status: 'ALREADY_EXISTS', reason: 'COMMAND_ID_REUSED' });
    }
    expect(await logOf(fleet, 'reused')).toEqual(before);
    expect(await join('x1', 'u1')).toMatchObject({ applied: true, replayed: true });
  });

  it('of a final no answers the same no for ever, marked as a repeat (PIPE-11, PIPE-15)', async () => {
    const { join, micUp, metaOf } = await freshRoom('taken');
    await join('j1', 'u1');
    await join('j2', 'u2');
    await micUp('m1', 'u1', 1);
    const first = await failureOf(micUp('m2', 'u2', 1));
    expect(first).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'SEAT_TAKEN' });
    expect(first.facts).toMatchObject({ replayed: 'false', produced: 'yes', room_version: '4' });
    const before = await logOf(fleet, 'taken');
    const { commands } = client;
    await commands.leaveRoom({ meta: metaOf('l1', 'u1') }, { timeoutMs, token: token.u1 });
    // The seat is free now, and the answer under this id is still the one that was given.
    const again = await failureOf(micUp('m2', 'u2', 1));
    expect(again.reason).toBe('SEAT_TAKEN');
    expect(again.facts).toEqual({ ...first.facts, replayed: 'true' });
    const rows = await logOf(fleet, 'taken');
    expect(rows.filter(({ commandId }) => commandId === 'm2')).toEqual(
      before.filter(({ commandId }) => commandId === 'm2'),
    );
    expect(rows.find(({ commandId }) => commandId === 'm2')).toMatchObject({
      outcome: 'rejected',
      version: null,
    });
    expect(await micUp('m3', 'u2', 1)).toMatchObject({ applied: true, replayed: false });
  });

  it('sent many times at once is executed once (PIPE-17, ARC-7)', async () => {
    const { join } = await freshRoom('at-once');
    const answers = await Promise.all(Array.from({ length: 20 }, () => join('j1', 'u1')));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(answers.map(({ roomVersion }) => roomVersion))).toEqual(new Set([2n]));
    expect((await logOf(fleet, 'at-once')).map(({ commandId }) => commandId)).toEqual(['c1', 'j1']);
  });

  it('of a CreateRoom without room_id makes one room, however often it is sent', async () => {
    const first = await create({ roomId: '', commandId: 'derived' });
    const again = await create({ roomId: '', commandId: 'derived' });
    expect(again).toMatchObject({ roomId: first.roomId, roomVersion: 1n, replayed: true });
    expect(await logOf(fleet, first.roomId)).toHaveLength(1);
    const taken = await failureOf(create({ roomId: first.roomId, commandId: 'other' }));
    expect(taken).toMatchObject({ status: 'ALREADY_EXISTS', reason: 'ROOM_ALREADY_EXISTS' });
  });
});

describe('a refusal of the room', () => {
  it('of a robot from a user, and of a wrong password, is stored like any final no', async () => {
    const { metaOf, join } = await freshRoom('locked', 'sesame');
    const u1 = { timeoutMs, token: token.u1 };
    const robot = { meta: metaOf('r1', 'u1'), isRobot: true };
    expect(await failureOf(client.commands.joinRoom(robot, u1))).toMatchObject({
      status: 'PERMISSION_DENIED',
      reason: 'ROBOT_NOT_ALLOWED',
    });
    const wrong = await failureOf(
      client.commands.joinRoom({ meta: metaOf('w1', 'u1'), password: 'sesam' }, u1),
    );
    expect(wrong).toMatchObject({ status: 'PERMISSION_DENIED', reason: 'WRONG_PASSWORD' });
    expect(await failureOf(join('w2', 'u1'))).toMatchObject({ reason: 'WRONG_PASSWORD' });
    const right = { meta: metaOf('j1', 'u1'), password: 'sesame' };
    expect(await client.commands.joinRoom(right, u1)).toMatchObject({ applied: true });
    const byBot = { meta: metaOf('r1', 'bot1'), isRobot: true };
    const reused = client.commands.joinRoom(byBot, { timeoutMs, token: token.bot });
    expect((await failureOf(reused)).reason).toBe('COMMAND_ID_REUSED');
    const rows = await logOf(fleet, 'locked');
    expect(Object.fromEntries(rows.map((row) => [row.commandId, row.outcome]))).toEqual({
      c1: 'applied',
      r1: 'rejected',
      w1: 'rejected',
      // The room remembers the wrong password; none at all is no attempt.
      'sys:password-attempt:2': 'applied',
      w2: 'rejected',
      j1: 'applied',
    });
  });
});

describe('a user whom the platform has banned', () => {
  it('is let into no room while the ban lasts, and then into all', async () => {
    const { join } = await freshRoom('guarded');
    await fleet.sql(
      'INSERT INTO user_bans (app_code, user_id, reason, banned_by, banned_at_ms) VALUES ' +
        "(?, 'u1', 'fraud', 'op', 1)",
      [fleetApp],
    );
    expect(await failureOf(join('j1', 'u1'))).toMatchObject({
      status: 'PERMISSION_DENIED',
      reason: 'USER_PLATFORM_BANNED',
      facts: { user_id: 'u1' },
    });
    expect(await join('j2', 'u2')).toMatchObject({ applied: true });
    await fleet.sql("UPDATE user_bans SET expires_at_ms = 2 WHERE user_id = 'u1'", []);
    expect(await failureOf(join('j1', 'u1'))).toMatchObject({ facts: { replayed: 'true' } });
    expect(await join('j3', 'u1')).toMatchObject({ applied: true });
  });
});

describe('a deadline that has passed', () => {
  it('before the cell reads the command, ends it unexecuted and leaves its id free', async () => {
    const { join } = await freshRoom('expired');
    const key = { appCode: fleetApp, roomId: 'expired', commandId: 'j1' };
    const meta = { ...good, ...key, actorUserId: 'u1' };
    const body = { meta, profile: { nickname: 'u1' } };
    // The answer leaves a tenth of this before the caller gives up: enough on a loaded machine, too.
    const brief = { timeoutMs: 1_000, token: token.u1 };
    cell.freeze();
    try {
      const failure = await failureOf(client.commands.joinRoom(body, brief));
      expect(failure).toMatchObject({ status: 'DEADLINE_EXCEEDED', reason: 'OUTCOME_UNKNOWN' });
      expect(failure.facts['produced']).toBe('yes');
      const pending = await client.queries.getCommand(key, brief);
      expect(pending.state).toBe(CommandState.PENDING_POSSIBLE);
    } finally {
      cell.thaw();
    }
    const settled = await client.queries.getCommand(key, { timeoutMs, token: token.u1 });
    expect(settled.state).toBe(CommandState.NOT_EXECUTED);
    expect((await logOf(fleet, 'expired')).map(({ commandId }) => commandId)).toEqual(['c1']);
    expect(await join('j1', 'u1')).toMatchObject({ applied: true, replayed: false });
  });

  it('before the call began, reaches nobody', async () => {
    const produced = await recordsProduced(fleet);
    const meta = { ...good, roomId: 'expired', commandId: 'late' };
    const late = client.commands.leaveRoom({ meta }, { timeoutMs: -1_000, token: token.owner });
    expect((await failureOf(late)).status).toBe('DEADLINE_EXCEEDED');
    expect(await recordsProduced(fleet)).toBe(produced);
  });
});

describe('a question', () => {
  const lookUp = (commandId: string, bearer = token.u1) =>
    client.queries.getCommand(
      { appCode: fleetApp, roomId: 'taken', commandId },
      { timeoutMs, token: bearer },
    );

  it('what became of a command finds applied and rejected ones, and says NOT_EXECUTED', async () => {
    const applied = await lookUp('m1');
    expect(applied).toMatchObject({ state: CommandState.APPLIED, commandType: 'MicUp' });
    expect(applied.result).toMatchObject({ roomVersion: 4n, seatNo: 1 });
    const rejected = await lookUp('m2', token.u2);
    expect(rejected).toMatchObject({ state: CommandState.REJECTED });
    expect(rejected.rejection).toMatchObject({ reason: 'SEAT_TAKEN' });
    expect((await lookUp('never-sent')).state).toBe(CommandState.NOT_EXECUTED);
    expect((await failureOf(lookUp('m1', token.u2))).reason).toBe('PERMISSION_DENIED');
    expect((await failureOf(lookUp('a b'))).facts).toMatchObject({ field: 'command_id' });
  });

  it('for the next page with a cursor that is none of ours is refused', async () => {
    const badCursors = [
      'nonsense',
      Buffer.from('[2,0,"r"]').toString('base64url'),
      'x'.repeat(300),
    ];
    for (const cursor of badCursors) {
      const failure = await failureOf(
        client.queries.listRooms({ appCode: fleetApp, cursor }, byOwner()),
      );
      expect(failure).toMatchObject({ reason: 'INVALID_FIELD', facts: { field: 'cursor' } });
    }
    const first = await client.queries.listRooms({ appCode: fleetApp, pageSize: 2 }, byOwner());
    expect(first.rooms).toHaveLength(2);
    const rest = await client.queries.listRooms(
      { appCode: fleetApp, pageSize: 100, cursor: first.nextCursor },
      byOwner(),
    );
    const ids = [...first.rooms, ...rest.rooms].map(({ roomId }) => roomId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['later', 'reused', 'taken', 'at-once']));
  });

  it('about a room that is not there is answered ROOM_NOT_FOUND', async () => {
    const call = client.queries.getRoomSnapshot({ appCode: fleetApp, roomId: 'nope' }, byOwner());
    expect(await failureOf(call)).toMatchObject({ status: 'NOT_FOUND', reason: 'ROOM_NOT_FOUND' });
  });
});

describe('a heartbeat', () => {
  it('is taken from who is present, refused to who is not, and leaves no row (PRES-13, PRES-22, CMD-4)', async () => {
    const before = await logSize(fleet);
    const beat = (roomId: string, user: 'u1' | 'u2', actorUserId: string = user) =>
      client.commands.roomHeartbeat(
        { meta: { ...good, roomId, commandId: '', actorUserId } },
        { timeoutMs, token: token[user] },
      );
    await beat('at-once', 'u1');
    const absent = await failureOf(beat('at-once', 'u2'));
    expect(absent).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'USER_NOT_PRESENT' });
    expect(absent.facts).toMatchObject({ user_id: 'u2' });
    expect((await failureOf(beat('', 'u1'))).facts).toMatchObject({ field: 'room_id' });
    expect((await failureOf(beat('at-once', 'u1', 'u2'))).reason).toBe('PERMISSION_DENIED');
    const close = { meta: { ...good, roomId: 'reused', commandId: 'end' }, reason: 'over' };
    await client.commands.closeRoom(close, byOwner());
    const closed = await failureOf(beat('reused', 'u1'));
    expect(closed).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'ROOM_CLOSED' });
    // The one row is the closing's.
    expect(await logSize(fleet)).toBe(before + 1);
    const seen = await client.queries.getRoomSnapshot(
      { appCode: fleetApp, roomId: 'at-once' },
      { timeoutMs, token: token.u2 },
    );
    expect(seen.snapshot?.counts?.online).toBe(1);
  });
});

describe('after all that', () => {
  it('every record was settled, and none was set aside', async () => {
    const asides = await fleet.sql('SELECT reason, detail FROM room_dead_letters');
    expect(asides).toEqual([]);
    const produced = await recordsProduced(fleet);
    await waitUntil(
      'all offsets are persisted as applied',
      async () => {
        const [row] = await fleet.sql('SELECT SUM(applied_offset + 1) AS n FROM partition_owner');
        return BigInt(String(row?.['n'])) === produced;
      },
      { limitMs: 20_000, everyMs: 100 },
    );
  });
});
