/**
 * Events between the domain and the wire, in their two forms: complete in the log row, and without
 * secrets in the envelope. The difference lies in the schemas (the envelope's has no field for a
 * secret), so nothing here could forget to leave one out.
 *
 * A log is read strictly: a type or symbol that this release lacks is a fault, because a state
 * rebuilt without it would be wrong. An envelope is read as far as possible, since whoever takes it
 * only passes it on: a reason that we lack is `unknown`, and an event that we lack is null beside
 * its `eventType`.
 */
import type { LuckyDraw } from '../domain/gift/lucky-draw.ts';
import type { RoomEvent, RoomEventType } from '../domain/room/events.ts';
import { profileFromWire, roomProfileFromWire } from './command-mapping.ts';
import type { EnvelopeEvent, EventEnvelope } from './records.ts';
import { rocketRewardFromWire, rocketWinnerFromWire } from './rocket-mapping.ts';
import { WireFault } from './wire-fault.ts';
import { branchOf, known, openBranch, unknownSymbol } from './wire-shape.ts';
import type { Wire, WireVariant } from './wire-shape.ts';

/** What to do with a reason that this release lacks: refuse it, or call it `unknown`. */
type ReadReason = <Symbol extends string>(
  symbol: Symbol,
  field: string,
) => Exclude<Symbol, typeof unknownSymbol> | 'unknown';

type EventReaders = {
  readonly [T in RoomEventType]: (
    fields: WireVariant<RoomEvent, T>,
    readReason: ReadReason,
  ) => Extract<EnvelopeEvent, { type: T }>;
};

const eventReaders: EventReaders = {
  RoomCreated: (fields) => ({
    type: 'RoomCreated',
    ownerUserId: fields.ownerUserId,
    title: fields.title,
    coverUrl: fields.coverUrl,
    backgroundUrl: fields.backgroundUrl,
    seatCount: fields.seatCount,
    mode: known(fields.mode, 'RoomCreated.mode'),
    visibleRegionId: fields.visibleRegionId,
    passwordHash: secretText(fields.passwordHash),
    tags: fields.tags,
    ext: fields.ext,
  }),
  RoomUserJoined: (fields) => ({
    type: 'RoomUserJoined',
    userId: fields.userId,
    profile: profileFromWire(fields.profile),
    isRobot: fields.isRobot,
  }),
  RoomUserUpdated: (fields) => ({
    type: 'RoomUserUpdated',
    userId: fields.userId,
    profile: profileFromWire(fields.profile),
  }),
  RoomUserLeft: (fields, readReason) => ({
    type: 'RoomUserLeft',
    userId: fields.userId,
    reason: readReason(fields.reason, 'RoomUserLeft.reason'),
  }),
  RoomMicUp: (fields) => ({
    type: 'RoomMicUp',
    userId: fields.userId,
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
    publishDeadlineMs: fields.publishDeadlineMs,
  }),
  RoomMicPublishing: (fields) => ({
    type: 'RoomMicPublishing',
    userId: fields.userId,
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
    publishEventTimeMs: fields.publishEventTimeMs,
  }),
  RoomMicDown: (fields, readReason) => ({
    type: 'RoomMicDown',
    userId: fields.userId,
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
    reason: readReason(fields.reason, 'RoomMicDown.reason'),
    onMicMs: fields.onMicMs,
  }),
  RoomClosed: (fields, readReason) => ({
    type: 'RoomClosed',
    closedByUserId: fields.closedByUserId,
    closedByKind: readReason(fields.closedByKind, 'RoomClosed.closedByKind'),
    reason: fields.reason,
    note: fields.note,
    finalOnlineCount: fields.finalOnlineCount,
    finalHeat: fields.finalHeat,
  }),
  RoomClosing: (fields, readReason) => ({
    type: 'RoomClosing',
    closedByUserId: fields.closedByUserId,
    closedByKind: readReason(fields.closedByKind, 'RoomClosing.closedByKind'),
    reason: fields.reason,
    note: fields.note,
    closesAtMs: fields.closesAtMs,
  }),
  RoomDeleted: (fields, readReason) => ({
    type: 'RoomDeleted',
    byUserId: fields.byUserId,
    byKind: readReason(fields.byKind, 'RoomDeleted.byKind'),
    reason: fields.reason,
    note: fields.note,
  }),
  RoomProfileUpdated: (fields) => ({
    type: 'RoomProfileUpdated',
    byUserId: fields.byUserId,
    profile: roomProfileFromWire(fields.profile),
  }),
  RoomSeatCountChanged: (fields) => ({
    type: 'RoomSeatCountChanged',
    byUserId: fields.byUserId,
    seatCount: fields.seatCount,
  }),
  RoomPasswordChanged: (fields) => ({
    type: 'RoomPasswordChanged',
    byUserId: fields.byUserId,
    passwordHash: secretText(fields.passwordHash),
    locked: fields.locked,
    passwordVersion: fields.passwordVersion,
  }),
  RoomPasswordAttemptFailed: (fields) => ({
    type: 'RoomPasswordAttemptFailed',
    userId: fields.userId,
    attempts: fields.attempts,
    windowStartedAtMs: fields.windowStartedAtMs,
  }),
  RoomModeChanged: (fields) => ({
    type: 'RoomModeChanged',
    byUserId: fields.byUserId,
    mode: known(fields.mode, 'RoomModeChanged.mode'),
  }),
  RoomVisibleRegionChanged: (fields) => ({
    type: 'RoomVisibleRegionChanged',
    byUserId: fields.byUserId,
    visibleRegionId: fields.visibleRegionId,
  }),
  RoomAdminChanged: (fields) => ({
    type: 'RoomAdminChanged',
    byUserId: fields.byUserId,
    userId: fields.userId,
    isAdmin: fields.isAdmin,
  }),
  RoomOwnerTransferred: (fields) => ({
    type: 'RoomOwnerTransferred',
    byUserId: fields.byUserId,
    fromUserId: fields.fromUserId,
    toUserId: fields.toUserId,
  }),
  RoomUsersStaleLeft: (fields) => ({
    type: 'RoomUsersStaleLeft',
    userIds: fields.userIds,
  }),
  RoomUserKicked: (fields) => ({
    type: 'RoomUserKicked',
    userId: fields.userId,
    byUserId: fields.byUserId,
    reason: fields.reason,
    expiresAtMs: fields.expiresAtMs,
  }),
  RoomUserUnbanned: (fields, readReason) => ({
    type: 'RoomUserUnbanned',
    userId: fields.userId,
    byUserId: fields.byUserId,
    reason: readReason(fields.reason, 'RoomUserUnbanned.reason'),
  }),
  RoomUserEvicted: (fields) => ({
    type: 'RoomUserEvicted',
    userId: fields.userId,
    byUserId: fields.byUserId,
    reason: fields.reason,
  }),
  RoomMicRtcNoted: (fields) => ({
    type: 'RoomMicRtcNoted',
    userId: fields.userId,
    seatNo: fields.seatNo,
    micSessionId: fields.micSessionId,
    publishEventTimeMs: fields.publishEventTimeMs,
  }),
  RoomMicSeatChanged: (fields) => ({
    type: 'RoomMicSeatChanged',
    userId: fields.userId,
    fromSeatNo: fields.fromSeatNo,
    toSeatNo: fields.toSeatNo,
    micSessionId: fields.micSessionId,
    publishDeadlineMs: fields.publishDeadlineMs,
  }),
  RoomMicSeatLocked: (fields) => ({
    type: 'RoomMicSeatLocked',
    seatNo: fields.seatNo,
  }),
  RoomMicSeatUnlocked: (fields) => ({
    type: 'RoomMicSeatUnlocked',
    seatNo: fields.seatNo,
  }),
  RoomMicSeatMuted: (fields) => ({
    type: 'RoomMicSeatMuted',
    seatNo: fields.seatNo,
    muted: fields.muted,
  }),
  RoomMicRequested: (fields, readReason) => ({
    type: 'RoomMicRequested',
    kind: readReason(fields.kind, 'RoomMicRequested.kind'),
    userId: fields.userId,
    byUserId: fields.byUserId,
    seatNo: fields.seatNo,
    expiresAtMs: fields.expiresAtMs,
  }),
  RoomMicRequestEnded: (fields, readReason) => ({
    type: 'RoomMicRequestEnded',
    kind: known(fields.kind, 'RoomMicRequestEnded.kind'),
    userId: fields.userId,
    byUserId: fields.byUserId,
    end: readReason(fields.end, 'RoomMicRequestEnded.end'),
  }),
  RoomGiftSent: (fields) => ({
    type: 'RoomGiftSent',
    senderUserId: fields.senderUserId,
    targetUserId: fields.targetUserId,
    giftId: fields.giftId,
    giftCount: fields.giftCount,
    coins: fields.coins,
    unitPrice: fields.unitPrice,
    catalogueVersion: fields.catalogueVersion,
    comboId: fields.comboId,
    billingReceiptId: fields.billingReceiptId,
    luckyDraw: luckyDrawFromWire(fields.luckyDraw),
    isUncounted: fields.isUncounted,
  }),
  RoomRocketFueled: (fields) => ({
    type: 'RoomRocketFueled',
    userId: fields.userId,
    coins: fields.coins,
    fuel: fields.fuel,
    roundNo: fields.roundNo,
    level: fields.level,
    fuelTarget: fields.fuelTarget,
    rulesVersion: fields.rulesVersion,
  }),
  RoomRocketIgnited: (fields) => ({
    type: 'RoomRocketIgnited',
    roundNo: fields.roundNo,
    level: fields.level,
    fuel: fields.fuel,
    igniterUserId: fields.igniterUserId,
    launchAtMs: fields.launchAtMs,
    rulesVersion: fields.rulesVersion,
    carriedFuel: fields.carriedFuel,
    minimumContribution: fields.minimumContribution,
    rewards: fields.rewards.map(rocketRewardFromWire),
    nextLevel: fields.nextLevel,
    nextFuelTarget: fields.nextFuelTarget,
  }),
  RoomRocketLaunched: (fields) => ({
    type: 'RoomRocketLaunched',
    roundNo: fields.roundNo,
    level: fields.level,
    igniterUserId: fields.igniterUserId,
    launchAtMs: fields.launchAtMs,
    rulesVersion: fields.rulesVersion,
    winners: fields.winners.map(rocketWinnerFromWire),
    nextRoundNo: fields.nextRoundNo,
    nextLevel: fields.nextLevel,
    nextFuelTarget: fields.nextFuelTarget,
    nextFuel: fields.nextFuel,
  }),
};

/** Which field of an event an envelope may carry as `unknown`. */
const softFields: { readonly [T in RoomEventType]?: string } = {
  RoomUserLeft: 'reason',
  RoomMicDown: 'reason',
  RoomClosed: 'closedByKind',
  RoomClosing: 'closedByKind',
  RoomDeleted: 'byKind',
  RoomUserUnbanned: 'reason',
  RoomMicRequested: 'kind',
  RoomMicRequestEnded: 'end',
};

/** A command's events for its log row. */
export function loggedEventsToWire(events: readonly RoomEvent[]): unknown {
  return { events: events.map((event) => branchOf(event.type, event)) };
}

/** The events of a log row. Throws WireFault on anything that this release lacks. */
export function loggedEventsFromWire(wire: unknown): readonly RoomEvent[] {
  const { events } = wire as { readonly events: readonly unknown[] };
  return events.map((event) => {
    const branch = openBranch(event);
    const read = readerOf(branch?.name ?? '');
    if (branch === null || read === null) {
      throw new WireFault(`unknown event type ${branch?.name ?? 'null'}`);
    }
    return read(branch.value, known) as RoomEvent;
  });
}

/** The envelope as the encoder takes it. */
export function envelopeToWire(envelope: EventEnvelope): unknown {
  return { ...envelope, event: envelope.event === null ? null : eventToWire(envelope.event) };
}

/** The envelope that a decoded value holds. Throws WireFault when type and event disagree. */
export function envelopeFromWire(wire: unknown): EventEnvelope {
  const fields = wire as WireEnvelope;
  const event = readableEvent(fields.event);
  if (event !== null && event.type !== fields.eventType) {
    throw new WireFault(`an envelope of ${fields.eventType} holds ${event.type}`);
  }
  return {
    eventId: fields.eventId,
    appCode: fields.appCode,
    roomId: fields.roomId,
    eventType: fields.eventType,
    roomVersion: fields.roomVersion,
    eventIndex: fields.eventIndex,
    occurredAtMs: fields.occurredAtMs,
    commandId: fields.commandId,
    actorUserId: fields.actorUserId,
    event,
  };
}

function luckyDrawFromWire(wire: Wire<LuckyDraw> | null): LuckyDraw | null {
  if (wire === null) return null;
  const { drawId, multiplierPercent, prizeCoins } = wire;
  return { drawId, multiplierPercent, prizeCoins, prize: known(wire.prize, 'LuckyDraw.prize') };
}

type WireEnvelope = Wire<Omit<EventEnvelope, 'event'>> & { readonly event: unknown };

type AnyReader = (fields: unknown, readReason: ReadReason) => EnvelopeEvent;

/** A secret is '' where the schema has no field for it. */
function secretText(text: string | undefined): string {
  return text ?? '';
}

function readerOf(type: string): AnyReader | null {
  return Object.hasOwn(eventReaders, type)
    ? (eventReaders[type as RoomEventType] as AnyReader)
    : null;
}

function eventToWire(event: EnvelopeEvent): unknown {
  const field = softFields[event.type];
  const held =
    field === undefined ? undefined : (event as Readonly<Record<string, unknown>>)[field];
  const fields =
    field !== undefined && held === 'unknown' ? { ...event, [field]: unknownSymbol } : event;
  return branchOf(event.type, fields);
}

/** Null for a type, or a symbol that decides something, of a newer release. */
function readableEvent(wire: unknown): EnvelopeEvent | null {
  const branch = openBranch(wire);
  const read = readerOf(branch?.name ?? '');
  if (branch === null || read === null) return null;
  try {
    return read(branch.value, unknownReason);
  } catch (error) {
    if (error instanceof WireFault) return null;
    throw error;
  }
}

function unknownReason<Symbol extends string>(
  symbol: Symbol,
): Exclude<Symbol, 'UNKNOWN'> | 'unknown' {
  return symbol === unknownSymbol ? 'unknown' : (symbol as Exclude<Symbol, 'UNKNOWN'>);
}
