/** Small HTTP servers of the sandbox: JSON in, JSON out, a bounded body, a prompt stop. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request with its body read. */
export interface JsonRequest {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name; of a repeated header the first or all, as Node has it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** An answer; `cut` closes the connection instead, `hang` never answers. */
export type JsonAnswer =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'text'; readonly status: number; readonly body: string }
  | { readonly kind: 'cut' }
  | { readonly kind: 'hang' };

/** A running server. */
export interface HttpServer {
  /** `http://host:port` with the port that was really taken. */
  readonly url: string;
  /** Ends open connections as well. */
  stop(): Promise<void>;
}

const bodyBytesMax = 4 * 1024 * 1024;

/** Starts a server; `port` 0 takes any free one. Rejects when the address cannot be had. */
export async function startHttpServer(
  address: { readonly host: string; readonly port: number },
  handle: (request: JsonRequest) => JsonAnswer | Promise<JsonAnswer>,
): Promise<HttpServer> {
  const server = http.createServer((request, response) => {
    void answer(request, response, handle);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.host}:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  handle: (request: JsonRequest) => JsonAnswer | Promise<JsonAnswer>,
): Promise<void> {
  try {
    const text = await bodyOf(request);
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const result = await handle({
      method: request.method ?? 'GET',
      url,
      headers: request.headers,
      text,
    });
    if (result.kind === 'hang') return;
    if (result.kind === 'cut') {
      request.socket.destroy();
      return;
    }
    const isJson = result.kind === 'json';
    response.writeHead(result.status, {
      'content-type': isJson ? 'application/json' : 'text/html',
    });
    response.end(isJson ? JSON.stringify(result.body) : result.body);
  } catch (thrown) {
    // A stand-in that fails shows it to its caller; nothing else depends on it.
    if (response.headersSent) request.socket.destroy();
    else response.writeHead(500).end(String(thrown));
  }
}

async function bodyOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyBytesMax) throw new Error(`a body of more than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
