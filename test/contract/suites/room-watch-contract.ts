/** What servers and clients of watched rooms must do together. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, EventId, RoomId, RoomVersion, UserId } from '../../../src/domain/ids.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import {
  unreached,
  type OwnerReads,
  type OwnerReadsPeers,
  type OwnerReadsServer,
} from '../../../src/ports/owner-reads.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../../../src/ports/room-watch.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { sampleView } from '../../support/sample-view.ts';

/** Ways between nodes; time is real. */
export interface RoomWatchFixture {
  /** A server that does not listen yet, at an address of its own. */
  serverOf(node: OwnerReads & OwnerWatches): OwnerReadsServer;
  peers(): OwnerReadsPeers;
  /** An address at which nobody listens. */
  emptyAddress(): Promise<string>;
  close(): Promise<void>;
}

const noReads: OwnerReads = { read: () => Promise.reject(new Error('nobody reads in this test')) };
const version = (of: bigint): RoomVersion => of as RoomVersion;

/** A step with one event whose text has so many characters. */
function stepOf(of: bigint, characters = 10): WatchMessage {
  const event = {
    eventId: `e${of}` as EventId,
    eventType: 'RoomUserJoined',
    eventIndex: 3,
    text: '音'.repeat(characters),
  };
  return {
    kind: 'step',
    step: { version: version(of), occurredAtMs: 1_700_000_000_000, events: [event] },
  };
}

const everyKind: readonly WatchMessage[] = [
  { kind: 'view', view: sampleView },
  { kind: 'resumed', version: version(2n ** 60n) },
  stepOf(2n ** 61n),
  { kind: 'step', step: { version: version(7n), occurredAtMs: 1, events: [] } },
  { kind: 'alive' },
  { kind: 'end', end: { resumeAfterVersion: version(7n), reason: 'DRAINING' } },
];

/** Declares the suite. */
export function roomWatchContract(
  name: string,
  makeFixture: () => Promise<RoomWatchFixture>,
): void {
  describe(`OwnerWatches contract: ${name}`, () => {
    let fixture: RoomWatchFixture;
    let peers: OwnerReadsPeers;
    const started: OwnerReadsServer[] = [];
    beforeAll(async () => {
      fixture = await makeFixture();
      peers = fixture.peers();
    });
    afterEach(async () => {
      for (const server of started.splice(0)) await server.stop(0);
    });
    afterAll(async () => {
      await peers.stop();
      await fixture.close();
    });

    const watchOf = (change: Partial<OwnerWatch> = {}): OwnerWatch => ({
      roomKey: roomKeyOf('app1' as AppCode, 'r1' as RoomId),
      asker: { role: 'user', userId: 'u1' as UserId },
      afterVersion: version(0n),
      forwardedBy: '',
      ...change,
    });
    const serve = async (watch: OwnerWatches['watch']): Promise<[string, OwnerReadsServer]> => {
      const server = fixture.serverOf({ ...noReads, watch });
      started.push(server);
      return [await server.start(), server];
    };
    const listen = (
      address: string,
      change: Partial<OwnerWatch> = {},
      signal = new AbortController().signal,
      by = peers,
    ) => by.at(address).watch(watchOf(change), signal);
    const all = async (messages: AsyncIterable<WatchMessage>): Promise<WatchMessage[]> => {
      const heard: WatchMessage[] = [];
      for await (const message of messages) heard.push(message);
      return heard;
    };
    /** Says `first` and then nothing until it is left; `left` says that it was. */
    const quiet = (first: WatchMessage = { kind: 'alive' }) => {
      const left = createDeferred<void>();
      const watch: OwnerWatches['watch'] = async function* (_, signal) {
        try {
          yield first;
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
            if (signal.aborted) resolve();
          });
        } finally {
          left.resolve();
        }
      };
      return { watch, left };
    };

    it('messages of every kind arrive as they were sent and in their order, and the watch too', async () => {
      const arrived: OwnerWatch[] = [];
      const [address] = await serve(async function* (watch) {
        arrived.push(watch);
        await Promise.resolve();
        yield* everyKind;
      });
      for (const change of [
        {},
        { forwardedBy: 'cell-2', afterVersion: version(2n ** 62n) },
        { asker: { role: 'operator', userId: null } } as const,
      ]) {
        expect(await all(listen(address, change))).toEqual(everyKind);
        expect(arrived.at(-1)).toEqual(watchOf(change));
      }
    });

    it.each([
      ['retry', 'NOT_OWNER', { owner: 'cell-2' }, 200],
      ['retry', 'WATCH_TOO_SLOW', {}, 100],
      ['reject', 'USER_BANNED', { user_id: 'u1' }, undefined],
    ] as const)('a failure behind some steps keeps what it says: %s %s', async (...parts) => {
      const [kind, reason, facts, retryAfterMs] = parts;
      const delay = retryAfterMs === undefined ? {} : { retryAfterMs };
      const [address] = await serve(async function* () {
        await Promise.resolve();
        yield stepOf(1n);
        throw new Failure(kind, reason, 'no', { facts, ...delay });
      });
      const heard: WatchMessage[] = [];
      const ending = (async () => {
        for await (const message of listen(address)) heard.push(message);
      })();
      await expect(ending).rejects.toMatchObject({ kind, reason, facts, ...delay });
      expect(heard).toEqual([stepOf(1n)]);
    });

    it('a watch where nobody listens says that it reached nobody', async () => {
      const lost = all(listen(await fixture.emptyAddress()));
      await expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE', facts: unreached });
    });

    it('whoever leaves ends the watch at the other node, and is told nothing more', async () => {
      const { watch, left } = quiet();
      const [address] = await serve(watch);
      for await (const message of listen(address)) {
        expect(message.kind).toBe('alive');
        break;
      }
      await left.promise;
    });

    it('an abort ends it without a word, while it waits as well as before it began', async () => {
      const { watch, left } = quiet();
      const [address] = await serve(watch);
      const caller = new AbortController();
      const heard: WatchMessage[] = [];
      for await (const message of listen(address, {}, caller.signal)) {
        heard.push(message);
        caller.abort();
      }
      expect(heard).toEqual([{ kind: 'alive' }]);
      await left.promise;
      expect(await all(listen(address, {}, caller.signal))).toEqual([]);
    });

    it('a watcher that takes nothing holds the teller up, and nothing is lost or told twice', async () => {
      let told = 0;
      const [address] = await serve(async function* () {
        for (let n = 1; n <= 200; n += 1) {
          told = n;
          await Promise.resolve();
          yield stepOf(BigInt(n), 20_000);
        }
      });
      const heard: WatchMessage[] = [];
      for await (const message of listen(address)) {
        heard.push(message);
        if (heard.length > 1) continue;
        // 12 MB are to be told: they do not pile up on the way while nobody takes them.
        let seen = -1;
        await waitUntil(
          'the teller is held up',
          () => {
            const isStill = told === seen;
            seen = told;
            return Promise.resolve(isStill);
          },
          { everyMs: 100 },
        );
        expect(told).toBeLessThan(150);
      }
      expect(heard.map((message) => message.kind === 'step' && message.step.version)).toEqual(
        Array.from({ length: 200 }, (_, n) => BigInt(n + 1)),
      );
    });

    it('a drained server refuses new watches and goes on with the others until it is stopped', async () => {
      const [address, server] = await serve(quiet().watch);
      const going = listen(address)[Symbol.asyncIterator]();
      expect((await going.next()).value).toEqual({ kind: 'alive' });
      server.drain();
      const refused = all(listen(address));
      await expect(refused).rejects.toMatchObject({ kind: 'retry', reason: 'DRAINING' });
      const next = going.next();
      await server.stop(0);
      await expect(next).rejects.toMatchObject({ kind: 'retry', reason: 'UNAVAILABLE' });
    });

    it('stopped peers watch nothing more', async () => {
      const [address] = await serve(quiet().watch);
      const own = fixture.peers();
      const going = listen(address, {}, undefined, own)[Symbol.asyncIterator]();
      await going.next();
      const next = going.next();
      await own.stop();
      await expect(next).rejects.toMatchObject({ kind: 'retry', reason: 'UNAVAILABLE' });
      const refused = all(listen(address, {}, undefined, own));
      await expect(refused).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    });
  });
}
