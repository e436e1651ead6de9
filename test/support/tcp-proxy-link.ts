/**
 * One connection through the TCP proxy: two sockets and the bytes between them. See tcp-proxy.ts.
 */
import { connect, type Socket } from 'node:net';
import type { Direction, ProxyMode } from './tcp-proxy.ts';

/** See the file header. */
export interface ProxyLink {
  /** Resolves when both sockets are closed. */
  readonly closed: Promise<void>;
  setMode(mode: ProxyMode): void;
  /** Drops the bytes of `direction` from now on and calls `onFirstDrop` at the first ones. */
  swallow(direction: Direction, onFirstDrop: () => void): void;
  cut(): void;
}

/** Shown every chunk before it is forwarded. */
export type ChunkObserver = (direction: Direction, chunk: Buffer, link: ProxyLink) => void;

/** Connects `client` with the target and forwards as `mode` says. */
export function openLink(
  client: Socket,
  target: { readonly port: number; readonly host: string },
  mode: ProxyMode,
  observe: ChunkObserver,
): ProxyLink {
  const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
  const lanes: Readonly<Record<Direction, Lane>> = {
    toServer: new Lane(client, server, (chunk) => observe('toServer', chunk, link)),
    toClient: new Lane(server, client, (chunk) => observe('toClient', chunk, link)),
  };
  // With a reset, as a broken connection has it; an orderly end would be a server's goodbye.
  const cut = (): void => {
    client.resetAndDestroy();
    server.resetAndDestroy();
  };
  const link: ProxyLink = {
    closed: Promise.all([closeOf(client), closeOf(server)]).then(() => undefined),
    setMode(next) {
      for (const direction of ['toServer', 'toClient'] as const) {
        const isHeld =
          next.kind === 'hold' && (next.direction === 'both' || next.direction === direction);
        lanes[direction].setFlow({
          isHeld,
          delayMs: next.kind === 'delay' ? next.delayMs : 0,
          pieceBytesMax: next.kind === 'slice' ? next.bytesMax : Infinity,
        });
      }
    },
    swallow: (direction, onFirstDrop) => lanes[direction].swallow(onFirstDrop),
    cut,
  };
  // An error on one side (refused, reset) is passed on as a cut; half-closes travel as they are.
  client.on('error', cut);
  server.on('error', cut);
  link.setMode(mode);
  return link;
}

function closeOf(socket: Socket): Promise<void> {
  return new Promise((settle) => socket.once('close', () => settle()));
}

/** What waits for its turn: bytes, or the end of the stream. */
type Item = Buffer | 'end';

/** How a direction lets bytes through from now on. */
interface Flow {
  readonly isHeld: boolean;
  readonly delayMs: number;
  /** Chunks that come from now on are cut into pieces of so many bytes. */
  readonly pieceBytesMax: number;
}

const pieceGapMs = 1;

/** One direction. Items leave in the order in which they came, whatever the modes were. */
class Lane {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #waiting: { readonly item: Item; readonly dueAtMs: number }[] = [];
  #isHeld = false;
  #delayMs = 0;
  #pieceBytesMax = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #onFirstDrop: (() => void) | undefined;
  #isSwallowing = false;

  constructor(from: Socket, to: Socket, observe: (chunk: Buffer) => void) {
    this.#from = from;
    this.#to = to;
    from.on('data', (chunk: Buffer) => {
      observe(chunk);
      this.#push(chunk);
    });
    from.on('end', () => this.#push('end'));
    to.once('close', () => clearTimeout(this.#timer));
    to.on('drain', () => from.resume());
  }

  setFlow(flow: Flow): void {
    this.#isHeld = flow.isHeld;
    this.#delayMs = flow.delayMs;
    this.#pieceBytesMax = flow.pieceBytesMax;
    this.#flush();
  }

  swallow(onFirstDrop: () => void): void {
    this.#isSwallowing = true;
    this.#onFirstDrop = onFirstDrop;
  }

  #push(item: Item): void {
    const dueAtMs = performance.now() + this.#delayMs;
    this.#pieces(item).forEach((piece, at) => {
      this.#waiting.push({ item: piece, dueAtMs: dueAtMs + at * pieceGapMs });
    });
    this.#flush();
  }

  #pieces(item: Item): readonly Item[] {
    if (item === 'end' || item.length <= this.#pieceBytesMax) return [item];
    const pieces: Buffer[] = [];
    for (let at = 0; at < item.length; at += this.#pieceBytesMax) {
      pieces.push(item.subarray(at, at + this.#pieceBytesMax));
    }
    return pieces;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    while (!this.#isHeld) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const waitMs = next.dueAtMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#flush(), Math.ceil(waitMs));
        return;
      }
      this.#waiting.shift();
      this.#forward(next.item);
    }
  }

  #forward(item: Item): void {
    if (this.#isSwallowing) {
      this.#onFirstDrop?.();
      this.#onFirstDrop = undefined;
      return;
    }
    if (item === 'end') this.#to.end();
    else if (!this.#to.write(item)) this.#from.pause();
  }
}
