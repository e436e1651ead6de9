/**
 * The sockets of one Kafka client. kafkajs leaves four things open that are closed here: it does not
 * switch Nagle's delay off; it does not say whether a produce request ever left the process; it goes
 * on with a half-open connection after a time-out; and it cannot be stopped while a broker is away.
 */
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import type { ISocketFactory, ISocketFactoryArgs } from 'kafkajs';
import type { Log } from '../../ports/log.ts';

const keepAliveDelayMs = 30_000;
/** A request starts with its size (4 bytes), then the number of its kind (2 bytes); 0 is Produce. */
const apiKeyOffset = 4;
const produceApiKey = 0;

/** See the file header. One per client. */
export class BrokerSockets {
  private readonly log: Log;
  private readonly open = new Map<Socket, string>();
  private readonly unreachable = new Set<string>();
  private closed = false;
  private produces = 0;

  constructor(log: Log) {
    this.log = log;
  }

  /** Produce requests handed to a socket so far. Unchanged means: surely nothing was sent. */
  get producesWritten(): number {
    return this.produces;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Given to kafkajs. Throws after `close`, which ends kafkajs's reconnecting. */
  readonly factory: ISocketFactory = (args) => {
    if (this.closed) throw new Error('the Kafka client is closed');
    const address = `${args.host}:${args.port}`;
    const socket = openSocket(args);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveDelayMs);
    this.open.set(socket, address);
    this.countProduces(socket);
    // By its first bytes and not by the connection: a frozen broker's kernel, or a proxy in front of
    // a dead one, accepts connections, too.
    let hasAnswered = false;
    socket.once('data', () => {
      hasAnswered = true;
      this.tellReachable(address);
    });
    socket.once('close', () => {
      this.open.delete(socket);
      if (!hasAnswered && !this.closed) this.tellUnreachable(address);
    });
    return socket;
  };

  /** Cuts the connections to `address` (all when absent), so that kafkajs makes new ones. */
  cut(address?: string, why = 'cut because a request had no answer'): void {
    for (const [socket, itsAddress] of this.open) {
      // With an error, because kafkajs does not listen for a plain close.
      if (address === undefined || address === itsAddress) socket.destroy(new Error(why));
    }
  }

  /** Cuts everything for good. Idempotent. */
  close(): void {
    this.closed = true;
    this.cut(undefined, 'the Kafka client is closed');
  }

  private countProduces(socket: Socket): void {
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    socket.write = (chunk: unknown, ...rest: unknown[]): boolean => {
      // Counted before the write: a write that throws half-way may have sent bytes.
      if (isProduceRequest(chunk)) this.produces += 1;
      return write(chunk, ...rest);
    };
  }

  private tellUnreachable(address: string): void {
    if (this.unreachable.has(address)) return;
    this.unreachable.add(address);
    this.log.warn({ broker: address }, 'Kafka broker cannot be reached; trying until it answers');
  }

  private tellReachable(address: string): void {
    if (!this.unreachable.delete(address)) return;
    this.log.info({ broker: address }, 'Kafka broker can be reached again');
  }
}

function openSocket({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
  const tls = ssl as ConnectionOptions | null | undefined;
  if (tls === null || tls === undefined) return connect({ host, port }, onConnect);
  const serverName = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...serverName, ...tls }, onConnect);
}

function isProduceRequest(chunk: unknown): boolean {
  if (!Buffer.isBuffer(chunk) || chunk.length < apiKeyOffset + 2) return false;
  return chunk.readInt16BE(apiKeyOffset) === produceApiKey;
}
