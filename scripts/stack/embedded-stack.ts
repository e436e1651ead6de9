/**
 * No servers at all: the roles run in one process on the twins of Kafka, MySQL and Redis in its
 * memory. Nothing is started here, and nothing is left behind.
 */
import type { EmbeddedStack } from './stack-types.ts';

/** Printed at the start, and again beside the addresses of a process that goes on serving. */
const notice = 'NOTHING IS KEPT: rooms, commands and gifts are gone when this process ends.';

/** Cannot fail. */
export function startEmbeddedStack(): EmbeddedStack {
  return {
    kind: 'embedded',
    description: `stack: embedded · Kafka, MySQL and Redis in the memory of one process · ${notice}`,
    notice,
    env: { ROOMCELL_DRIVERS: 'embedded' },
    stop: () => Promise.resolve(),
  };
}
