/**
 * Which ends of a kafkajs consumer pass by themselves. kafkajs asks its user only about errors that
 * it marks retriable; some that it marks final only mean that a broker was starting up just then.
 *
 * Scenario (test "is replaced when its broker, just back, knows no coordinator yet"): a broker is
 * killed and started again; the consumer reaches it before it serves the group. kafkajs gives up
 * with KafkaJSGroupCoordinatorNotFound, marked final, and a role that believed it would end.
 */

/** Marked final by kafkajs 2.2.4 although the next consumer may have better luck. */
const passingNames = new Set([
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSTimeout',
  'KafkaJSLockTimeout',
  'KafkaJSNumberOfRetriesExceeded',
  // A connection that broke in the midst of an answer.
  'KafkaJSPartialMessageError',
]);

/** Whether the error, or one that caused it, passes without anybody's doing. */
export function passesByItself(error: unknown): boolean {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (passingNames.has(link.name)) return true;
    if ('retriable' in link && link.retriable === true) return true;
  }
  return false;
}
