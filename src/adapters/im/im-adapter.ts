/**
 * Room events to instant messaging: each app has a client of its own, each room a group. Rates are
 * kept below the vendor's, per group and per app. A room's events come to one adapter alone, by the
 * partition of their topic, so that the rate of a group holds however many adapters there are; the
 * rate of an app is each adapter's share of it.
 */
import type { AppCode } from '../../domain/ids.ts';
import type { ImClient, SendOutcome } from '../../ports/im-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Timers } from '../../ports/timers.ts';
import type { EventEnvelope } from '../../protocol/records.ts';
import type { EventSender, OutgoingEvent } from '../event-sender.ts';
import { SendPace } from '../send-pace.ts';
import { carryOutBan, type BanOccasion, type GroupBansContext } from './group-bans.ts';
import { imCallsOf } from './im-message.ts';
import type { ImCall } from './im-message.ts';

/** After a quiet time so many calls may go at once: both limits of the vendor are per second. */
const burst = 10;

/** Pause for events of an app that has no client here. */
const unknownAppPauseMs = 60_000;

/** What the sender stands on. */
export interface ImSenderContext {
  /** One client per app. */
  readonly clients: ReadonlyMap<AppCode, ImClient>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Per second; the vendor's are 40 for a group and 200 for an app, all its adapters together. */
  readonly rates: { readonly perGroup: number; readonly perApp: number };
  readonly bans: GroupBansContext;
}

/** Sends an event by its calls, one after another; the first that is not done ends the event. */
export function createImSender(context: ImSenderContext): EventSender {
  const { perGroup: perKeyPerSecond, perApp: totalPerSecond } = context.rates;
  const paceLimits = { perKeyPerSecond, totalPerSecond, burst };
  const paces = new Map<AppCode, SendPace>();
  for (const appCode of context.clients.keys()) {
    paces.set(appCode, new SendPace(context.clock, context.timers, paceLimits));
  }
  return {
    destination: 'im',
    async send({ envelope }: OutgoingEvent): Promise<SendOutcome> {
      const form = imCallsOf(envelope);
      if (form.kind === 'tooLarge') {
        const error = `the message would have ${form.bytes} bytes, more than a group may get`;
        return { kind: 'permanent', error };
      }
      if (form.calls.length === 0) return { kind: 'done' };
      const client = context.clients.get(envelope.appCode);
      const pace = paces.get(envelope.appCode);
      if (client === undefined || pace === undefined) {
        // Waited out like a throttle: it is neither the event's fault nor an outage of the vendor,
        // and ends by itself when somebody completes the configuration.
        const error = `no IM account is configured for ${envelope.appCode}`;
        return { kind: 'throttled', error, retryAfterMs: unknownAppPauseMs };
      }
      return sendCalls(context, { client, pace }, envelope, form.calls);
    },
  };
}

async function sendCalls(
  context: ImSenderContext,
  { client, pace }: { readonly client: ImClient; readonly pace: SendPace },
  { appCode, roomId }: EventEnvelope,
  calls: readonly ImCall[],
): Promise<SendOutcome> {
  let startedMonoMs: number | null = null;
  for (const call of calls) {
    const isBan = call.kind === 'ban' || call.kind === 'unban';
    if (isBan && !context.bans.apps.has(appCode)) continue;
    // A ban takes no turn of its own: it is no message to the group, and each comes behind one.
    if (call.kind !== 'ban') await pace.turn(groupIdOf(call));
    startedMonoMs ??= context.clock.monoMs();
    const occasion = { appCode, roomId, startedMonoMs };
    const outcome = await perform(context, client, call, occasion);
    if (outcome.kind !== 'done') return outcome;
  }
  return { kind: 'done' };
}

function perform(
  { bans }: ImSenderContext,
  client: ImClient,
  call: ImCall,
  occasion: BanOccasion,
): Promise<SendOutcome> {
  switch (call.kind) {
    case 'ensureGroup':
      return client.ensureGroup(call.groupId, call.name);
    case 'message':
      return client.sendGroupMessage(call.message);
    case 'notification':
      return client.sendGroupNotification(call.groupId, call.content);
    case 'dissolve':
      return client.dissolveGroup(call.groupId);
    case 'ban':
    case 'unban':
      return carryOutBan(bans, client, call, occasion);
  }
}

function groupIdOf(call: ImCall): string {
  return call.kind === 'message' ? call.message.groupId : call.groupId;
}
