/**
 * What a command needs from outside before it can be decided. Pure and cheap, run before `decide`
 * on the same draft. A command of which a plan has named an outside call never leaves its id free
 * again (architecture section 4), so a plan checks first that the room would take the command.
 */
import { refuseGift } from '../gift/gift-rules.ts';
import type { RoomCommand } from './commands.ts';
import type { RoomState } from './state.ts';

/** Nothing is needed: decide at once. */
export interface PlanNone {
  readonly kind: 'none';
}

/** The wallet is to take the coins of a SendGift; gift, count and targets stand in its body. */
export interface PlanDebit {
  readonly kind: 'debit';
}

/** Grows by one member per kind of outside call (wallet, draw); the pipeline must serve each. */
export type Plan = PlanNone | PlanDebit;

const planNone: PlanNone = { kind: 'none' };
const planDebit: PlanDebit = { kind: 'debit' };

/**
 * The outside call of `command` on `state`. `debit` only for a gift that passes every rule of
 * `decide` here and now (GIFT-2); of any other, `decide` says the no without a wallet's help.
 */
export function plan(command: RoomCommand, state: RoomState): Plan {
  const { body } = command;
  if (body.type !== 'SendGift') return planNone;
  return refuseGift(body, command.actorUserId, state) === null ? planDebit : planNone;
}
