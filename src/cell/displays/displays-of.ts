/**
 * What a committed command shows to the room's clients by the display lane. To add a display:
 *
 *   1. its body, its row and its gathering in `domain/events/displays.ts` (the compiler asks for both);
 *   2. its record under `schemas/avro/displays`, its name at the end of the union in
 *      `display-envelope.avsc`, its reader in `protocol/display-mapping.ts`; `npm run generate`;
 *   3. a function here from a committed command to what it shows, named in `displaysOf`.
 *
 * Nothing else: pace, queues, topic, adapter and message are the lane's. What is shown here is stored
 * (COMMIT is known) and may be lost at any step behind; it must never be the only way to learn a fact.
 */
import type { AppCode, CommandId, RoomId, UserId } from '../../domain/ids.ts';
import type {
  RoomDisplay,
  RoomGiftBatchShown,
  RoomLuckyWinShown,
  RoomRocketProgressed,
  RoomUsersCameAndWent,
} from '../../domain/events/displays.ts';
import { isGathered, type ImLanes } from '../../domain/events/im-lanes.ts';
import type { CommandBody, SystemCommandBody } from '../../domain/room/commands.ts';
import type { RoomEventType } from '../../domain/room/events.ts';
import type { RoomState } from '../../domain/room/state.ts';
import type { ResultRecord } from '../../protocol/records.ts';
import type { DraftEvent, DraftStep } from '../lane/draft.ts';

/** Of what robots do in robot rooms, one event of a type is shown in so many milliseconds (ROBOT-6). */
const sampleWindowMs = 1_000;

/** One applied command after its COMMIT. */
export interface CommittedCommand {
  readonly appCode: AppCode;
  readonly roomId: RoomId;
  readonly commandId: CommandId;
  readonly actorUserId: UserId;
  readonly body: CommandBody | SystemCommandBody;
  readonly decidedAtMs: number;
  readonly result: ResultRecord;
  readonly step: DraftStep;
  /** The room as it is now: commands behind this one may have changed it in the same transaction. */
  readonly state: RoomState;
}

/** A copy of a fact: the fact's own envelope, so with its `event_id`, its text and its `Random` (DIM-3). */
export interface ShownFact {
  readonly kind: 'fact';
  readonly event: DraftEvent;
  /** Not null: of one room and type at most one leaves in so many milliseconds, the last one. */
  readonly windowMs: number | null;
}

/** A display that copies no fact. */
export interface ShownDisplay {
  readonly kind: 'display';
  readonly display: RoomDisplay;
  /** Displays of one room, type and key are gathered; '' where there is one of the type per room. */
  readonly key: string;
  /** What makes it the same one to clients, if it should come twice: its id follows from it. */
  readonly identity: readonly string[];
  /** What is gathered under the key leaves now, with this one: the end of what it tells about. */
  readonly isLast?: boolean;
  /** Facts of the same command that it shows together: their single copies are left out (BATCH-2). */
  readonly standsFor?: readonly RoomEventType[];
}

/** One thing to show. */
export type Shown = ShownFact | ShownDisplay;

/** What an operator chose of it. */
export interface DisplayChoice {
  readonly imLanes: ImLanes;
  /** A draw whose multiplier is not below has a display of its own, in percent; 0: none has. */
  readonly bigWinPercent: number;
}

/** See the file header. In the order in which clients shall see it. Pure. */
export function displaysOf(
  committed: CommittedCommand,
  { imLanes, bigWinPercent }: DisplayChoice,
): readonly Shown[] {
  const displays: readonly ShownDisplay[] = [
    ...comingsAndGoings(committed, imLanes),
    ...giftBatch(committed),
    ...bigWins(committed, bigWinPercent),
    ...rocketProgress(committed),
  ];
  const shownTogether = new Set(displays.flatMap(({ standsFor }) => standsFor ?? []));
  const copies = copiedFacts(committed).filter(({ event }) => !shownTogether.has(event.event.type));
  return [...copies, ...displays];
}

/** Events whose type an operator gave to the display lane, and samples of what robots do. */
function copiedFacts({ step }: CommittedCommand): readonly ShownFact[] {
  return step.events
    .filter(({ imLane }) => imLane === 'display')
    .map((event) => ({ kind: 'fact', event, windowMs: event.isSampled ? sampleWindowMs : null }));
}

/** Joins and leaves that get no message of their own, because the room is large. */
function comingsAndGoings({ step }: CommittedCommand, lanes: ImLanes): readonly ShownDisplay[] {
  const gathered = step.events.map(({ event }) => event).filter((e) => isGathered(e, lanes, step));
  if (gathered.length === 0) return [];
  const joined = gathered.flatMap((event) =>
    event.type === 'RoomUserJoined'
      ? [{ userId: event.userId, profile: event.profile, isRobot: event.isRobot }]
      : [],
  );
  const leftUserIds = gathered.flatMap((event) =>
    event.type === 'RoomUserLeft' ? [event.userId] : [],
  );
  const display: RoomUsersCameAndWent = {
    type: 'RoomUsersCameAndWent',
    joined,
    joinedCount: joined.length,
    leftUserIds,
    leftCount: leftUserIds.length,
    onlineCount: step.onlineCount,
  };
  return [{ kind: 'display', display, key: '', identity: [String(step.version)] }];
}

/** A gift to several targets, as one picture in place of many (BATCH-2). */
function giftBatch({ commandId, actorUserId, result }: CommittedCommand): readonly ShownDisplay[] {
  const { batchDisplay } = result.fields;
  if (batchDisplay === undefined) return [];
  const type = 'RoomGiftBatchShown';
  const display: RoomGiftBatchShown = { type, senderUserId: actorUserId, ...batchDisplay };
  return [
    { kind: 'display', display, key: '', identity: [commandId], standsFor: ['RoomGiftSent'] },
  ];
}

/** Draws that won much, each for itself (LUCKY-5). Their prizes may still be on their way to the sender. */
function bigWins(
  { commandId, step }: CommittedCommand,
  bigWinPercent: number,
): readonly ShownDisplay[] {
  if (bigWinPercent === 0) return [];
  return step.events.flatMap(({ event }): readonly ShownDisplay[] => {
    if (event.type !== 'RoomGiftSent' || event.luckyDraw === null) return [];
    const { senderUserId, targetUserId, giftId, giftCount } = event;
    const { multiplierPercent, prizeCoins } = event.luckyDraw;
    if (multiplierPercent < bigWinPercent) return [];
    const display: RoomLuckyWinShown = {
      type: 'RoomLuckyWinShown',
      ...{ senderUserId, targetUserId, giftId, giftCount, multiplierPercent, prizeCoins },
    };
    const identity = [commandId, targetUserId];
    return [{ kind: 'display', display, key: targetUserId, identity }];
  });
}

/**
 * How far the rocket is (ROCKET-4). An ignition ends what is gathered of its round, and nothing follows
 * until the launch: what gifts add meanwhile waits for the next round, whose first picture the launch is.
 */
function rocketProgress({ step }: CommittedCommand): readonly ShownDisplay[] {
  const { rocket, version } = step;
  const has = (type: RoomEventType): boolean =>
    step.events.some(({ event }) => event.type === type);
  const isLast = has('RoomRocketIgnited');
  const isCharging = rocket?.ignition === null && has('RoomRocketFueled');
  if (rocket === null || !(isLast || isCharging || has('RoomRocketLaunched'))) return [];
  const { roundNo, level, fuel, fuelTarget } = rocket;
  const type = 'RoomRocketProgressed';
  const display: RoomRocketProgressed = { type, roundNo, level, fuel, fuelTarget };
  const key = String(roundNo);
  return [{ kind: 'display', display, key, identity: [key, String(version)], isLast }];
}
