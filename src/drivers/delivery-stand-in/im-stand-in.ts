/**
 * Tencent Cloud IM for development and tests: carries commands out as the vendor does, records which
 * room events arrived, and fails on order. It knows nothing of HTTP or signatures: the sandbox serves
 * it over HTTP, the twin in memory calls it directly.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { FaultBoard, imFaultKinds } from '../fault-board.ts';
import type { Fault } from '../fault-board.ts';
import { jsonObject, textField } from '../json-fields.ts';
import type { JsonObject } from '../json-fields.ts';
import { destroyFault, infoFault, notificationFault } from './im-checks.ts';
import { ImGroups } from './im-groups.ts';
import type { GroupAnswer } from './im-groups.ts';
import { RateLimit } from './rate-limit.ts';
import { ReceivedEvents } from './received-events.ts';
import type { Arrival } from './received-events.ts';

/** Who sends commands: an app and the account that acts for it. */
export interface ImApp {
  readonly sdkAppId: number;
  readonly adminIdentifier: string;
}

/** What a transport does: bring the answer, show a proxy's error, cut the connection, or nothing. */
export type ImReply =
  | { readonly kind: 'answer'; readonly body: JsonObject }
  | { readonly kind: 'bad_gateway' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'hang' };

type ImFault = Fault<(typeof imFaultKinds)[number]>;

/** `slow` without a time of its own waits this long. */
const slowMs = 5_000;
/** Requests of one command of one app. */
const requestsPerSecondMax = 200;
const orderedMessage = 'ordered by the sandbox';

/** See the file header. */
export class ImStandIn {
  readonly groups: ImGroups;
  readonly received = new ReceivedEvents();
  readonly faults: FaultBoard<(typeof imFaultKinds)[number]>;
  private readonly timers: Timers;
  /** Each command of an app has a rate of its own. */
  private readonly rate: RateLimit;

  constructor(options: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly random: Random;
  }) {
    const { clock, timers, random } = options;
    this.timers = timers;
    const nowMs = (): number => clock.wallMs();
    this.groups = new ImGroups(nowMs);
    this.rate = new RateLimit(requestsPerSecondMax, nowMs);
    this.faults = new FaultBoard(imFaultKinds, random);
  }

  /** Carries one command out, or what was ordered instead. */
  async handle(app: ImApp, command: string, body: JsonObject): Promise<ImReply> {
    const fault = this.faults.take(command);
    switch (fault?.kind) {
      case 'http_502':
        return { kind: 'bad_gateway' };
      case 'hang':
        return { kind: 'hang' };
      case 'error_code':
        return replyOf({ code: fault.code ?? 10002, info: orderedMessage });
      case 'cut_after_store':
        this.perform(app, command, body, fault);
        return { kind: 'cut' };
      case 'twice':
        // As a proxy does that sends a request again: the caller hears of the second time only.
        this.perform(app, command, body, fault);
        break;
      case 'slow':
      case 'drop':
      case undefined:
    }
    const answer = this.perform(app, command, body, fault);
    if (fault?.kind === 'slow') await this.timers.sleep(fault.delayMs ?? slowMs);
    return replyOf(answer);
  }

  private perform(
    app: ImApp,
    command: string,
    body: JsonObject,
    fault: ImFault | null,
  ): GroupAnswer {
    const { groups } = this;
    if (!this.rate.takes(`${app.sdkAppId} ${command}`)) {
      return { code: 60007, info: 'more than 200 requests in a second' };
    }
    const groupId = textField(body, 'GroupId');
    switch (command) {
      case 'create_group':
        return groups.create(app.sdkAppId, body, app.adminIdentifier);
      case 'destroy_group':
        return destroyFault(body) ?? groups.destroy(app.sdkAppId, groupId);
      case 'get_group_info': {
        const wrong = infoFault(body);
        if (wrong !== null) return wrong;
        const ids = body['GroupIdList'] as readonly string[];
        const infos = ids.map((id) => groups.info(app.sdkAppId, id));
        return { code: 0, info: '', fields: { GroupInfo: infos } };
      }
      case 'send_group_msg':
        return this.sendMessage(app, body, fault);
      case 'send_group_system_notification':
        return this.notify(app, groupId, body);
      case 'ban_group_member':
        return groups.ban(app.sdkAppId, body);
      case 'unban_group_member':
        return groups.unban(app.sdkAppId, body);
      default:
        return { code: 10003, info: 'no such command' };
    }
  }

  private sendMessage(app: ImApp, body: JsonObject, fault: ImFault | null): GroupAnswer {
    // Frequency control says OK and throws the message away.
    if (fault?.kind === 'drop') {
      const fields = { MsgTime: 0, MsgSeq: 0, MsgDropReason: orderedMessage };
      return { code: 0, info: '', fields };
    }
    const sent = this.groups.send(app.sdkAppId, body);
    const arrival = arrivalOf(dataOf(body));
    if (arrival !== null && sent.stored) this.received.record(arrival, 'taken');
    if (arrival !== null && sent.repeat) this.received.record(arrival, 'deduplicated');
    return sent.answer;
  }

  private notify(app: ImApp, groupId: string, body: JsonObject): GroupAnswer {
    const wrong = notificationFault(body);
    if (wrong !== null) return wrong;
    if (!this.groups.has(app.sdkAppId, groupId)) return { code: 10010, info: 'no such group' };
    const arrival = arrivalOf(textField(body, 'Content'));
    if (arrival !== null) this.received.record(arrival, 'notification');
    return { code: 0, info: '' };
  }
}

/** The vendor's envelope around an answer. */
export function replyOf({ code, info, fields }: GroupAnswer): ImReply {
  const ActionStatus = code === 0 ? 'OK' : 'FAIL';
  return { kind: 'answer', body: { ActionStatus, ErrorCode: code, ErrorInfo: info, ...fields } };
}

function dataOf(body: JsonObject): string {
  const elements = Array.isArray(body['MsgBody']) ? (body['MsgBody'] as readonly JsonObject[]) : [];
  const custom = elements.find((element) => element['MsgType'] === 'TIMCustomElem');
  const content = custom?.['MsgContent'] as JsonObject | undefined;
  return textField(content, 'Data');
}

/** A room event in a message's text; null for anything else. */
function arrivalOf(data: string): Arrival | null {
  const event = jsonObject(data);
  if (event === null || typeof event['event_id'] !== 'string') return null;
  return {
    appCode: textField(event, 'app_code'),
    roomId: textField(event, 'room_id'),
    eventId: event['event_id'],
    eventType: textField(event, 'type'),
    roomVersion: textField(event, 'version'),
    eventIndex: Number(event['index'] ?? 0),
    bytes: Buffer.from(data, 'utf8'),
  };
}
