/**
 * Ids of the commands that a room's owner sends in the name of a robot: `robot:<epoch>:<kind>:<n>`.
 * They name the epoch under which they were made, because a command may wait in the topic while its
 * partition is taken over: whoever executes it then knows that no robot of its own stands behind it.
 * Stored in logs, never to be changed.
 */
import type { CommandId } from '../domain/ids.ts';
import { wideIdFault } from '../domain/ids.ts';
import { assert } from '../kernel/assert.ts';

/** `host`: in a robot room. `guest`: in a room of people. */
export type RobotCommandKind = 'host' | 'guest';

/** What an id says of its command. */
export interface RobotCommandOrigin {
  readonly epoch: bigint;
  readonly kind: RobotCommandKind;
}

const pattern = /^robot:(\d{1,20}):(host|guest):\d+$/;

/** `count`: no two commands of one epoch have the same. */
export function robotCommandId(origin: RobotCommandOrigin, count: number): CommandId {
  const id = `robot:${origin.epoch}:${origin.kind}:${count}`;
  assert(pattern.test(id) && wideIdFault(id) === null, 'a robot command id obeys its rule', { id });
  return id as CommandId;
}

/** Null: not the id of a robot's command. */
export function robotCommandOrigin(commandId: CommandId): RobotCommandOrigin | null {
  const [, epoch, kind] = pattern.exec(commandId) ?? [];
  if (epoch === undefined) return null;
  return { epoch: BigInt(epoch), kind: kind === 'host' ? 'host' : 'guest' };
}
