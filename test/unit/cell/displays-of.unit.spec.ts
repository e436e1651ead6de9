/** What one committed command shows by the display lane. */
import { describe, expect, it } from 'vitest';
import {
  displaysOf,
  type CommittedCommand,
  type DisplayChoice,
} from '../../../src/cell/displays/displays-of.ts';
import type { ImLane, ImLanes } from '../../../src/domain/events/im-lanes.ts';
import type { BatchDisplay } from '../../../src/domain/gift/batch-display.ts';
import type {
  AppCode,
  CommandId,
  EventId,
  GiftId,
  RoomId,
  UserId,
} from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import { given } from '../../support/decider-spec.ts';
import { alice, bob, created, gifted, owner } from '../../support/room-builders.ts';

const imLanes: ImLanes = { byDisplay: new Set(), largeRoomUsers: 200 };
const choice: DisplayChoice = { imLanes, bigWinPercent: 1_000 };

/** A command with these events, each by the lane that is named. */
function committed(imLane: ImLane, ...events: readonly RoomEvent[]): CommittedCommand {
  const rocket = null;
  const gifts = events.flatMap((event) => (event.type === 'RoomGiftSent' ? [event] : []));
  const batchDisplay: BatchDisplay = {
    giftId: 'rose' as GiftId,
    giftCount: 1,
    targetUserIds: gifts.map(({ targetUserId }) => targetUserId),
    totalCoins: 20n,
    comboId: '',
  };
  const fields = gifts.length > 1 ? { batchDisplay } : {};
  return {
    appCode: 'app1' as AppCode,
    roomId: 'r1' as RoomId,
    commandId: 'c1' as CommandId,
    actorUserId: alice,
    body: { type: 'LeaveRoom' },
    decidedAtMs: 1_000,
    result: { outcome: 'applied', roomVersion: 5n as never, reason: '', facts: {}, fields },
    step: {
      version: 5n as never,
      onlineCount: 3,
      eventBytes: new Uint8Array(),
      chainHash: new Uint8Array(),
      forcesSnapshot: false,
      rocket,
      events: events.map((event) => ({
        event,
        eventId: 'e' as EventId,
        envelope: new Uint8Array(),
        destinations: [],
        imLane,
        isSampled: false,
      })),
    },
    state: given(created()).state,
  };
}

const giftTo = (targetUserId: UserId): RoomEvent => gifted(alice, targetUserId, 10n);

describe('what a committed command shows', () => {
  it('a gift to one target has its fact alone', () => {
    expect(displaysOf(committed('outbox', giftTo(bob)), choice)).toEqual([]);
  });

  it('a gift to several is one picture, with all targets and the sum (BATCH-2)', () => {
    const shown = displaysOf(committed('outbox', giftTo(bob), giftTo(owner)), choice);
    expect(shown).toMatchObject([
      {
        kind: 'display',
        identity: ['c1'],
        display: {
          type: 'RoomGiftBatchShown',
          senderUserId: alice,
          targetUserIds: [bob, owner],
          totalCoins: 20n,
        },
      },
    ]);
  });

  it('the one picture takes the place of the single copies on this lane, and of no fact (BATCH-2, RES-17)', () => {
    const shown = displaysOf(committed('display', giftTo(bob), giftTo(owner)), choice);
    expect(shown.map((one) => one.kind)).toEqual(['display']);
    const single = displaysOf(committed('display', giftTo(bob)), choice);
    expect(single.map((one) => one.kind)).toEqual(['fact']);
  });
});

describe('what a lucky gift won', () => {
  const won = (targetUserId: UserId, multiplierPercent: number): RoomEvent => ({
    ...gifted(alice, targetUserId, 10n),
    luckyDraw: {
      drawId: 'd1',
      multiplierPercent,
      prizeCoins: 10n * BigInt(multiplierPercent),
      prize: 'pending',
    },
  });
  const namesOf = (
    events: readonly RoomEvent[],
    bigWinPercent = choice.bigWinPercent,
  ): readonly string[] =>
    displaysOf(committed('outbox', ...events), { ...choice, bigWinPercent }).flatMap((shown) => {
      if (shown.kind !== 'display' || shown.display.type !== 'RoomLuckyWinShown') return [];
      const { targetUserId, multiplierPercent, prizeCoins } = shown.display;
      return [`${shown.key}=${targetUserId} ${multiplierPercent} ${prizeCoins}`];
    });

  it('is shown for each draw that multiplied enough, and for no other (LUCKY-5)', () => {
    expect(namesOf([won(bob, 1_000), won(owner, 999)])).toEqual([`${bob}=${bob} 1000 10000`]);
    expect(namesOf([won(bob, 1_000), won(owner, 5_000)])).toHaveLength(2);
    expect(namesOf([giftTo(bob)])).toEqual([]);
  });

  it('is not shown where nobody wants that (LUCKY-5)', () => {
    expect(namesOf([won(bob, 1_000_000)], 0)).toEqual([]);
  });
});
