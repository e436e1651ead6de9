/** RoomAdmin over real gRPC: what a request becomes, and what an answer becomes on the wire. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandId, GiftId, RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import { LoggedOutcome } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_admin_pb.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import type { LoggedCommand } from '../../../../src/ports/operator-store.ts';
import { rocketRules } from '../../../support/rocket-builders.ts';
import { failureOf, startRoomServer, tokenOf } from './room-server-rig.ts';

let rig: Awaited<ReturnType<typeof startRoomServer>>;
let token: string;
beforeAll(async () => {
  rig = await startRoomServer();
  token = await tokenOf({ appCode: 'app1', subject: 'op-1', role: 'operator' });
});
afterAll(() => rig.close());

const head = { appCode: 'app1', commandId: 'c1', actorUserId: 'op-1' };
const place = { appCode: 'app1', roomId: 'r1' };
const options = () => ({ timeoutMs: 10_000, token });
const lastAsked = () => rig.api.asked.at(-1);
/** 2^53 + 1: the first whole number that a double cannot hold (A9). */
const beyondDoubles = 9_007_199_254_740_993n;

describe('what operators change', () => {
  test('an eviction, and the rooms it ended in', async () => {
    rig.api.answers.evictUser = { banned: true, roomsEvicted: ['r1', 'r2'], roomsUnknown: ['r3'] };
    const request = { ...head, userId: 'u2', roomId: '', reason: 'spam', expiresAtMs: 17n };
    expect(await rig.admin.evictUser(request, options())).toMatchObject({
      banned: true,
      roomsEvicted: ['r1', 'r2'],
      roomsUnknown: ['r3'],
    });
    expect(lastAsked()).toMatchObject({
      method: 'evictUser',
      what: request,
      frame: { caller: { subject: 'op-1', role: 'operator' } },
    });
    expect(lastAsked()?.frame.remainingMs).toBeGreaterThan(5_000);
  });

  test('a lifted ban and a pin', async () => {
    rig.api.answers.liftPlatformBan = undefined;
    rig.api.answers.pinRoom = undefined;
    const lift = { ...head, userId: 'u2', reason: 'mistake' };
    await rig.admin.liftPlatformBan(lift, options());
    expect(lastAsked()).toMatchObject({ method: 'liftPlatformBan', what: lift });
    const pin = { ...head, roomId: 'r1', pinned: true };
    await rig.admin.pinRoom(pin, options());
    expect(lastAsked()).toMatchObject({ method: 'pinRoom', what: pin });
  });
});

describe('what operators read', () => {
  test('a page of a room’s log', async () => {
    const command: LoggedCommand = {
      commandId: 'c9' as CommandId,
      commandType: 'KickUser',
      actorUserId: 'u1' as UserId,
      outcome: 'applied',
      decidedVersion: beyondDoubles as RoomVersion,
      decidedAtMs: 1_700_000_000_000,
      partition: 3,
      kafkaOffset: beyondDoubles,
      epoch: 7n,
      ownerNodeId: 'cell-1',
      eventTypes: ['RoomUserKicked'],
    };
    const timer: LoggedCommand = { ...command, outcome: 'no_effect', kafkaOffset: null };
    const no: LoggedCommand = { ...command, outcome: 'rejected', kafkaOffset: 0n };
    rig.api.answers.getRoomHistory = { commands: [command, timer, no], nextCursor: 'next' };
    const request = { ...place, pageSize: 3, cursor: 'here', unapplied: true };
    const answer = await rig.admin.getRoomHistory(request, options());
    expect(lastAsked()?.what).toMatchObject(request);
    expect(answer.nextCursor).toBe('next');
    expect(answer.commands).toMatchObject([
      {
        commandId: 'c9',
        commandType: 'KickUser',
        actorUserId: 'u1',
        outcome: LoggedOutcome.APPLIED,
        roomVersion: beyondDoubles,
        decidedAtMs: 1_700_000_000_000n,
        partition: 3,
        logOffset: beyondDoubles,
        epoch: 7n,
        ownerNodeId: 'cell-1',
        eventTypes: ['RoomUserKicked'],
      },
      { outcome: LoggedOutcome.NO_EFFECT },
      { outcome: LoggedOutcome.REJECTED, logOffset: 0n },
    ]);
    expect(answer.commands[1]?.logOffset).toBeUndefined();
  });

  test('a verification', async () => {
    const verification = {
      equal: false,
      difference: 'the row and the log differ in the owner',
      roomVersion: beyondDoubles,
      snapshotVersion: 10n,
      logFromVersion: 3n,
      stateHashOfLog: 'aa',
      stateHashOfSnapshot: 'bb',
    };
    rig.api.answers.verifyRoom = verification;
    expect(await rig.admin.verifyRoom(place, options())).toMatchObject(verification);
    expect(lastAsked()?.what).toMatchObject(place);
  });
});

describe('gifts and rocket rules', () => {
  const gift = { giftId: 'rose', coinPrice: beyondDoubles, onSale: true, lucky: true };
  const stored = { ...gift, giftId: 'rose' as GiftId, catalogueVersion: 3n };
  const rules = rocketRules([beyondDoubles], {
    rewards: [{ fromRank: 1, toRank: 3, rewardId: 'frame', quantity: beyondDoubles }],
  });

  test('a page of gifts, and a gift that is set', async () => {
    rig.api.answers.listGifts = { gifts: [stored], nextCursor: 'next' };
    const page = { appCode: 'app1', pageSize: 5, cursor: 'here' };
    expect(await rig.admin.listGifts(page, options())).toMatchObject({
      gifts: [stored],
      nextCursor: 'next',
    });
    expect(lastAsked()?.what).toMatchObject(page);
    rig.api.answers.setGift = stored;
    expect(await rig.admin.setGift({ ...head, gift }, options())).toMatchObject({ gift: stored });
    expect(lastAsked()?.what).toMatchObject({ ...head, gift });
    await rig.admin.setGift(head, options());
    expect(lastAsked()?.what).toMatchObject({ gift: { giftId: '', coinPrice: 0n } });
  });

  test('rules as they are read and set', async () => {
    rig.api.answers.getRocketRules = rules;
    const { rulesVersion, ...body } = rules;
    const read = await rig.admin.getRocketRules({ appCode: 'app1' }, options());
    expect(read).toMatchObject({ rules: body, rulesVersion });
    rig.api.answers.getRocketRules = null;
    const none = await rig.admin.getRocketRules({ appCode: 'app1' }, options());
    expect([none.rules, none.rulesVersion]).toEqual([undefined, 0n]);
    rig.api.answers.setRocketRules = rules;
    const set = { ...head, ...(read.rules === undefined ? {} : { rules: read.rules }) };
    expect(await rig.admin.setRocketRules(set, options())).toMatchObject({ rulesVersion });
    expect(lastAsked()?.what).toMatchObject({ ...head, rules: body });
    await rig.admin.setRocketRules(head, options());
    expect(lastAsked()?.what).toMatchObject({ rules: { levels: [], fuelPerCoin: 0n } });
  });
});

test('a denied caller reads so on the wire', async () => {
  const { verifyRoom } = rig.api;
  rig.api.verifyRoom = () =>
    Promise.reject(
      new Failure('reject', 'PERMISSION_DENIED', 'no', { facts: { fault: 'no_operator' } }),
    );
  const failure = await failureOf(rig.admin.verifyRoom(place, options()));
  rig.api.verifyRoom = verifyRoom;
  expect(failure).toMatchObject({
    status: 'PERMISSION_DENIED',
    reason: 'PERMISSION_DENIED',
    facts: { fault: 'no_operator' },
  });
});
