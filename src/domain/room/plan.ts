/**
 * What a command needs from outside before it can be decided. Pure and cheap, run before `decide`
 * on the same draft. A command of which a plan has named an outside call never leaves its id free
 * again (architecture section 4), so a plan checks first that the room would take the command.
 */
import type { RoomCommand } from './commands.ts';
import type { RoomState } from './state.ts';

/** Nothing is needed: decide at once. */
export interface PlanNone {
  readonly kind: 'none';
}

/** Grows by one member per kind of outside call (wallet, draw); the pipeline must serve each. */
export type Plan = PlanNone;

const planNone: PlanNone = { kind: 'none' };

/** The outside call of `command` on `state`. No command of this release has one. */
export function plan(_command: RoomCommand, _state: RoomState): Plan {
  return planNone;
}
