/** The command bodies that came with 0.4.0, each with the role that sends it. */
import type { CommandRecord } from '../../../src/protocol/records.ts';

export const bodies: readonly Pick<CommandRecord, 'actorRole' | 'body'>[] = [
  { actorRole: 'system', body: { type: 'LaunchRocket', roundNo: 9223372036854775807n } },
];
