/** EvictUser of operators: who may, what is written first, and which rooms are told. */
import { describe, expect, test } from 'vitest';
import { partitionOf } from '../../../../src/protocol/partition.ts';
import { roomKeyOf, type RoomId, type UserId } from '../../../../src/domain/ids.ts';
import type { ReplyRecord } from '../../../../src/protocol/records.ts';
import { away, appCode, backend, emptyRegistry, resultReply, user } from '../gateway-fakes.ts';
import {
  bad,
  busy,
  byOperator,
  eviction,
  operatorsRig,
  rejection,
  unheard,
} from './operators-rig.ts';

const isBanned = ({ drivers, time }: ReturnType<typeof operatorsRig>): Promise<boolean> =>
  drivers.roomQueries.isPlatformBanned(appCode, bad, time.wallMs());

describe('who may evict', () => {
  test.each([user, backend])('$role may not, and nothing is written or sent', async (caller) => {
    const rig = operatorsRig();
    rig.enter('r1');
    await expect(rig.operators.evictUser(byOperator({ caller }), eviction())).rejects.toMatchObject(
      { reason: 'PERMISSION_DENIED', facts: { fault: 'no_operator' } },
    );
    expect(rig.sent).toEqual([]);
    expect(rig.database.operatorAudit.size).toBe(0);
    expect(await isBanned(rig)).toBe(false);
  });

  test('an operator may not under another name, nor for another app', async () => {
    const { operators, database } = operatorsRig();
    for (const change of [{ actorUserId: 'op-2' }, { appCode: 'app2' }]) {
      await expect(operators.evictUser(byOperator(), eviction(change))).rejects.toMatchObject({
        reason: 'PERMISSION_DENIED',
      });
    }
    expect(database.operatorAudit.size).toBe(0);
  });

  test('where no tokens are asked for, the request names the operator', async () => {
    const { operators, database } = operatorsRig();
    const nobody = byOperator({ caller: { appCode, subject: '', role: 'operator' } });
    await expect(operators.evictUser(nobody, eviction())).rejects.toMatchObject({
      facts: { field: 'actor_user_id', fault: 'missing' },
    });
    await operators.evictUser(nobody, eviction({ actorUserId: 'dev' }));
    expect([...database.operatorAudit.values()]).toMatchObject([{ operatorId: 'dev' }]);
  });
});

describe('a request', () => {
  test('with faults names all of them', async () => {
    const { operators, database } = operatorsRig();
    const request = eviction({
      commandId: 'sys:x',
      userId: 'a b',
      roomId: 'r 1',
      reason: 'x'.repeat(65),
      expiresAtMs: -1n,
    });
    await expect(operators.evictUser(byOperator(), request)).rejects.toMatchObject({
      reason: 'INVALID_FIELD',
      facts: {
        field: 'command_id',
        field_2: 'user_id',
        field_3: 'room_id',
        field_4: 'reason',
        field_5: 'expires_at_ms',
        fault_count: '5',
      },
    });
    expect(database.operatorAudit.size).toBe(0);
  });

  test('of an app whose name is none writes nothing', async () => {
    const { operators, database } = operatorsRig();
    const caller = { appCode: 'a b', subject: 'op-1', role: 'operator' } as const;
    await expect(
      operators.evictUser(byOperator({ caller }), eviction({ appCode: 'a b' })),
    ).rejects.toMatchObject({ facts: { field: 'app_code', fault: 'malformed' } });
    expect(database.operatorAudit.size).toBe(0);
  });

  test('for one room takes no end of a ban', async () => {
    const { operators } = operatorsRig();
    const request = eviction({ roomId: 'r1', expiresAtMs: 9n });
    await expect(operators.evictUser(byOperator(), request)).rejects.toMatchObject({
      facts: { field: 'expires_at_ms', fault: 'there is no ban' },
    });
  });

  test('with an end that has passed writes nothing', async () => {
    const rig = operatorsRig();
    const expiresAtMs = BigInt(rig.time.wallMs());
    await expect(
      rig.operators.evictUser(byOperator(), eviction({ expiresAtMs })),
    ).rejects.toMatchObject({ reason: 'BAN_END_PAST' });
    expect(rig.database.operatorAudit.size).toBe(0);
    const later = eviction({ expiresAtMs: expiresAtMs + 1n });
    expect(await rig.operators.evictUser(byOperator(), later)).toMatchObject({ banned: true });
  });

  test('of a deployment that takes no evictions yet writes no ban', async () => {
    const schemaRegistry = { ...emptyRegistry, level: () => Promise.resolve(1) };
    const { operators, database } = operatorsRig({ schemaRegistry });
    await expect(operators.evictUser(byOperator(), eviction())).rejects.toMatchObject({
      reason: 'NOT_YET_ENABLED',
    });
    expect(database.operatorAudit.size).toBe(0);
  });

  test('whose id stands for another act is refused, and nobody is evicted', async () => {
    const { operators, enter, sent } = operatorsRig();
    await operators.evictUser(byOperator(), eviction());
    enter('r1');
    await expect(
      operators.evictUser(byOperator(), eviction({ reason: 'other' })),
    ).rejects.toMatchObject({ reason: 'COMMAND_ID_REUSED' });
    expect(sent).toEqual([]);
  });
});

describe('without a room', () => {
  test('the ban stands before the first room is told', async () => {
    const rig = operatorsRig();
    rig.enter('r1', 'r2');
    const { onEvict } = rig.room;
    const bans: boolean[] = [];
    rig.room.onEvict = async (...args) => {
      bans.push(await isBanned(rig));
      return onEvict(...args);
    };
    expect(await rig.operators.evictUser(byOperator(), eviction())).toEqual({
      banned: true,
      roomsEvicted: ['r1', 'r2'],
      roomsUnknown: [],
    });
    expect(bans).toEqual([true, true]);
    expect(rig.database.userBans.get(`${appCode}\0${bad}`)).toMatchObject({
      reason: 'spam',
      bannedBy: 'op-1',
      expiresAtMs: 0,
    });
  });

  test('each room gets one EvictUser of the operator, under the call’s id, without a deadline', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    await rig.operators.evictUser(byOperator(), eviction());
    const [one] = rig.sent;
    expect(rig.sent).toHaveLength(1);
    expect(one?.record).toEqual({
      kind: 'command',
      appCode,
      roomId: 'r1',
      commandId: 'e1',
      actorUserId: 'op-1',
      actorRole: 'operator',
      clientTimeMs: 0,
      snapshotMode: 'none',
      body: { type: 'EvictUser', userId: bad, reason: 'spam' },
    });
    expect(one?.request.ttlMs).toBeNull();
    expect(one?.request.partition).toBe(partitionOf(roomKeyOf(appCode, 'r1' as RoomId), 8));
    expect(one?.request.timeoutMs).toBeGreaterThan(4_000);
    expect(one?.request.timeoutMs).toBeLessThan(5_000);
  });

  test('rooms of other users are left alone', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const request = eviction({ userId: 'good' as UserId });
    expect(await rig.operators.evictUser(byOperator(), request)).toMatchObject({
      roomsEvicted: [],
    });
    expect(rig.sent).toEqual([]);
  });

  test('a repeat of an eviction whose ban was lifted evicts nobody', async () => {
    const rig = operatorsRig();
    await rig.operators.evictUser(byOperator(), eviction());
    const lift = { appCode, commandId: 'l1', actorUserId: '', userId: bad, reason: '' };
    await rig.operators.liftPlatformBan(byOperator(), lift);
    rig.enter('r1');
    expect(await rig.operators.evictUser(byOperator(), eviction())).toEqual({
      banned: false,
      roomsEvicted: [],
      roomsUnknown: [],
    });
    expect(rig.sent).toEqual([]);
    expect(await isBanned(rig)).toBe(false);
  });

  test('a repeat under a ban that stands takes the user out of what is left', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const { onEvict } = rig.room;
    rig.room.onEvict = () => unheard;
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: [],
      roomsUnknown: ['r1'],
    });
    rig.room.onEvict = onEvict;
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1'],
      roomsUnknown: [],
    });
    expect(rig.told()).toEqual(['r1 e1', 'r1 e1']);
  });

  test.each(['isPlatformBanned', 'roomsOfUser'] as const)(
    'an outage behind the ban (%s) is an unknown outcome and not "nothing was done"',
    async (method) => {
      const { drivers } = operatorsRig();
      const roomQueries = {
        isPlatformBanned: () => Promise.resolve(true),
        roomsOfUser: () => Promise.resolve([]),
        [method]: () => Promise.reject(away()),
      };
      const rig = operatorsRig({ roomQueries, operatorStore: drivers.operatorStore });
      await expect(rig.operators.evictUser(byOperator(), eviction())).rejects.toMatchObject({
        reason: 'OUTCOME_UNKNOWN',
      });
    },
  );

  test('a ban whose write was not answered is an unknown outcome', async () => {
    const rig = operatorsRig();
    rig.database.server.faults.push({ port: 'operators', kind: 'answerLost' });
    await expect(rig.operators.evictUser(byOperator(), eviction())).rejects.toMatchObject({
      reason: 'OUTCOME_UNKNOWN',
    });
    expect(await isBanned(rig)).toBe(true);
  });
});

describe('with a room', () => {
  const request = eviction({ roomId: 'r9' });

  test('in which the user is not, the user counts as out of it', async () => {
    const rig = operatorsRig();
    rig.room.onEvict = () => ({ kind: 'reply', reply: resultReply({ outcome: 'no_effect' }) });
    expect(await rig.operators.evictUser(byOperator(), request)).toMatchObject({
      roomsEvicted: ['r9'],
      roomsUnknown: [],
    });
  });

  test.each([
    { kind: 'result', resultBytes: new Uint8Array([1]), replayed: false, view: null },
    { kind: 'heartbeats', items: [] },
  ])('whose answer cannot be read ($kind) is an unknown one', async (reply) => {
    const rig = operatorsRig();
    rig.room.onEvict = () => ({ kind: 'reply', reply: reply as unknown as ReplyRecord });
    expect(await rig.operators.evictUser(byOperator(), request)).toMatchObject({
      roomsEvicted: [],
      roomsUnknown: ['r9'],
    });
  });

  test('that one alone is told, and nobody is banned', async () => {
    const rig = operatorsRig();
    rig.enter('r1', 'r9');
    expect(await rig.operators.evictUser(byOperator(), request)).toEqual({
      banned: false,
      roomsEvicted: ['r9'],
      roomsUnknown: [],
    });
    expect(rig.told()).toEqual(['r9 e1']);
    expect(await isBanned(rig)).toBe(false);
    expect([...rig.database.operatorAudit.values()]).toMatchObject([{ roomId: 'r9' }]);
  });

  test('its silence is an unknown room', async () => {
    const rig = operatorsRig();
    rig.room.onEvict = () => unheard;
    expect(await rig.operators.evictUser(byOperator(), request)).toMatchObject({
      roomsEvicted: [],
      roomsUnknown: ['r9'],
    });
  });

  test.each([
    ['its no', rejection('ROOM_NOT_FOUND'), 'ROOM_NOT_FOUND'],
    ['its owner that is busy', busy, 'OWNER_BUSY'],
    ['a produce that failed', { kind: 'notSent', cause: 'x' }, 'UNAVAILABLE'],
    ['a table of calls that is full', { kind: 'full' }, 'GATEWAY_BUSY'],
  ] as const)('%s is the answer', async (_what, end, reason) => {
    const rig = operatorsRig();
    rig.room.onEvict = () => end;
    await expect(rig.operators.evictUser(byOperator(), request)).rejects.toMatchObject({ reason });
  });
});
