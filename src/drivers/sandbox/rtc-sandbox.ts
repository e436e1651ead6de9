/**
 * The RTC stand-in over HTTP, as the vendor serves its server interface: checks method, version,
 * region and signature, then hands the action on. For development and tests.
 */
import { refused } from '../delivery-stand-in/rtc-stand-in.ts';
import type { RtcReply, RtcStandIn } from '../delivery-stand-in/rtc-stand-in.ts';
import { jsonObject } from '../json-fields.ts';
import { tc3ContentType, tc3Fault, type Tc3Account } from '../tc3-signature.ts';
import { startHttpServer } from './http-json.ts';
import type { HttpServer, JsonAnswer, JsonRequest } from './http-json.ts';

/** An app that the stand-in knows, with the account that may act for it. */
export interface SandboxRtcApp extends Tc3Account {
  readonly sdkAppId: number;
}

/** What the interface works with. */
export interface RtcSandboxParts {
  readonly apps: readonly SandboxRtcApp[];
  readonly standIn: RtcStandIn;
  readonly nowMs: () => number;
}

/** Starts the interface. */
export function startRtcSandbox(
  address: { readonly host: string; readonly port: number },
  parts: RtcSandboxParts,
): Promise<HttpServer> {
  return startHttpServer(address, async (request) => answerOf(await replyTo(parts, request)));
}

async function replyTo(parts: RtcSandboxParts, request: JsonRequest): Promise<RtcReply> {
  const { method, url, headers, text } = request;
  const header = (name: string): string => String(headers[name] ?? '');
  if (method !== 'POST' || url.pathname !== '/') return refused('InvalidRequest', 'bad address');
  if (header('content-type') !== tc3ContentType) return refused('UnsupportedProtocol', 'no JSON');
  if (header('x-tc-version') !== '2019-07-22') return refused('NoSuchVersion', 'bad version');
  if (header('x-tc-region') === '') return refused('MissingParameter', 'no region');
  const body = jsonObject(text);
  if (body === null) return refused('InvalidParameter', 'the body is no JSON object');
  const app = parts.apps.find(({ sdkAppId }) => sdkAppId === body['SdkAppId']);
  if (app === undefined) return refused('InvalidParameter.SdkAppId', 'unknown SdkAppId');
  const action = header('x-tc-action');
  const signed = {
    service: 'trtc',
    host: header('host'),
    action,
    timestampSeconds: Number(header('x-tc-timestamp')),
    body: text,
  };
  const nowSeconds = Math.floor(parts.nowMs() / 1000);
  const fault = tc3Fault(app, signed, header('authorization'), nowSeconds);
  if (fault !== null) return refused(fault, 'the signature is not good');
  return parts.standIn.handle(action, body);
}

function answerOf(reply: RtcReply): JsonAnswer {
  switch (reply.kind) {
    case 'answer':
      return { kind: 'json', status: 200, body: reply.body };
    case 'server_error':
      return { kind: 'text', status: 500, body: '<html>Internal Server Error</html>' };
    case 'cut':
    case 'hang':
      return reply;
  }
}
