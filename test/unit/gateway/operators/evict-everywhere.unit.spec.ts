/** The rounds in which a banned user leaves every room. */
import { describe, expect, test, vi } from 'vitest';
import type { ExchangeEnd } from '../../../../src/gateway/exchange.ts';
import { evictionCommandId } from '../../../../src/protocol/derived-ids.ts';
import type { CommandId, RoomId } from '../../../../src/domain/ids.ts';
import { createDeferred } from '../../../../src/kernel/deferred.ts';
import { settled } from '../../../support/manual-time.ts';
import { appCode, outcomeOf, resultReply } from '../gateway-fakes.ts';
import { busy, byOperator, eviction, operatorsRig, rejection, unheard } from './operators-rig.ts';

const done: ExchangeEnd = { kind: 'reply', reply: resultReply() };
const furtherId = (roomId: string, tries: number): string =>
  evictionCommandId(appCode, roomId as RoomId, 'e1' as CommandId, tries);

describe('a join that was judged before the ban', () => {
  test('a join that lands behind the first look is found by the next one', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const { onEvict } = rig.room;
    rig.room.onEvict = (roomId, commandId) => {
      if (roomId === 'r1') rig.enter('r2');
      return onEvict(roomId, commandId);
    };
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1', 'r2'],
      roomsUnknown: [],
    });
    expect(rig.told()).toEqual(['r1 e1', 'r2 e1']);
  });

  test('a room that the user re-entered is left by a command of another id', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const { onEvict } = rig.room;
    const decided = new Set<string>();
    rig.room.onEvict = (roomId, commandId) => {
      // As a room does it: an id that was decided answers its first result and does nothing.
      if (decided.has(commandId)) return done;
      decided.add(commandId);
      const end = onEvict(roomId, commandId);
      if (decided.size === 1) rig.enter('r1');
      return end;
    };
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1'],
      roomsUnknown: [],
    });
    expect(rig.told()).toEqual(['r1 e1', `r1 ${furtherId('r1', 1)}`]);
  });

  test('five rounds are made and no more, and the room is told as unknown', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    rig.room.onEvict = () => done;
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: [],
      roomsUnknown: ['r1'],
    });
    expect(new Set(rig.told()).size).toBe(5);
    expect(rig.sent).toHaveLength(5);
  });
});

describe('a room', () => {
  test('that does not answer is told once, while the others are left', async () => {
    const rig = operatorsRig();
    rig.enter('r1', 'r2', 'r3');
    const { onEvict } = rig.room;
    rig.room.onEvict = (roomId, id) => (roomId === 'r2' ? unheard : onEvict(roomId, id));
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1', 'r3'],
      roomsUnknown: ['r2'],
    });
    expect(rig.sent).toHaveLength(3);
  });

  test('whose answer is lost counts as left when the user is seen to be out', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    rig.room.onEvict = (roomId) => {
      rig.leave(roomId);
      return unheard;
    };
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1'],
      roomsUnknown: [],
    });
  });

  test('that is busy is told again under the same id, after a pause', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const { onEvict } = rig.room;
    rig.room.onEvict = (...args) => (rig.sent.length === 1 ? busy : onEvict(...args));
    const call = outcomeOf(rig.operators.evictUser(byOperator(), eviction()));
    await settled();
    expect(rig.told()).toEqual(['r1 e1']);
    await rig.time.advance(100);
    expect(call.now()).toMatchObject({ value: { roomsEvicted: ['r1'] } });
    expect(rig.told()).toEqual(['r1 e1', 'r1 e1']);
  });

  test('that knows the id for something else is told under a further one', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const { onEvict } = rig.room;
    rig.room.onEvict = (roomId, id) =>
      id === 'e1' ? rejection('COMMAND_ID_REUSED') : onEvict(roomId, id);
    expect(await rig.operators.evictUser(byOperator(), eviction())).toMatchObject({
      roomsEvicted: ['r1'],
    });
    expect(rig.told()).toEqual(['r1 e1', `r1 ${furtherId('r1', 1)}`]);
  });
});

describe('many rooms', () => {
  const names = (count: number): string[] =>
    Array.from({ length: count }, (_, n) => `r${String(n).padStart(4, '0')}`);

  test('are left page by page, and sixteen at once', async () => {
    const rig = operatorsRig();
    rig.enter(...names(450));
    const { onEvict } = rig.room;
    let [atOnce, most] = [0, 0];
    rig.room.onEvict = async (...args) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await settled();
      atOnce -= 1;
      return onEvict(...args);
    };
    const { roomsEvicted } = await rig.operators.evictUser(byOperator(), eviction());
    expect(roomsEvicted).toEqual(names(450));
    expect(rig.sent).toHaveLength(450);
    expect(most).toBe(16);
  });

  test('of which time does not do for all: the rest is not told, and named', async () => {
    const rig = operatorsRig();
    rig.enter(...names(20));
    const looks = vi.spyOn(rig.drivers.roomQueries, 'roomsOfUser');
    const { onEvict } = rig.room;
    const pause = createDeferred<void>();
    rig.room.onEvict = async (...args) => {
      await pause.promise;
      return onEvict(...args);
    };
    const call = outcomeOf(rig.operators.evictUser(byOperator({ remainingMs: 1_000 }), eviction()));
    await settled();
    await rig.time.advance(960);
    pause.resolve();
    await settled();
    expect(call.now()).toMatchObject({
      value: { roomsEvicted: names(16), roomsUnknown: names(20).slice(16) },
    });
    expect(rig.sent).toHaveLength(16);
    expect(looks).toHaveBeenCalledTimes(2);
  });

  test('a caller that hangs up ends the rounds', async () => {
    const rig = operatorsRig();
    rig.enter('r1');
    const aborter = new AbortController();
    rig.room.onEvict = () => {
      aborter.abort();
      return done;
    };
    await rig.operators.evictUser(byOperator({ signal: aborter.signal }), eviction());
    expect(rig.sent).toHaveLength(1);
  });
});
