/**
 * The operations port of a process: `/livez`, `/readyz`, `/partitions`, `/metrics`. It listens on an address of its
 * own, so that probes and scrapes never wait behind calls, and a firewall can keep callers out.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closed, listening, type HttpAddress } from './http-listening.ts';

/** What the pages show; asked anew for each request. */
export interface OpsPages {
  /** Whether work may be sent here, and if not, every reason; and what to know in any case. */
  readiness(): {
    readonly ready: boolean;
    readonly reasons: readonly string[];
    readonly warning?: string;
  };
  /** What there is to know of each partition that the process has. */
  partitions(): readonly object[];
  readonly metricsContentType: string;
  metricsText(): Promise<string>;
}

/** A listening server. */
export interface OpsServer {
  /** `host:port` with the port that was really taken. */
  readonly address: string;
  /** Ends all connections. Idempotent. */
  stop(): Promise<void>;
}

/** Probes and a scraper or two; more than that is a mistake. */
const connectionsMax = 64;
const requestTimeoutMs = 5_000;

/** Listens; rejects when the address cannot be had. */
export async function startOpsServer(listen: HttpAddress, pages: OpsPages): Promise<OpsServer> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    void answer(request, response, pages);
  });
  server.maxConnections = connectionsMax;
  const address = await listening(server, listen);
  let stopping: Promise<void> | undefined;
  return {
    address,
    stop: () => (stopping ??= closed(server)),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pages: OpsPages,
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return send(response, 405, { error: 'only GET' });
  }
  switch (path) {
    case '/livez':
      // Alive means that this process answers; whether it can work is readiness (DRAIN-3).
      return send(response, 200, { live: true });
    case '/readyz': {
      const readiness = pages.readiness();
      return send(response, readiness.ready ? 200 : 503, readiness);
    }
    case '/partitions':
      return send(response, 200, { partitions: pages.partitions() });
    case '/metrics':
      try {
        const text = await pages.metricsText();
        response.writeHead(200, { 'content-type': pages.metricsContentType }).end(text);
      } catch (error) {
        send(response, 500, { error: error instanceof Error ? error.message : String(error) });
      }
      return;
    default:
      return send(response, 404, { error: 'there are /livez, /readyz, /partitions and /metrics' });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body, asText)}\n`);
}

/** 64-bit numbers are decimal text, as in the log. */
function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
