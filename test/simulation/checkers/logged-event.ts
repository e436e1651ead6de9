/** Events as the checkers decode them from the log, each with its type beside its fields. */
import type { CloseModel, ClosingModel, IgnitionModel } from './room-model.ts';

/** What every event about a seat's holder says. */
export interface MicFields {
  readonly userId: string;
  readonly seatNo: number;
  readonly micSessionId: string;
}

type By = { readonly byUserId: string };
type AboutUser = { readonly userId: string };
type AboutSeat = { readonly seatNo: number };
type Heard = { readonly publishEventTimeMs: bigint };

type LifeEvent =
  | {
      readonly type: 'RoomCreated';
      readonly ownerUserId: string;
      readonly title: string;
      readonly coverUrl: string;
      readonly backgroundUrl: string;
      readonly seatCount: number;
      readonly mode: string;
      readonly visibleRegionId: bigint;
      readonly passwordHash: string;
      readonly tags: readonly string[];
      readonly ext: string;
    }
  | ({ readonly type: 'RoomClosing' } & ClosingModel)
  | ({ readonly type: 'RoomClosed' } & Omit<CloseModel, 'closedAtMs'>)
  | ({ readonly type: 'RoomDeleted' } & By);

type ChoiceEvent =
  | ({
      readonly type: 'RoomProfileUpdated';
      readonly profile: { readonly title: string; readonly coverUrl: string } & {
        readonly [field: string]: unknown;
        readonly tags: readonly string[];
      };
    } & By)
  | ({ readonly type: 'RoomSeatCountChanged'; readonly seatCount: number } & By)
  | ({
      readonly type: 'RoomPasswordChanged';
      readonly passwordHash: string;
      readonly locked: boolean;
      readonly passwordVersion: bigint;
    } & By)
  | ({
      readonly type: 'RoomPasswordAttemptFailed';
      readonly attempts: number;
      readonly windowStartedAtMs: bigint;
    } & AboutUser)
  | ({ readonly type: 'RoomModeChanged'; readonly mode: string } & By)
  | ({ readonly type: 'RoomVisibleRegionChanged'; readonly visibleRegionId: bigint } & By)
  | ({ readonly type: 'RoomAdminChanged'; readonly isAdmin: boolean } & By & AboutUser)
  | ({
      readonly type: 'RoomOwnerTransferred';
      readonly fromUserId: string;
      readonly toUserId: string;
    } & By);

type PresenceEvent =
  | ({
      readonly type: 'RoomUserJoined';
      readonly profile: object;
      readonly isRobot: boolean;
    } & AboutUser)
  | ({ readonly type: 'RoomUserUpdated'; readonly profile: object } & AboutUser)
  | ({ readonly type: 'RoomUserLeft'; readonly reason: string } & AboutUser)
  | { readonly type: 'RoomUsersStaleLeft'; readonly userIds: readonly string[] }
  | ({
      readonly type: 'RoomUserKicked';
      readonly reason: string;
      readonly expiresAtMs: bigint;
    } & By &
      AboutUser)
  | ({ readonly type: 'RoomUserUnbanned'; readonly reason: string } & By & AboutUser)
  | ({ readonly type: 'RoomUserEvicted'; readonly reason: string } & By & AboutUser);

/** Events that speak of who holds a seat. */
export type HolderEvent =
  | ({ readonly type: 'RoomMicUp'; readonly publishDeadlineMs: bigint } & MicFields)
  | ({ readonly type: 'RoomMicPublishing' } & Heard & MicFields)
  | ({ readonly type: 'RoomMicRtcNoted' } & Heard & MicFields)
  | ({
      readonly type: 'RoomMicDown';
      readonly reason: string;
      readonly onMicMs: bigint;
    } & MicFields);

type SeatEvent =
  | ({
      readonly type: 'RoomMicSeatChanged';
      readonly fromSeatNo: number;
      readonly toSeatNo: number;
      readonly micSessionId: string;
      readonly publishDeadlineMs: bigint;
    } & AboutUser)
  | ({ readonly type: 'RoomMicSeatLocked' } & AboutSeat)
  | ({ readonly type: 'RoomMicSeatUnlocked' } & AboutSeat)
  | ({ readonly type: 'RoomMicSeatMuted'; readonly muted: boolean } & AboutSeat);

type RequestEvent =
  | ({
      readonly type: 'RoomMicRequested';
      readonly kind: string;
      readonly expiresAtMs: bigint;
    } & By &
      AboutUser &
      AboutSeat)
  | ({ readonly type: 'RoomMicRequestEnded'; readonly kind: string; readonly end: string } & By &
      AboutUser);

type GiftEvent = {
  readonly type: 'RoomGiftSent';
  readonly senderUserId: string;
  readonly targetUserId: string;
  readonly giftId: string;
  readonly giftCount: number;
  readonly coins: bigint;
  readonly unitPrice: bigint;
  readonly billingReceiptId: string;
  /** Absent from what former releases wrote. */
  readonly luckyDraw?: {
    readonly drawId: string;
    readonly multiplierPercent: number;
    readonly prizeCoins: bigint;
    readonly prize: string;
  } | null;
  /** Absent like it. */
  readonly isUncounted?: boolean;
};

interface RocketPlace {
  readonly roundNo: bigint;
  readonly level: number;
  readonly rulesVersion: bigint;
}

/** Events about a room's rocket. */
export type RocketEvent =
  | ({
      readonly type: 'RoomRocketFueled';
      readonly coins: bigint;
      readonly fuel: bigint;
      readonly fuelTarget: bigint;
    } & RocketPlace &
      AboutUser)
  | ({
      readonly type: 'RoomRocketIgnited';
      readonly fuel: bigint;
    } & Omit<IgnitionModel, 'ignitedAtMs'> &
      RocketPlace)
  | ({
      readonly type: 'RoomRocketLaunched';
      readonly igniterUserId: string;
      readonly launchAtMs: bigint;
      readonly winners: readonly { readonly userId: string; readonly coins: bigint }[];
      readonly nextRoundNo: bigint;
      readonly nextLevel: number;
      readonly nextFuelTarget: bigint;
      readonly nextFuel: bigint;
    } & RocketPlace);

/** Events about who is in a room, and who sits where. */
export type PeopleEvent = PresenceEvent | HolderEvent | SeatEvent | RequestEvent;

/** Every event that a log holds. */
export type LoggedEvent = LifeEvent | ChoiceEvent | PeopleEvent | GiftEvent | RocketEvent;

/** The event of one type. */
export type LoggedOf<Type extends LoggedEvent['type']> = Extract<
  LoggedEvent,
  { readonly type: Type }
>;
