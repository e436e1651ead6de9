/**
 * kafkajs 2.2.4 re-arms a timer with a negative delay for every connection, whether a request waits
 * or not: a loop of about a thousand wake-ups a second that costs 3 % of a core and makes newer
 * Node versions print warnings (its issue 1751). One method is replaced so that it schedules
 * nothing while nothing is pending; a request that comes later schedules itself when it must wait.
 */
import { createRequire } from 'node:module';

interface QueueShape {
  pending: unknown[];
  scheduleCheckPendingRequests: (this: QueueShape) => void;
}

const marker = Symbol.for('roomcell.request-queue-patched');

/** Returns false (and changes nothing) when kafkajs no longer looks as expected. Idempotent. */
export function patchRequestQueue(): boolean {
  const load = createRequire(import.meta.url);
  let prototype: (QueueShape & { [marker]?: true }) | undefined;
  try {
    const queueClass = load('kafkajs/src/network/requestQueue') as { prototype?: QueueShape };
    prototype = queueClass.prototype;
  } catch {
    // Another release without this file: it runs unpatched, which only costs processor time.
    return false;
  }
  if (prototype === undefined || typeof prototype.scheduleCheckPendingRequests !== 'function') {
    return false;
  }
  if (prototype[marker] === true) return true;
  const { scheduleCheckPendingRequests: original } = prototype;
  prototype.scheduleCheckPendingRequests = function (this: QueueShape): void {
    if (this.pending.length > 0) original.call(this);
  };
  prototype[marker] = true;
  return true;
}
