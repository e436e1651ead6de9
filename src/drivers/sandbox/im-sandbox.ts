/**
 * A stand-in for the REST interface of Tencent Cloud IM: checks requests as the vendor does, keeps
 * groups, records which room events arrived, and fails on order. For development and tests.
 */
import { verifyUserSig } from '../user-sig.ts';
import type { Fault, FaultBoard, imFaultKinds } from '../fault-board.ts';
import { startHttpServer } from './http-json.ts';
import type { HttpServer, JsonAnswer, JsonRequest } from './http-json.ts';
import type { GroupAnswer, ImGroups } from './im-groups.ts';
import { jsonObject, textField } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';
import type { Arrival, ReceivedEvents } from './received-events.ts';

/** An app that the stand-in knows. */
export interface SandboxImApp {
  readonly sdkAppId: number;
  readonly adminIdentifier: string;
  readonly secretKey: string;
}

type ImFaultKind = (typeof imFaultKinds)[number];

/** What the stand-in works with. */
export interface ImSandboxParts {
  readonly apps: readonly SandboxImApp[];
  readonly groups: ImGroups;
  readonly received: ReceivedEvents;
  readonly faults: FaultBoard<ImFaultKind>;
  readonly nowMs: () => number;
}

const pathPrefix = '/v4/group_open_http_svc/';

/** Starts the stand-in. */
export function startImSandbox(
  address: { readonly host: string; readonly port: number },
  parts: ImSandboxParts,
): Promise<HttpServer> {
  return startHttpServer(address, (request) => answerRequest(parts, request));
}

function answerRequest(parts: ImSandboxParts, request: JsonRequest): JsonAnswer {
  const { method, url } = request;
  if (method !== 'POST' || !url.pathname.startsWith(pathPrefix)) return fail(60002, 'bad URL');
  const command = url.pathname.slice(pathPrefix.length);
  const fault = parts.faults.take(command);
  const early = fault === null ? null : earlyFault(fault);
  if (early !== null) return early;
  const app = parts.apps.find(
    (known) => String(known.sdkAppId) === url.searchParams.get('sdkappid'),
  );
  const refusal = queryRefusal(parts, app, url);
  if (refusal !== null || app === undefined) return refusal ?? fail(60006, 'unknown sdkappid');
  const body = jsonObject(request.text);
  if (body === null) return fail(60003, 'the body is no JSON object');
  const answer = perform(parts, app, command, body, fault);
  return fault?.kind === 'cut_after_store' ? { kind: 'cut' } : toJson(answer);
}

function earlyFault(fault: Fault<ImFaultKind>): JsonAnswer | null {
  switch (fault.kind) {
    case 'http_502':
      return { kind: 'text', status: 502, body: '<html>Bad Gateway</html>' };
    case 'hang':
      return { kind: 'hang' };
    case 'error_code':
      return fail(fault.code ?? 10002, 'ordered by the sandbox');
    case 'cut_after_store':
    case 'drop':
      return null;
  }
}

/** The vendor's checks of the query, in its order: form, app, account, signature. */
function queryRefusal(
  parts: ImSandboxParts,
  app: SandboxImApp | undefined,
  url: URL,
): JsonAnswer | null {
  const query = url.searchParams;
  const random = Number(query.get('random') ?? 'none');
  if (query.get('contenttype') !== 'json') return fail(60002, 'contenttype must be json');
  if (!Number.isInteger(random) || random < 0 || random > 0xffffffff) {
    return fail(60002, 'random must be a 32-bit number');
  }
  if (query.get('sdkappid') === null) return fail(60012, 'no sdkappid');
  if (app === undefined) return fail(60006, 'unknown sdkappid');
  if (query.get('identifier') !== app.adminIdentifier) return fail(60010, 'needs an admin');
  const expected = { sdkAppId: app.sdkAppId, identifier: app.adminIdentifier };
  const nowSeconds = Math.floor(parts.nowMs() / 1000);
  const userSig = query.get('usersig') ?? '';
  const verdict = verifyUserSig(app.secretKey, userSig, expected, nowSeconds);
  if (verdict.ok) return null;
  return fail(verdict.fault === 'expired' ? 70001 : 70003, verdict.fault);
}

function perform(
  parts: ImSandboxParts,
  app: SandboxImApp,
  command: string,
  body: JsonObject,
  fault: Fault<ImFaultKind> | null,
): GroupAnswer {
  const { groups } = parts;
  const groupId = textField(body, 'GroupId');
  switch (command) {
    case 'create_group':
      return groups.create(app.sdkAppId, body, app.adminIdentifier);
    case 'destroy_group':
      return groups.destroy(app.sdkAppId, groupId);
    case 'get_group_info': {
      const ids = Array.isArray(body['GroupIdList']) ? body['GroupIdList'] : [];
      const infos = ids.map((id) => groups.info(app.sdkAppId, String(id)));
      return { code: 0, info: '', fields: { GroupInfo: infos } };
    }
    case 'send_group_msg':
      return sendMessage(parts, app, body, fault);
    case 'send_group_system_notification':
      return notify(parts, app, groupId, body);
    default:
      return { code: 10003, info: 'no such command' };
  }
}

function sendMessage(
  parts: ImSandboxParts,
  app: SandboxImApp,
  body: JsonObject,
  fault: Fault<ImFaultKind> | null,
): GroupAnswer {
  // Frequency control says OK and throws the message away.
  if (fault?.kind === 'drop') {
    const fields = { MsgTime: 0, MsgSeq: 0, MsgDropReason: 'ordered by the sandbox' };
    return { code: 0, info: '', fields };
  }
  const sent = parts.groups.send(app.sdkAppId, body);
  const arrival = arrivalOf(dataOf(body));
  if (arrival !== null && sent.stored) parts.received.record(arrival, 'taken');
  if (arrival !== null && sent.repeat) parts.received.record(arrival, 'deduplicated');
  return sent.answer;
}

function notify(
  parts: ImSandboxParts,
  app: SandboxImApp,
  groupId: string,
  body: JsonObject,
): GroupAnswer {
  if (!parts.groups.has(app.sdkAppId, groupId)) return { code: 10010, info: 'no such group' };
  if (body['ToMembers_Account'] !== undefined) {
    return { code: 10007, info: 'an AVChatRoom is notified as a whole' };
  }
  const arrival = arrivalOf(textField(body, 'Content'));
  if (arrival !== null) parts.received.record(arrival, 'notification');
  return { code: 0, info: '' };
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

function toJson({ code, info, fields }: GroupAnswer): JsonAnswer {
  const ActionStatus = code === 0 ? 'OK' : 'FAIL';
  const body = { ActionStatus, ErrorCode: code, ErrorInfo: info, ...fields };
  return { kind: 'json', status: 200, body };
}

function fail(code: number, info: string): JsonAnswer {
  return toJson({ code, info });
}
