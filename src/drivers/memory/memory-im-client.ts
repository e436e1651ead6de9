/**
 * Memory twin of the IM client: the vendor's commands, carried to a stand-in in this process. What a
 * network adds, a caller that gives up while the vendor goes on, follows from the timers and from
 * ordered faults.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { ImApp, ImStandIn } from '../delivery-stand-in/im-stand-in.ts';
import { VendorImClient } from '../im-vendor/vendor-im-client.ts';
import type { ImAnswer, ImBody } from '../im-vendor/vendor-im-client.ts';
import { settleWithin } from '../settle-within.ts';

/** Whose groups, and how long a call may take. */
export interface MemoryImSettings {
  readonly app: ImApp;
  readonly callTimeoutMs: number;
}

/** See the file header. Several clients share one stand-in, as several nodes share the vendor. */
export class MemoryImClient extends VendorImClient {
  constructor(
    settings: MemoryImSettings,
    standIn: ImStandIn,
    context: { readonly clock: Clock; readonly timers: Timers },
  ) {
    const { app, callTimeoutMs } = settings;
    super(
      (command, body, limitMs) => carry(standIn, app, command, body, limitMs, context.timers),
      context.clock,
      callTimeoutMs,
    );
  }
}

async function carry(
  standIn: ImStandIn,
  app: ImApp,
  command: string,
  body: ImBody,
  limitMs: number,
  timers: Timers,
): Promise<ImAnswer> {
  const settled = await settleWithin(timers, handled(standIn, app, command, body), limitMs);
  if (settled.kind === 'timeout') return unknownOutcome(`no answer within ${limitMs} ms`);
  return settled.kind === 'failed' ? unknownOutcome(settled.error) : settled.value;
}

async function handled(
  standIn: ImStandIn,
  app: ImApp,
  command: string,
  body: ImBody,
): Promise<ImAnswer> {
  const reply = await standIn.handle(app, command, body);
  switch (reply.kind) {
    case 'answer':
      return reply;
    case 'bad_gateway':
      return unknownOutcome('HTTP status 502');
    case 'cut':
      return unknownOutcome('the connection was cut');
    case 'hang':
      return new Promise(() => undefined);
  }
}
