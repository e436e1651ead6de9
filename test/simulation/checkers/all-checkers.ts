/** Every judge of a simulated run. */
import { agreeingTables } from './agreeing-tables.ts';
import { answeredCommands } from './answered-commands.ts';
import { arrivals } from './arrivals.ts';
import type { CheckerFactory } from './checker.ts';
import { fence } from './fence.ts';
import { offsetFates } from './offset-fates.ts';
import { orderInTime } from './order-in-time.ts';
import { outboxRows } from './outbox-rows.ts';
import { rebuiltState } from './rebuilt-state.ts';
import { sentCommands } from './sent-commands.ts';
import { settledCalls } from './settled-calls.ts';
import { uniqueRows } from './unique-rows.ts';
import { versionChain } from './version-chain.ts';

/** See the file header. */
export const allCheckers: readonly CheckerFactory[] = [
  answeredCommands,
  uniqueRows,
  versionChain,
  agreeingTables,
  fence,
  offsetFates,
  sentCommands,
  orderInTime,
  rebuiltState,
  settledCalls,
  outboxRows,
  arrivals,
];
