/**
 * One POST of JSON with a deadline of our own over a kept connection. Whatever is not a JSON answer
 * with status 200 is `unknown`: the vendor may have taken the request. The URL or a header
 * holds a signature, so no error text of this file ever names them.
 */
import http from 'node:http';
import https from 'node:https';
import { unknownOutcome } from '../kernel/unknown-outcome.ts';
import type { UnknownOutcome } from '../kernel/unknown-outcome.ts';

/** A JSON object that came back, or nothing certain. */
export type RestAnswer =
  { readonly kind: 'answer'; readonly body: Readonly<Record<string, unknown>> } | UnknownOutcome;

/** The vendor's answers have at most 1 MB. */
const answerBytesMax = 1024 * 1024;
const socketsMax = 64;

/** Connections to one host. `post` never throws and ends within its limit. */
export class RestConnections {
  private readonly base: URL;
  private readonly agent: http.Agent;

  constructor(baseUrl: string) {
    this.base = new URL(baseUrl);
    const options = { keepAlive: true, maxSockets: socketsMax, noDelay: true };
    this.agent =
      this.base.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
  }

  /** `pathAndQuery` begins with a slash and is encoded already; `body` is JSON. */
  post(
    pathAndQuery: string,
    body: string,
    limitMs: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RestAnswer> {
    const bytes = Buffer.from(body, 'utf8');
    const { protocol, hostname, port } = this.base;
    return new Promise((resolve) => {
      const send = protocol === 'https:' ? https.request : http.request;
      const request = send({
        protocol,
        hostname,
        port,
        path: pathAndQuery,
        method: 'POST',
        agent: this.agent,
        headers: {
          'content-type': 'application/json',
          ...headers,
          'content-length': bytes.length,
        },
      });
      const end = (answer: RestAnswer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      const timer = setTimeout(() => {
        end(unknownOutcome(`no answer within ${limitMs} ms`));
        request.destroy();
      }, limitMs);
      request.on('error', (error: NodeJS.ErrnoException) => {
        end(unknownOutcome(error.code ?? error.message));
      });
      request.on('response', (response) => readAnswer(response, request, end));
      request.end(bytes);
    });
  }

  /** Closes all connections; calls in flight end as `unknown`. */
  close(): void {
    this.agent.destroy();
  }
}

function readAnswer(
  response: http.IncomingMessage,
  request: http.ClientRequest,
  end: (answer: RestAnswer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= answerBytesMax) return;
    end(unknownOutcome(`an answer of more than ${answerBytesMax} bytes`));
    request.destroy();
  });
  response.on('error', (error) => end(unknownOutcome(error)));
  // A connection that is cut within the answer closes it without an end.
  response.on('close', () => end(unknownOutcome('the connection was cut within the answer')));
  response.on('end', () => {
    if (!response.complete) return;
    if (response.statusCode !== 200) {
      end(unknownOutcome(`HTTP status ${response.statusCode ?? 0}`));
      return;
    }
    end(parsed(Buffer.concat(chunks).toString('utf8')));
  });
}

function parsed(text: string): RestAnswer {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return { kind: 'answer', body: body as Record<string, unknown> };
    }
  } catch {
    // Said below: a proxy's page, or an answer cut short.
  }
  return unknownOutcome('an answer that is no JSON object');
}
