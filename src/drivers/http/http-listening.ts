/** Listening and closing of a small HTTP server, the same for each of ours. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where to listen; port 0 takes a free one. */
export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves with `host:port` as really taken; rejects when the address cannot be had. */
export function listening(server: Server, { host, port }: HttpAddress): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const taken = server.address() as AddressInfo;
      const name = taken.family === 'IPv6' ? `[${taken.address}]` : taken.address;
      resolve(`${name}:${taken.port}`);
    });
  });
}

/** Ends all connections, those with a request in hand too. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
