/**
 * A TCP proxy that a fault test puts between a client and a server: it can hold bytes back, cut,
 * refuse, delay, slice, and swallow an answer. The faults are those of a network, so the bytes that pass
 * are never changed.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { openLink, type ProxyLink } from './tcp-proxy-link.ts';

/** The way bytes go. */
export type Direction = 'toServer' | 'toClient';

/** What the proxy does with bytes while no rule of a test says otherwise. */
export type ProxyMode =
  | { readonly kind: 'pass' }
  /** Bytes of this direction wait, and go on in order when the mode changes. */
  | { readonly kind: 'hold'; readonly direction: Direction | 'both' }
  /** Every chunk of either direction leaves `delayMs` after it came. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Every chunk leaves in pieces of at most `bytesMax`, a millisecond apart. */
  | { readonly kind: 'slice'; readonly bytesMax: number };

/** When and how an answer gets lost. */
export interface SwallowRule {
  /** Direction whose chunks are shown to `matches`. */
  readonly watch: Direction;
  /**
   * True for the chunk that starts the loss. That chunk itself passes when it goes the other way
   * than `swallow`. A chunk is what the network delivered: it may hold several packets or half one.
   */
  readonly matches: (chunk: Buffer) => boolean;
  /** Direction whose bytes are dropped from then on, on that connection only. Default: toClient. */
  readonly swallow?: Direction;
}

/** A rule at work. It applies to one connection: the first on which it matches. */
export interface SwallowWatch {
  /** Resolves when the rule matched. */
  readonly matched: Promise<void>;
  /** Resolves when the first bytes were dropped: the server has answered by then. */
  readonly swallowed: Promise<void>;
  /** Cuts the connection on which the rule matched. */
  cutMatched(): void;
}

/** See the file header. */
export interface TcpProxy {
  readonly port: number;
  /** Connections open now. */
  readonly connectionCount: number;
  /** Chunks that came while a mode other than `pass` was on, and connections that were cut. */
  readonly metCount: number;
  /** Server of connections to come. */
  setTarget(port: number, host?: string): void;
  setMode(mode: ProxyMode): void;
  /** Destroys every open connection; new ones are welcome. */
  cut(): void;
  /** Cuts, and refuses new connections as a closed port does. */
  refuse(): Promise<void>;
  /** Ends refuse, on the same port. */
  accept(): Promise<void>;
  swallow(rule: SwallowRule): SwallowWatch;
  /** Cuts and frees the port. */
  close(): Promise<void>;
}

/** Starts a proxy on 127.0.0.1. `listenPort` 0 or absent means any free one. */
export async function startTcpProxy(options: {
  readonly targetPort: number;
  readonly targetHost?: string;
  readonly listenPort?: number;
}): Promise<TcpProxy> {
  let target = { port: options.targetPort, host: options.targetHost ?? '127.0.0.1' };
  let mode: ProxyMode = { kind: 'pass' };
  let server: Server | undefined;
  const links = new Set<ProxyLink>();
  const rules = new Set<LiveRule>();
  let metCount = 0;

  const onConnection = (client: Socket): void => {
    const link = openLink(client, target, mode, (direction, chunk, self) => {
      if (mode.kind !== 'pass') metCount += 1;
      for (const rule of rules) rule.see(direction, chunk, self);
    });
    links.add(link);
    void link.closed.then(() => links.delete(link));
  };
  const cut = (): void => {
    metCount += links.size;
    links.forEach((link) => link.cut());
  };
  const stopListening = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    const closed = closing === undefined ? undefined : closeServer(closing);
    cut();
    await closed;
  };

  server = await listen(onConnection, options.listenPort ?? 0);
  const port = portOf(server);
  return {
    port,
    get connectionCount() {
      return links.size;
    },
    get metCount() {
      return metCount;
    },
    setTarget: (targetPort, host = '127.0.0.1') => void (target = { port: targetPort, host }),
    setMode(next) {
      mode = next;
      links.forEach((link) => link.setMode(next));
    },
    cut,
    refuse: stopListening,
    accept: async () => void (server ??= await listen(onConnection, port)),
    swallow(rule) {
      const live = new LiveRule(rule, () => rules.delete(live));
      rules.add(live);
      return live;
    },
    close: stopListening,
  };
}

class LiveRule implements SwallowWatch {
  readonly matched: Promise<void>;
  readonly swallowed: Promise<void>;
  readonly #rule: SwallowRule;
  readonly #done: () => void;
  #settleMatched: () => void = () => undefined;
  #settleSwallowed: () => void = () => undefined;
  #link: ProxyLink | undefined;

  constructor(rule: SwallowRule, done: () => void) {
    this.#rule = rule;
    this.#done = done;
    this.matched = new Promise((settle) => (this.#settleMatched = settle));
    this.swallowed = new Promise((settle) => (this.#settleSwallowed = settle));
  }

  see(direction: Direction, chunk: Buffer, link: ProxyLink): void {
    if (this.#link !== undefined || direction !== this.#rule.watch) return;
    if (!this.#rule.matches(chunk)) return;
    this.#link = link;
    this.#done();
    // Before the chunk goes on: the answer to it cannot slip through.
    link.swallow(this.#rule.swallow ?? 'toClient', this.#settleSwallowed);
    this.#settleMatched();
  }

  cutMatched(): void {
    this.#link?.cut();
  }
}

function listen(onConnection: (client: Socket) => void, port: number): Promise<Server> {
  return new Promise((settle, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, onConnection);
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => settle(server));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((settle) => server.close(() => settle()));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}
