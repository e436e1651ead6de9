/**
 * The values whose bytes release 0.2.0 wrote into this folder: those of 0.1.0 in the schemas of this
 * release, and what came with it, gifts, heat and rank. Values gain a field's default when a later
 * release adds a field; nothing else here may ever change.
 */
import { topOfGiftSenders } from '../../../src/domain/gift/gift-rank.ts';
import type { RankItem } from '../../../src/domain/gift/gift-rank.ts';
import type { GiftId, RoomVersion, UserId } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type { GiftSender, RoomState } from '../../../src/domain/room/state.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import type {
  CommandTopicRecord,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
  SnapshotRecord,
} from '../../../src/protocol/records.ts';
import * as former from '../0.1.0/samples.ts';

const ann = 'u9007199254740993' as UserId;
const bob = 'u9007199254740992' as UserId;
const rose = 'gift:rose' as GiftId;
const heat = 9223372036854775807n;
const coins = 9007199254740993n;

const senders: readonly GiftSender[] = [
  { userId: ann, coins, reachedAtVersion: 9007199254740993n as RoomVersion },
  { userId: bob, coins: 1n, reachedAtVersion: 9007199254740992n as RoomVersion },
];

const giftRank: readonly RankItem[] = [
  { userId: ann, coins, rank: 1 },
  { userId: bob, coins: 1n, rank: 2 },
];

const gift: RoomEvent = {
  type: 'RoomGiftSent',
  senderUserId: ann,
  targetUserId: bob,
  giftId: rose,
  giftCount: 9_999,
  coins,
  unitPrice: 900719925474n,
  catalogueVersion: 9007199254740993n,
  comboId: '连击-1',
  billingReceiptId: 'receipt/9007199254740993',
  luckyDraw: null,
  isUncounted: false,
};

const closed: RoomEvent = {
  type: 'RoomClosed',
  closedByUserId: ann,
  closedByKind: 'system',
  reason: 'idle',
  note: '',
  finalOnlineCount: 1,
  finalHeat: heat,
};

/** Records of the commands topic. */
export const commands: readonly CommandTopicRecord[] = [
  ...former.commands,
  {
    ...(former.commands[0] as Extract<CommandTopicRecord, { kind: 'command' }>),
    body: {
      type: 'SendGift',
      giftId: rose,
      giftCount: 9_999,
      targetUserIds: [bob, ann],
      comboId: '连击-1',
    },
  },
];

/** Result records: a gift to one with everything said, and balances of 0, which are not absent. */
export const results: readonly ResultRecord[] = [
  ...former.results,
  {
    outcome: 'applied',
    roomVersion: 9007199254740993n as RoomVersion,
    reason: '',
    facts: {},
    fields: {
      billingReceiptId: 'receipt/9007199254740993',
      coinBalanceAfter: coins,
      giftIncomeBalanceAfter: coins,
      roomHeat: heat,
      giftRank,
    },
  },
  {
    outcome: 'applied',
    roomVersion: 2n as RoomVersion,
    reason: '',
    facts: {},
    fields: { billingReceiptId: '', coinBalanceAfter: 0n, roomHeat: 0n, giftRank: [] },
  },
];

/** Replies of every kind. */
export const replies: readonly ReplyRecord[] = [...former.replies, replyWithGifts()];

/** Every event, secrets included. */
export const events: readonly RoomEvent[] = [...former.events, gift, closed];

/** Envelopes of every event type. */
export const envelopes: readonly EventEnvelope[] = [
  ...former.envelopes,
  ...[gift, closed].map((event) => ({
    ...(former.envelopes[0] as EventEnvelope),
    eventType: event.type,
    event,
  })),
];

/** Snapshots. */
export const snapshots: readonly SnapshotRecord[] = [...former.snapshots, { state: giftedRoom() }];

function replyWithGifts(): ReplyRecord {
  const reply = former.replies[0] as Extract<ReplyRecord, { kind: 'result' }>;
  return { ...reply, view: reply.view === null ? null : { ...reply.view, roomHeat: heat, giftRank } };
}

function giftedRoom(): RoomState {
  const { state } = former.snapshots[0] as SnapshotRecord;
  const giftSenders = senders.reduce(
    (map, sender) => map.set(sender.userId, sender),
    emptyPersistentMap<GiftSender>(),
  );
  const topGiftSenders = topOfGiftSenders(senders);
  const { closeInfo } = state;
  return {
    ...state,
    heat,
    giftSenders,
    topGiftSenders,
    closeInfo: closeInfo === null ? null : { ...closeInfo, finalHeat: heat },
  };
}
