/**
 * Memory twin of the remover: the vendor's action, carried to a stand-in in this process. What a
 * network adds follows from the timers and from ordered faults, as for the twin of the IM client.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Timers } from '../../ports/timers.ts';
import type { RtcStandIn } from '../delivery-stand-in/rtc-stand-in.ts';
import type { JsonObject } from '../json-fields.ts';
import { VendorRtcRemover, type RtcAnswer } from '../rtc-vendor/vendor-rtc-remover.ts';
import { settleWithin } from '../settle-within.ts';

/** Whose rooms, and how long a call may take. */
export interface MemoryRtcSettings {
  readonly sdkAppId: number;
  readonly callTimeoutMs: number;
}

/** See the file header. Several removers share one stand-in, as several nodes share the vendor. */
export class MemoryRtcRemover extends VendorRtcRemover {
  constructor(
    { sdkAppId, callTimeoutMs }: MemoryRtcSettings,
    standIn: Pick<RtcStandIn, 'handle'>,
    timers: Timers,
  ) {
    super(sdkAppId, (action, body) => carry(standIn, action, body, callTimeoutMs, timers));
  }
}

async function carry(
  standIn: Pick<RtcStandIn, 'handle'>,
  action: string,
  body: JsonObject,
  limitMs: number,
  timers: Timers,
): Promise<RtcAnswer> {
  const settled = await settleWithin(timers, handled(standIn, action, body), limitMs);
  if (settled.kind === 'timeout') return unknownOutcome(`no answer within ${limitMs} ms`);
  return settled.kind === 'failed' ? unknownOutcome(settled.error) : settled.value;
}

async function handled(
  standIn: Pick<RtcStandIn, 'handle'>,
  action: string,
  body: JsonObject,
): Promise<RtcAnswer> {
  const reply = await standIn.handle(action, body);
  switch (reply.kind) {
    case 'answer':
      return reply;
    case 'server_error':
      return unknownOutcome('HTTP status 500');
    case 'cut':
      return unknownOutcome('the connection was cut');
    case 'hang':
      return new Promise(() => undefined);
  }
}
