/**
 * The IM stand-in over HTTP, as the vendor serves its REST interface: checks address, account and
 * signature, then hands the command on. For development and tests.
 */
import { replyOf } from '../delivery-stand-in/im-stand-in.ts';
import type { ImApp, ImReply, ImStandIn } from '../delivery-stand-in/im-stand-in.ts';
import { jsonObject } from '../json-fields.ts';
import { verifyUserSig } from '../user-sig.ts';
import { startHttpServer } from './http-json.ts';
import type { HttpServer, JsonAnswer, JsonRequest } from './http-json.ts';

/** An app that the stand-in knows. */
export interface SandboxImApp extends ImApp {
  readonly secretKey: string;
}

/** What the interface works with. */
export interface ImSandboxParts {
  readonly apps: readonly SandboxImApp[];
  readonly standIn: ImStandIn;
  readonly nowMs: () => number;
}

const pathPrefix = '/v4/group_open_http_svc/';

/** Starts the interface. */
export function startImSandbox(
  address: { readonly host: string; readonly port: number },
  parts: ImSandboxParts,
): Promise<HttpServer> {
  return startHttpServer(address, async (request) => answerOf(await replyTo(parts, request)));
}

async function replyTo(parts: ImSandboxParts, request: JsonRequest): Promise<ImReply> {
  const { method, url } = request;
  if (method !== 'POST' || !url.pathname.startsWith(pathPrefix)) return fail(60002, 'bad URL');
  const app = parts.apps.find(
    (known) => String(known.sdkAppId) === url.searchParams.get('sdkappid'),
  );
  const refusal = queryRefusal(parts, app, url);
  if (refusal !== null || app === undefined) return refusal ?? fail(60006, 'unknown sdkappid');
  const body = jsonObject(request.text);
  if (body === null) return fail(60003, 'the body is no JSON object');
  return parts.standIn.handle(app, url.pathname.slice(pathPrefix.length), body);
}

/** The vendor's checks of the query, in its order: form, app, account, signature. */
function queryRefusal(
  parts: ImSandboxParts,
  app: SandboxImApp | undefined,
  url: URL,
): ImReply | null {
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

function answerOf(reply: ImReply): JsonAnswer {
  switch (reply.kind) {
    case 'answer':
      return { kind: 'json', status: 200, body: reply.body };
    case 'bad_gateway':
      return { kind: 'text', status: 502, body: '<html>Bad Gateway</html>' };
    case 'cut':
    case 'hang':
      return reply;
  }
}

function fail(code: number, info: string): ImReply {
  return replyOf({ code, info });
}
