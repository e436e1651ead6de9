/**
 * `POST /rtc/callback/{app_code}`: where Tencent RTC tells of its users (RTC-4). Answers 200
 * `{"code":0}` once the event is certain to be taken, or is none of ours; anything else makes the
 * service send it again, for a minute. The body is read up to its limit and not a byte further.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Log } from '../../ports/log.ts';
import type { RtcEvents } from '../../ports/rtc-events.ts';
import { isSignedBy, readCallback } from './rtc-callback.ts';
import { closed, listening } from './http-listening.ts';
import type { HttpAddress } from './http-listening.ts';

/** What an app signs its callbacks with. */
export interface RtcCallbackApp {
  readonly callbackKey: string;
  readonly sdkAppId: number;
}

/** A listening server. */
export interface RtcCallbackServer {
  /** Resolves with `host:port` as really taken; rejects when the address cannot be had. */
  start(): Promise<string>;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
}

/** Of one body; a callback has less than 1 KB. */
const bodyBytesMax = 64 * 1024;
/** Requests at the same time; the service waits and sends again. */
const connectionsMax = 256;
/** The service gives up after 5 s. */
const requestTimeoutMs = 5_000;

const pathPattern = /^\/rtc\/callback\/(?<app>[A-Za-z0-9_.:-]{1,64})$/;

/** Makes it; nothing listens before `start`. */
export function createRtcCallbackServer(
  listen: HttpAddress,
  apps: ReadonlyMap<string, RtcCallbackApp>,
  events: RtcEvents,
  log: Log,
): RtcCallbackServer {
  const server: Server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    answer(request, apps, events).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => {
        if (!(error instanceof Failure)) log.error({ error }, 'an RTC callback met a fault');
        send(response, 503, {
          code: 1,
          reason: error instanceof Failure ? error.reason : 'INTERNAL',
        });
      },
    );
  });
  server.maxConnections = connectionsMax;
  let stopping: Promise<void> | undefined;
  return {
    start: () => listening(server, listen),
    stop: () => (stopping ??= closed(server)),
  };
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const taken: Answer = { status: 200, body: { code: 0 } };

async function answer(
  request: IncomingMessage,
  apps: ReadonlyMap<string, RtcCallbackApp>,
  events: RtcEvents,
): Promise<Answer> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const appCode = pathPattern.exec(path)?.groups?.['app'];
  const app = appCode === undefined ? undefined : apps.get(appCode);
  if (appCode === undefined || app === undefined) return refused(404, 'no such app');
  if (request.method !== 'POST') return refused(405, 'only POST');
  const body = await bodyOf(request);
  if (body === null) return refused(413, `more than ${bodyBytesMax} bytes`);

  // Before the body is understood: whoever has no key learns nothing from the answers.
  const isOurs = header(request, 'sdkappid') === String(app.sdkAppId);
  if (!isOurs || !isSignedBy(app.callbackKey, body, header(request, 'sign'))) {
    return refused(401, 'wrong signature');
  }
  const callback = readCallback(body);
  if (callback.kind === 'unread') return refused(400, callback.fault);
  if (callback.kind === 'ignored') return taken;
  await events.applyRtcEvent({ ...callback.event, appCode, sdkAppId: app.sdkAppId });
  return taken;
}

function refused(status: number, reason: string): Answer {
  return { status, body: { code: 1, reason } };
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Null: more than is taken. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  // Whoever sends too much, or with a wrong key, is not worth another request on this connection.
  const connection = status === 200 ? 'keep-alive' : 'close';
  response.writeHead(status, { 'content-type': 'application/json', connection });
  response.end(JSON.stringify(body));
}
