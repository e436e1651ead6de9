/** What the id of a robot's command says (ADR 25), read here a second time on purpose. */

/** The epoch that made the command, and the kind of room that its robot is in. */
export interface RobotOrigin {
  readonly epoch: bigint;
  readonly kind: 'host' | 'guest';
}

/** What robots of robot rooms do all the time: it is shown by sample. */
const shownBySample: ReadonlySet<string> = new Set([
  'RoomUserJoined',
  'RoomUserLeft',
  'RoomGiftSent',
]);

/** Null: no robot's command. */
export function robotOriginOf(commandId: string): RobotOrigin | null {
  const [prefix, epoch = '', kind, count = ''] = commandId.split(':');
  if (prefix !== 'robot' || (kind !== 'host' && kind !== 'guest')) return null;
  const isNumbered = /^\d+$/.test(epoch) && /^\d+$/.test(count);
  return isNumbered ? { epoch: BigInt(epoch), kind } : null;
}

/** Whether an event of the command goes to IM by sample: the last one of a type and second, or never. */
export function isShownBySample(eventType: string, commandId: string): boolean {
  return robotOriginOf(commandId)?.kind === 'host' && shownBySample.has(eventType);
}
