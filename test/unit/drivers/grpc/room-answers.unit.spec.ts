/** Answers through the bytes of the wire, to the last digit (A9). */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import type { GiftId, RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import type { ResultFields } from '../../../../src/domain/room/decision.ts';
import { roomView } from '../../../../src/domain/room/room-view.ts';
import {
  CommandResultSchema,
  RoomSnapshotSchema,
} from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import type { CommandResult } from '../../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { commandResult, roomSnapshot } from '../../../../src/drivers/grpc/room-answers.ts';
import { given } from '../../../support/decider-spec.ts';
import { alice, asUser, bob, created, gifted, joined } from '../../../support/room-builders.ts';

/** 2^53 + 1: the first whole number that a double cannot hold. */
const beyondDoubles = 9_007_199_254_740_993n;

function answered(fields: ResultFields): CommandResult {
  const result = {
    outcome: 'applied',
    roomVersion: beyondDoubles as RoomVersion,
    reason: '',
    facts: {},
    fields,
  } as const;
  const success = { roomId: 'r1', result, replayed: false, view: null };
  const message = create(CommandResultSchema, commandResult(success, new Map()));
  return fromBinary(CommandResultSchema, toBinary(CommandResultSchema, message));
}

describe('the answer to a gift', () => {
  it('brings receipt, balances, heat and rank', () => {
    const fields = {
      billingReceiptId: 'receipt-1',
      coinBalanceAfter: beyondDoubles,
      giftIncomeBalanceAfter: beyondDoubles + 1n,
      roomHeat: 2n ** 63n - 1n,
      giftRank: [
        { userId: 'u9007199254740993' as UserId, coins: beyondDoubles, rank: 1 },
        { userId: 'u9007199254740992' as UserId, coins: beyondDoubles - 1n, rank: 2 },
      ],
    };
    expect(answered(fields)).toMatchObject({ roomVersion: beyondDoubles, ...fields });
  });

  it('to several targets brings the picture for its sender (RES-16)', () => {
    const batchDisplay = {
      giftId: 'rose' as GiftId,
      giftCount: 3,
      targetUserIds: [bob, alice],
      totalCoins: beyondDoubles,
      comboId: '连击-1',
    };
    expect(answered({ batchDisplay })).toMatchObject({ batchDisplay });
    expect(answered({}).batchDisplay).toBeUndefined();
  });

  it('tells a balance of 0 as 0, and one that nobody told as not set', () => {
    const told = answered({ coinBalanceAfter: 0n, giftIncomeBalanceAfter: 0n });
    expect([told.coinBalanceAfter, told.giftIncomeBalanceAfter]).toEqual([0n, 0n]);
    const untold = answered({ billingReceiptId: 'receipt-1' });
    expect(untold.coinBalanceAfter).toBeUndefined();
    expect(untold.giftIncomeBalanceAfter).toBeUndefined();
  });
});

describe('a view', () => {
  it('brings heat and the first places of the rank', () => {
    const { state } = given(
      created(),
      [joined(alice), joined(bob)],
      gifted(alice, bob, beyondDoubles),
      gifted(asUser('u9007199254740993'), bob, beyondDoubles),
    );
    const view = create(RoomSnapshotSchema, roomSnapshot(roomView(state, null, 2), new Map()));
    const read = fromBinary(RoomSnapshotSchema, toBinary(RoomSnapshotSchema, view));
    expect(read.roomHeat).toBe(2n * beyondDoubles);
    expect(read.giftRank).toMatchObject([
      { userId: 'alice', coins: beyondDoubles, rank: 1 },
      { userId: 'u9007199254740993', coins: beyondDoubles, rank: 2 },
    ]);
  });
});
