/** Pins, lifted bans, the log of a room, and how many long calls run at once. */
import { describe, expect, test } from 'vitest';
import { roomKeyOf, type RoomId } from '../../../../src/domain/ids.ts';
import { put } from '../../../../src/drivers/memory/memory-database.ts';
import type { ListRow } from '../../../../src/drivers/memory/memory-rows.ts';
import { longCallsMax } from '../../../../src/gateway/operators/operators.ts';
import { encodeIdCursor } from '../../../../src/gateway/pages.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import type { LoggedCommand, OperatorStore } from '../../../../src/ports/operator-store.ts';
import { settled } from '../../../support/manual-time.ts';
import { appCode, backend, frame, outcomeOf, resultReply, user } from '../gateway-fakes.ts';
import { bad, byOperator, eviction, operatorsRig } from './operators-rig.ts';

const head = { appCode, commandId: 'p1', actorUserId: '' };
const place = { appCode, roomId: 'r1' };
const page = { ...place, pageSize: 0, cursor: '', unapplied: false };

describe('every other role', () => {
  test.each([user, backend])('$role is denied each call, and nothing is done', async (caller) => {
    const rig = operatorsRig();
    const call = frame({ caller });
    const { operators } = rig;
    const calls = [
      operators.liftPlatformBan(call, { ...head, userId: bad, reason: '' }),
      operators.pinRoom(call, { ...head, roomId: 'r1', pinned: true }),
      operators.getRoomHistory(call, page),
      operators.verifyRoom(call, place),
    ];
    for (const denied of calls) {
      await expect(denied).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
    }
    expect(rig.database.operatorAudit.size).toBe(0);
  });

  test('a caller without a token is nobody', async () => {
    const call = frame({ caller: null, authFault: 'no bearer token' });
    await expect(operatorsRig().operators.verifyRoom(call, place)).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
  });
});

describe('LiftPlatformBan', () => {
  test('lets the user in again and stands in the audit', async () => {
    const { operators, database } = operatorsRig();
    await operators.evictUser(byOperator(), eviction());
    await operators.liftPlatformBan(byOperator(), { ...head, userId: bad, reason: 'mistake' });
    expect(database.userBans.size).toBe(0);
    expect(database.operatorAudit.get(`${appCode}\0p1`)).toMatchObject({
      type: 'LiftPlatformBan',
      operatorId: 'op-1',
      userId: bad,
      reason: 'mistake',
    });
  });

  test('names the fields that are none', async () => {
    const request = { ...head, commandId: '', userId: '', reason: 'x'.repeat(65) };
    await expect(
      operatorsRig().operators.liftPlatformBan(byOperator(), request),
    ).rejects.toMatchObject({
      facts: { field: 'command_id', field_2: 'user_id', field_3: 'reason' },
    });
  });
});

describe('PinRoom', () => {
  test('pins a room of the list, and not one that is unknown', async () => {
    const { operators, database } = operatorsRig();
    const key = roomKeyOf(appCode, 'r1' as RoomId);
    const row = { appCode, roomId: 'r1', pinned: false } as ListRow;
    database.commit([put(database.listEntries, key, row)]);
    await operators.pinRoom(byOperator(), { ...head, roomId: 'r1', pinned: true });
    expect(database.listEntries.get(key)?.pinned).toBe(true);
    await expect(
      operators.pinRoom(byOperator(), { ...head, commandId: 'p2', roomId: 'r2', pinned: true }),
    ).rejects.toMatchObject({ reason: 'ROOM_NOT_FOUND' });
    await expect(
      operators.pinRoom(byOperator(), { ...head, roomId: 'r1', pinned: false }),
    ).rejects.toMatchObject({ reason: 'COMMAND_ID_REUSED' });
  });

  test('names a room id that is none', async () => {
    const request = { ...head, roomId: 'r 1', pinned: true };
    await expect(operatorsRig().operators.pinRoom(byOperator(), request)).rejects.toMatchObject({
      facts: { field: 'room_id', fault: 'malformed' },
    });
  });
});

describe('GetRoomHistory', () => {
  /** Answers each page with commands of these ids and versions; keeps what was asked. */
  function historyRig(...found: [string, bigint][]) {
    const asked: unknown[] = [];
    const answer = (kind: string) => (roomKey: string, from: unknown, limit: number) => {
      asked.push([kind, roomKey, from, limit]);
      const commands = found.map(([commandId, decidedVersion]) => ({ commandId, decidedVersion }));
      return Promise.resolve(commands as unknown as LoggedCommand[]);
    };
    const operatorStore = {
      appliedCommands: answer('applied'),
      unappliedCommands: answer('unapplied'),
    } as unknown as OperatorStore;
    return { asked, operators: operatorsRig({ operatorStore }).operators };
  }
  const roomKey = roomKeyOf(appCode, 'r1' as RoomId);

  test('begins at the newest version and goes on below the last one of a full page', async () => {
    const { operators, asked } = historyRig(['c', 12n], ['b', 11n]);
    const first = await operators.getRoomHistory(byOperator(), { ...page, pageSize: 2 });
    expect(first.commands).toHaveLength(2);
    expect(first.nextCursor).toBe(encodeIdCursor('11'));
    const { nextCursor: cursor } = first;
    await operators.getRoomHistory(byOperator(), { ...page, pageSize: 2, cursor });
    expect(asked).toEqual([
      ['applied', roomKey, null, 2],
      ['applied', roomKey, 11n, 2],
    ]);
  });

  test('of commands that changed nothing goes by their ids', async () => {
    const { operators, asked } = historyRig(['sys:a', 3n], ['b', 1n]);
    const unapplied = { ...page, unapplied: true, pageSize: 2 };
    const { nextCursor } = await operators.getRoomHistory(byOperator(), unapplied);
    await operators.getRoomHistory(byOperator(), { ...unapplied, cursor: nextCursor });
    expect(asked).toEqual([
      ['unapplied', roomKey, '', 2],
      ['unapplied', roomKey, 'b', 2],
    ]);
  });

  test.each(['getRoomHistory', 'verifyRoom'] as const)(
    'takes no room id that is none: %s',
    async (method) => {
      const { operators } = historyRig();
      await expect(
        operators[method](byOperator(), { ...page, roomId: 'r 1' }),
      ).rejects.toMatchObject({ facts: { field: 'room_id', fault: 'malformed' } });
    },
  );

  test('has no further page behind a short one, and twenty rows where none are named', async () => {
    const { operators, asked } = historyRig(['a', 1n]);
    expect(await operators.getRoomHistory(byOperator(), page)).toMatchObject({ nextCursor: '' });
    expect(asked).toEqual([['applied', roomKey, null, 20]]);
  });

  test.each([encodeIdCursor('x'), encodeIdCursor('-1'), 'nothing'])(
    'takes no cursor that is none of its own: %s',
    async (cursor) => {
      await expect(
        historyRig().operators.getRoomHistory(byOperator(), { ...page, cursor }),
      ).rejects.toMatchObject({ facts: { field: 'cursor', fault: 'malformed' } });
    },
  );
});

describe('long calls', () => {
  test('have four places; a further one is refused before anything is written', async () => {
    const rig = operatorsRig();
    const pause = createDeferred<void>();
    rig.room.onEvict = async () => {
      await pause.promise;
      return { kind: 'reply', reply: resultReply() };
    };
    const evict = (n: number) =>
      outcomeOf(
        rig.operators.evictUser(byOperator(), eviction({ commandId: `e${n}`, roomId: 'r1' })),
      );
    const running = Array.from({ length: longCallsMax }, (_, n) => evict(n));
    await settled();
    const further = evict(9);
    await settled();
    expect(further.now()).toMatchObject({ failure: { reason: 'GATEWAY_BUSY' } });
    expect(rig.database.operatorAudit.size).toBe(4);
    pause.resolve();
    await settled();
    expect(running.map((call) => call.now().kind)).toEqual(Array(4).fill('value'));
    const after = evict(10);
    await settled();
    expect(after.now()).toMatchObject({ kind: 'value' });
  });

  test('are calls like all others: counted, and refused in a drain', async () => {
    const { operators, gate, database } = operatorsRig();
    void gate.drain();
    const calls = [
      operators.evictUser(byOperator(), eviction()),
      operators.liftPlatformBan(byOperator(), { ...head, userId: bad, reason: '' }),
      operators.pinRoom(byOperator(), { ...head, roomId: 'r1', pinned: true }),
      operators.getRoomHistory(byOperator(), page),
      operators.verifyRoom(byOperator(), place),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ reason: 'DRAINING' });
    expect(database.operatorAudit.size).toBe(0);
  });
});
