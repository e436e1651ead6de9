/** What operators change in the tables beside the rooms' own logs, and what they read of those. */
import type { AppCode, CommandId, RoomId, RoomKey, RoomVersion, UserId } from '../domain/ids.ts';
import type { RocketRules } from '../domain/rocket/rocket-rules.ts';
import type { GiftOnOffer } from './gift-catalogue.ts';
import type { PartitionStopState, StopChoice } from './partition-stops.ts';
import type { OutboxFilter, RecordPlace } from './replay-store.ts';

/** Who did something, and under which id; ids of operators are unique within the app. */
interface OperatorActHead {
  readonly appCode: AppCode;
  readonly commandId: CommandId;
  readonly operatorId: UserId;
}

/** Something an operator does, as the audit keeps it. */
export type OperatorAct = OperatorActHead &
  (
    | {
        readonly type: 'EvictUser';
        readonly userId: UserId;
        /** '': every room of the app, and a ban by the platform. A room: that room, and no ban. */
        readonly roomId: RoomId | '';
        readonly reason: string;
        /** When the ban ends; 0: when it is lifted. */
        readonly expiresAtMs: number;
      }
    | { readonly type: 'LiftPlatformBan'; readonly userId: UserId; readonly reason: string }
    | { readonly type: 'PinRoom'; readonly roomId: RoomId; readonly pinned: boolean }
    | {
        /** Says what it means that a partition stands still. */
        readonly type: 'AcceptState';
        readonly partition: number;
        /** What is accepted; it must be what stands there when it is written. */
        readonly state: PartitionStopState;
        readonly expectedOffset: bigint;
        readonly choice: StopChoice;
        /** With `replay`: the last offset that is executed however old it is; else −1n. */
        readonly replayUntil: bigint;
      }
    | ({
        /**
         * Lets the oldest failed rows of the outbox that fit begin anew, at most `limit`, and keeps what
         * each had come to (RETRY-9).
         */
        readonly type: 'ReplayOutbox';
        readonly limit: number;
      } & Omit<OutboxFilter, 'appCode'>)
    | ({
        /**
         * Takes the oldest failed rows of the outbox that fit away, at most `limit`, and keeps what each
         * had come to. Nobody sends them any more, and nothing waits for them.
         */
        readonly type: 'DismissOutbox';
        readonly limit: number;
      } & Omit<OutboxFilter, 'appCode'>)
    | ({
        /** Notes that a record of the commands topic is sent again; whoever writes it sends it. */
        readonly type: 'ReplayDeadLetter';
      } & RecordPlace)
    /** Has a cell node give everything up, once it has read this; its process stays. */
    | { readonly type: 'DrainNode'; readonly nodeId: string }
    /** Makes the next version of a gift (GIFT-1); `setBy` of the catalogue finds it. */
    | { readonly type: 'SetGift'; readonly gift: GiftOnOffer }
    /** Makes the next version of an app's rocket rules (ROCKET-1); `setBy` of their store finds it. */
    | { readonly type: 'SetRocketRules'; readonly rules: Omit<RocketRules, 'rulesVersion'> }
  );

/**
 * How it ended. `done`: written, together with its audit row. `repeat`: the id stands in the audit
 * with the same act, and nothing was written. `reused`: it stands there with another act or operator.
 * `noRoom`: PinRoom of a room without a list entry; nothing was written. `noStop`: AcceptState of what
 * does not stand there; nothing was written. `noLetter`: ReplayDeadLetter of a record that is not
 * there; nothing was written. `noNode`: DrainNode of a name that no living cell has; nothing was
 * written.
 */
export type ActOutcome = 'done' | 'repeat' | 'reused' | 'noRoom' | 'noStop' | 'noLetter' | 'noNode';

/** One row of a room's log, with what became of it. */
export interface LoggedCommand {
  readonly commandId: CommandId;
  readonly commandType: string;
  readonly actorUserId: UserId;
  readonly outcome: 'applied' | 'no_effect' | 'rejected';
  /** Version it was decided at; for applied ones the version it made. */
  readonly decidedVersion: RoomVersion;
  readonly decidedAtMs: number;
  readonly partition: number;
  /** Null: the owner's own command, which has no record. */
  readonly kafkaOffset: bigint | null;
  readonly epoch: bigint;
  readonly ownerNodeId: string;
  /** By index; empty when it changed nothing, or its events have left by retention. */
  readonly eventTypes: readonly string[];
}

/** Most rows of a page of the log, whatever was asked for. */
export const loggedCommandsMax = 100;

/** Throws Retry when MySQL cannot be reached; whatever was asked may be asked again then. */
export interface OperatorStore {
  /** Does it once for its id: the ban or the pin and the audit row are one transaction. */
  carryOut(act: OperatorAct, nowMs: number): Promise<ActOutcome>;
  /** Applied commands of a room below `before` (null: from the newest one on), newest first. */
  appliedCommands(
    roomKey: RoomKey,
    before: RoomVersion | null,
    limit: number,
  ): Promise<readonly LoggedCommand[]>;
  /** Commands of a room that changed nothing, with ids behind `after` ('': all), by id. */
  unappliedCommands(
    roomKey: RoomKey,
    after: CommandId | '',
    limit: number,
  ): Promise<readonly LoggedCommand[]>;
}
