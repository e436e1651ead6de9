/**
 * kafkajs's own log lines, led into the Log port. kafkajs calls many normal things an error (a
 * rebalance, a refused connection that it tries again); what matters the drivers say themselves,
 * once, so here everything but an unexpected error is a debug line.
 */
import { logLevel } from 'kafkajs';
import type { logCreator } from 'kafkajs';
import type { Log } from '../../ports/log.ts';

/** Namespaces whose errors are outages or retries: `broker-sockets.ts` tells those once. */
const retriedNamespaces = new Set(['Connection', 'BrokerPool', 'Cluster', 'Producer']);
/** What a consumer meets in ordinary rebalances, and its end, which `group-member.ts` reports. */
const ordinaryErrors =
  /^crash:|rebalanc|not aware of this member|coordinator|unknown member|illegal generation|topic-partition|leadership election|not the leader/i;

/** The Log port decides what of it is written. */
export function kafkaLogBridge(log: Log): logCreator {
  return () =>
    ({ namespace, level, log: entry }) => {
      const { message, timestamp: _timestamp, ...rest } = entry;
      const fields = { ...rest, kafkajs: namespace };
      if (level === logLevel.ERROR && !isOrdinary(namespace, message, rest['error'])) {
        log.warn(fields, `kafkajs: ${message}`);
      } else log.debug(fields, `kafkajs: ${message}`);
    };
}

function isOrdinary(namespace: string, message: string, error: unknown): boolean {
  if (retriedNamespaces.has(namespace)) return true;
  return ordinaryErrors.test(message) || (typeof error === 'string' && ordinaryErrors.test(error));
}
