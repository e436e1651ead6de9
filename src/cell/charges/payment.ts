/**
 * The payment of one gift while its command waits in the cell, and when a call for it is due.
 * Pure: nothing here waits or reaches outside.
 */
import type { Charge } from '../../domain/gift/charge.ts';
import type { SendGift } from '../../domain/gift/gift-commands.ts';
import type { UserId } from '../../domain/ids.ts';
import type { RocketRules } from '../../domain/rocket/rocket-rules.ts';
import { plan } from '../../domain/room/plan.ts';
import { assert } from '../../kernel/assert.ts';
import { robotCommandOrigin } from '../../protocol/robot-command-id.ts';
import type { CellOptions } from '../cell-options.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { CommandItem, RoomItem } from '../work.ts';

/** State of one payment. `null` on a command means that it needs none. */
export interface Payment {
  /**
   * The wallet may have been asked for it, by this node or by an owner before it. Never false again:
   * from now on the command ends in the log, and unless it is applied its key is voided.
   */
  asked: boolean;
  /** A call runs right now. */
  running: boolean;
  /** The end of the call, for decide. */
  charge: Charge | null;
  /** The app's rocket when the charge ended (ROCKET-3), for decide; null: it has none. */
  rocketRules: RocketRules | null;
}

/** A gift among the commands of a room. */
export type GiftItem = CommandItem & {
  readonly payment: Payment;
  readonly command: { readonly body: SendGift };
};

/** A fresh payment; `maybeAsked` for records that a former owner may have worked on. */
export function newPayment(maybeAsked: boolean): Payment {
  return { asked: maybeAsked, running: false, charge: null, rocketRules: null };
}

/** Whether the item is paid for by the wallet. */
export function isGift(item: RoomItem): item is GiftItem {
  if (item.kind !== 'command' || item.payment === null) return false;
  assert(item.command.body.type === 'SendGift', 'a payment of a command that has no price');
  return true;
}

/**
 * Whether the wallet has to be asked before the gift can be decided. Not for repeats, which answer
 * what is stored; not for gifts that the room refuses; not for those that are set aside; not for
 * expired ones, unless somebody may have asked before: expiry never eats a debit.
 */
export function isChargeDue(room: RoomCell, item: GiftItem, nowMs: number): boolean {
  const { payment, command } = item;
  if (payment.charge !== null || room.phase !== 'ready' || item.isPoison) return false;
  if (item.stored !== null || room.recentResult(command.commandId) !== null) return false;
  if (isOfFormerRobot(item, room.partition)) return false;
  if (!payment.asked && isExpired(item, nowMs)) return false;
  return plan(command, room.state).kind === 'debit';
}

/**
 * Whether a robot of another ownership sent the command, which must then not be applied (ROBOT-7).
 *
 * Race (test "a command that a former owner's robot left in the topic is not executed"):
 *   1. A sends the join of a robot into one room, and loses the partition.
 *   2. B takes it over, finds the robot in no room, and sends its join into another room.
 *   3. B executes both, in the order of the topic: the robot is in two rooms.
 * Closed by the epoch in the id. Nothing of B has the epoch of A, and nothing of A that of B.
 */
export function isOfFormerRobot(
  { command }: CommandItem,
  { epoch }: { readonly epoch: bigint },
): boolean {
  const origin = robotCommandOrigin(command.commandId);
  return origin !== null && origin.epoch !== epoch;
}

/**
 * Whose coins a command spends, and who gets its prizes: its actor's, unless a robot that cells play has
 * sent it and one account of the wallet stands in for all of them (ROBOT-5).
 */
export function payerOf(
  { commandId, actorUserId }: CommandItem['command'],
  { robotWalletAccount }: Pick<CellOptions, 'robotWalletAccount'>,
): UserId {
  const isOfRobot = robotWalletAccount !== null && robotCommandOrigin(commandId) !== null;
  return isOfRobot ? robotWalletAccount : actorUserId;
}

/** Whether the command's time is over. */
export function isExpired(item: CommandItem, nowMs: number): boolean {
  return item.expiresAtMs !== null && nowMs >= item.expiresAtMs;
}

/**
 * How many items at the front of the room's queue may be decided now. A gift without a charge is
 * taken only at the very front, where the state that it was judged on is the one that the draft
 * begins with: behind a join of its target, the same gift would need the wallet after all.
 */
export function decidableCount(room: RoomCell, nowMs: number): number {
  let count = 0;
  for (const item of room.pending) {
    if (isGift(item) && item.payment.charge === null) {
      if (item.payment.running || count > 0 || isChargeDue(room, item, nowMs)) break;
    }
    count += 1;
  }
  return count;
}
