/**
 * Displays between the domain and the wire. Read as far as possible, like the envelope of an event: a
 * display that this release lacks is null beside its `displayType`.
 */
import type { RoomDisplay, RoomDisplayType } from '../domain/events/displays.ts';
import { profileFromWire } from './command-mapping.ts';
import type { DisplayEnvelope } from './records.ts';
import { WireFault } from './wire-fault.ts';
import { branchOf, openBranch } from './wire-shape.ts';
import type { Wire, WireVariant } from './wire-shape.ts';

type DisplayReaders = {
  readonly [T in RoomDisplayType]: (
    fields: WireVariant<RoomDisplay, T>,
  ) => Extract<RoomDisplay, { readonly type: T }>;
};

const displayReaders: DisplayReaders = {
  RoomUsersCameAndWent: (fields) => ({
    type: 'RoomUsersCameAndWent',
    joined: fields.joined.map(({ userId, profile, isRobot }) => ({
      userId,
      profile: profileFromWire(profile),
      isRobot,
    })),
    joinedCount: fields.joinedCount,
    leftUserIds: fields.leftUserIds,
    leftCount: fields.leftCount,
    onlineCount: fields.onlineCount,
  }),
  RoomGiftBatchShown: (fields) => ({
    type: 'RoomGiftBatchShown',
    senderUserId: fields.senderUserId,
    giftId: fields.giftId,
    giftCount: fields.giftCount,
    targetUserIds: fields.targetUserIds,
    totalCoins: fields.totalCoins,
    comboId: fields.comboId,
  }),
  RoomRocketProgressed: (fields) => ({
    type: 'RoomRocketProgressed',
    roundNo: fields.roundNo,
    level: fields.level,
    fuel: fields.fuel,
    fuelTarget: fields.fuelTarget,
  }),
  RoomLuckyWinShown: (fields) => ({
    type: 'RoomLuckyWinShown',
    senderUserId: fields.senderUserId,
    targetUserId: fields.targetUserId,
    giftId: fields.giftId,
    giftCount: fields.giftCount,
    multiplierPercent: fields.multiplierPercent,
    prizeCoins: fields.prizeCoins,
  }),
};

type WireEnvelope = Wire<Omit<DisplayEnvelope, 'display'>> & { readonly display: unknown };

/** The envelope as the encoder takes it. */
export function displayToWire(envelope: DisplayEnvelope): unknown {
  const { display } = envelope;
  return { ...envelope, display: display === null ? null : branchOf(display.type, display) };
}

/** The envelope that a decoded value holds. Throws WireFault when type and display disagree. */
export function displayFromWire(wire: unknown): DisplayEnvelope {
  const fields = wire as WireEnvelope;
  const display = readableDisplay(fields.display);
  if (display !== null && display.type !== fields.displayType) {
    throw new WireFault(`an envelope of ${fields.displayType} holds ${display.type}`);
  }
  return {
    eventId: fields.eventId,
    appCode: fields.appCode,
    roomId: fields.roomId,
    displayType: fields.displayType,
    roomVersion: fields.roomVersion,
    occurredAtMs: fields.occurredAtMs,
    actorUserId: fields.actorUserId,
    display,
  };
}

function readableDisplay(wire: unknown): RoomDisplay | null {
  const branch = openBranch(wire);
  if (branch === null || !Object.hasOwn(displayReaders, branch.name)) return null;
  const read = displayReaders[branch.name as RoomDisplayType] as (fields: unknown) => RoomDisplay;
  return read(branch.value);
}
