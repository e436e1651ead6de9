/**
 * Result records and replies between the domain and the wire.
 */
import type { BatchDisplay } from '../domain/gift/batch-display.ts';
import type { LuckyDrawResult } from '../domain/gift/lucky-draw.ts';
import type { RankItem } from '../domain/gift/gift-rank.ts';
import type { ResultFields } from '../domain/room/decision.ts';
import type { PresentUser } from '../domain/room/state.ts';
import type { MicSessionId, RoomVersion } from '../domain/ids.ts';
import type { RoomView } from '../domain/room/room-view.ts';
import type { HeartbeatReply, RefusalReply, ReplyRecord, ResultRecord } from './records.ts';
import type { ResultReply } from './records.ts';
import { userFromWire } from './state-mapping.ts';
import { rankItemFromWire, viewFromWire } from './view-mapping.ts';
import { WireFault } from './wire-fault.ts';
import { branchOf, factsFromWire, factsToWire, known, openBranch } from './wire-shape.ts';
import type { NamedFact, Wire } from './wire-shape.ts';

/** The result as the encoder takes it. */
export function resultToWire(record: ResultRecord): unknown {
  // A field that is not there is written as its default, null.
  return { ...record, facts: factsToWire(record.facts) };
}

/** The result that a decoded value holds. */
export function resultFromWire(wire: unknown): ResultRecord {
  const record = wire as WireResult;
  return {
    outcome: known(record.outcome, 'outcome'),
    roomVersion: record.roomVersion,
    reason: record.reason,
    facts: factsFromWire(record.facts),
    fields: fieldsFromWire(record.fields),
  };
}

/** The reply as the encoder takes it. */
export function replyToWire(record: ReplyRecord): unknown {
  switch (record.kind) {
    case 'result': {
      const resultBytes = Buffer.from(record.resultBytes);
      return { content: branchOf('ResultReply', { ...record, resultBytes }) };
    }
    case 'refusal': {
      const facts = factsToWire(record.facts);
      return { content: branchOf('RefusalReply', { ...record, facts }) };
    }
    case 'heartbeats':
      return { content: branchOf('HeartbeatReply', record) };
  }
}

/** The reply that a decoded value holds. Throws WireFault on a kind of a newer release. */
export function replyFromWire(wire: unknown): ReplyRecord {
  const content = openBranch((wire as { readonly content: unknown }).content);
  switch (content?.name) {
    case 'ResultReply':
      return resultReply(content.value as Wire<ResultReply>);
    case 'RefusalReply':
      return refusalReply(content.value as WireRefusal);
    case 'HeartbeatReply':
      return heartbeatReply(content.value as Wire<HeartbeatReply>);
    default:
      throw new WireFault(`reply of unknown kind ${content?.name ?? 'null'}`);
  }
}

interface WireResult {
  readonly outcome: Wire<ResultRecord['outcome']>;
  readonly roomVersion: RoomVersion;
  readonly reason: string;
  readonly facts: readonly NamedFact[];
  readonly fields: WireFields;
}

interface WireFields {
  readonly user: Wire<PresentUser> | null;
  readonly seatNo: number | null;
  readonly micSessionId: MicSessionId | null;
  readonly publishDeadlineMs: number | null;
  readonly billingReceiptId: string | null;
  readonly coinBalanceAfter: bigint | null;
  readonly giftIncomeBalanceAfter: bigint | null;
  readonly roomHeat: bigint | null;
  readonly giftRank: readonly Wire<RankItem>[] | null;
  readonly batchDisplay: Wire<BatchDisplay> | null;
  readonly luckyDraws: readonly Wire<LuckyDrawResult>[] | null;
}

type WireRefusal = Omit<RefusalReply, 'facts'> & { readonly facts: readonly NamedFact[] };

/** Null on the wire is an absent field here. */
function fieldsFromWire(wire: WireFields): ResultFields {
  return {
    ...giftFieldsFromWire(wire),
    ...(wire.user === null ? {} : { user: userFromWire(wire.user) }),
    ...(wire.seatNo === null ? {} : { seatNo: wire.seatNo }),
    ...(wire.micSessionId === null ? {} : { micSessionId: wire.micSessionId }),
    ...(wire.publishDeadlineMs === null ? {} : { publishDeadlineMs: wire.publishDeadlineMs }),
  };
}

function giftFieldsFromWire(wire: WireFields): ResultFields {
  const { billingReceiptId, coinBalanceAfter, giftIncomeBalanceAfter, roomHeat, giftRank } = wire;
  return {
    ...(billingReceiptId === null ? {} : { billingReceiptId }),
    ...(coinBalanceAfter === null ? {} : { coinBalanceAfter }),
    ...(giftIncomeBalanceAfter === null ? {} : { giftIncomeBalanceAfter }),
    ...(roomHeat === null ? {} : { roomHeat }),
    ...(giftRank === null ? {} : { giftRank: giftRank.map(rankItemFromWire) }),
    ...(wire.batchDisplay === null ? {} : { batchDisplay: batchFromWire(wire.batchDisplay) }),
    ...(wire.luckyDraws === null ? {} : { luckyDraws: wire.luckyDraws.map(drawFromWire) }),
  };
}

function batchFromWire(wire: Wire<BatchDisplay>): BatchDisplay {
  const { giftId, giftCount, targetUserIds, totalCoins, comboId } = wire;
  return { giftId, giftCount, targetUserIds, totalCoins, comboId };
}

function drawFromWire(wire: Wire<LuckyDrawResult>): LuckyDrawResult {
  const { targetUserId, giftId, giftCount, drawId, multiplierPercent, prizeCoins } = wire;
  const { prizeReceiptId, balanceAfter } = wire;
  const prize = known(wire.prize, 'LuckyDrawResult.prize');
  const draw = { drawId, multiplierPercent, prizeCoins, prize, prizeReceiptId, balanceAfter };
  return { targetUserId, giftId, giftCount, ...draw };
}

function resultReply(wire: Wire<ResultReply>): ResultReply {
  const { resultBytes, replayed, view } = wire;
  return { kind: 'result', resultBytes, replayed, view: readableView(view) };
}

/**
 * A view that shows something of a newer release is left out. The outcome of the command stands
 * beside it and must reach the caller; a client without a view asks for one.
 */
function readableView(view: Wire<RoomView> | null): RoomView | null {
  if (view === null) return null;
  try {
    return viewFromWire(view);
  } catch (error) {
    if (error instanceof WireFault) return null;
    throw error;
  }
}

function refusalReply(wire: WireRefusal): RefusalReply {
  const { reason, facts, retryAfterMs } = wire;
  return { kind: 'refusal', reason, facts: factsFromWire(facts), retryAfterMs };
}

function heartbeatReply(wire: Wire<HeartbeatReply>): HeartbeatReply {
  const { heardAtMs, notPresent, notActive, micStale } = wire;
  return { kind: 'heartbeats', heardAtMs, notPresent, notActive, micStale };
}
