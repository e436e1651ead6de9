/** What servers and clients of owner reads must do together. */
import { getEventListeners } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, RoomId, RoomVersion, UserId } from '../../../src/domain/ids.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import {
  unreached,
  type OwnerAnswer,
  type OwnerQuestion,
  type OwnerRead,
  type OwnerReads,
  type OwnerReadsPeers,
  type OwnerReadsServer,
  type OwnerReply,
} from '../../../src/ports/owner-reads.ts';
import type { OwnerWatches } from '../../../src/ports/room-watch.ts';
import { sampleView } from '../../support/sample-view.ts';
import { noWatches } from '../../support/no-watches.ts';

/** Ways between nodes; time is real. */
export interface OwnerReadsFixture {
  /** A server that does not listen yet, at an address of its own. */
  serverOf(node: OwnerReads & OwnerWatches): OwnerReadsServer;
  peers(): OwnerReadsPeers;
  /** An address at which nobody listens. */
  emptyAddress(): Promise<string>;
  close(): Promise<void>;
}

const asUser = (text: string): UserId => text as UserId;
const exchanges: readonly (readonly [string, OwnerQuestion, OwnerAnswer])[] = [
  ['a view', { kind: 'view' }, { kind: 'view', view: sampleView }],
  [
    'a view with nothing in it',
    { kind: 'view' },
    { kind: 'view', view: { ...sampleView, status: 'deleted', seats: [], close: null, me: null } },
  ],
  [
    'a yes',
    { kind: 'guard', userId: asUser('u2') },
    { kind: 'guard', refusal: null, onSeat: false },
  ],
  [
    'a yes to a seat’s holder',
    { kind: 'guard', userId: asUser('u2') },
    { kind: 'guard', refusal: null, onSeat: true },
  ],
  [
    'a no',
    { kind: 'guard', userId: asUser('u2') },
    { kind: 'guard', refusal: 'USER_BANNED', onSeat: false },
  ],
  [
    'an audience',
    { kind: 'audience', afterUserId: asUser('u1'), pageSize: 100 },
    {
      kind: 'audience',
      users: [
        {
          user: {
            userId: asUser('u2'),
            profile: { nickname: 'n', avatarUrl: 'v', countryCode: 'DE', ext: 'e' },
            isRobot: true,
            joinedAtMs: 1_700_000_000_000,
            joinedAtVersion: 0n as RoomVersion,
          },
          role: 'admin',
          seatNo: 2,
        },
      ],
      hasMore: true,
    },
  ],
  [
    'bans',
    { kind: 'bans', afterUserId: '', pageSize: 1 },
    {
      kind: 'bans',
      bans: [
        {
          userId: asUser('u3'),
          byUserId: asUser('owner'),
          reason: 'spam',
          bannedAtMs: 1_700_000_000_000,
          expiresAtMs: 0,
        },
      ],
      hasMore: false,
    },
  ],
  [
    'mic requests',
    { kind: 'micRequests' },
    {
      kind: 'micRequests',
      requests: [
        {
          kind: 'invite',
          userId: asUser('u4'),
          byUserId: asUser('owner'),
          seatNo: 0,
          requestedAtMs: 1_700_000_000_000,
          expiresAtMs: 1_700_000_060_000,
        },
      ],
    },
  ],
  [
    'a gift rank',
    { kind: 'giftRank', places: 20 },
    {
      kind: 'giftRank',
      places: [{ userId: asUser('u2'), coins: 5n, rank: 1 }],
      roomHeat: 5n,
    },
  ],
];

/** Declares the suite. */
export function ownerReadsContract(
  name: string,
  makeFixture: () => Promise<OwnerReadsFixture>,
): void {
  describe(`OwnerReads contract: ${name}`, () => {
    let fixture: OwnerReadsFixture;
    let peers: OwnerReadsPeers;
    const started: OwnerReadsServer[] = [];
    const open: (() => void)[] = [];
    beforeAll(async () => {
      fixture = await makeFixture();
      peers = fixture.peers();
    });
    afterEach(async () => {
      for (const end of open.splice(0)) end();
      for (const server of started.splice(0)) await server.stop(0);
    });
    afterAll(async () => {
      await peers.stop();
      await fixture.close();
    });

    const readOf = (change: Partial<OwnerRead> = {}): OwnerRead => ({
      roomKey: roomKeyOf('app1' as AppCode, 'r1' as RoomId),
      asker: { role: 'user', userId: asUser('u1') },
      question: { kind: 'view' },
      forwardedBy: '',
      ...change,
    });
    const call = (withinMs = 10_000, signal = new AbortController().signal) => ({
      withinMs,
      signal,
    });
    const replyOf = (answer: OwnerAnswer): OwnerReply => ({
      roomVersion: (2n ** 62n) as RoomVersion,
      ownerEpoch: 41n,
      answer,
    });
    const serve = async (read: OwnerReads['read']): Promise<[string, OwnerReadsServer]> => {
      const server = fixture.serverOf({ read, ...noWatches });
      started.push(server);
      return [await server.start(), server];
    };
    /** Takes reads and answers them when the test is over. */
    const silent = (): Promise<OwnerReply> =>
      new Promise((resolve) =>
        open.push(() => resolve(replyOf({ kind: 'view', view: sampleView }))),
      );

    it.each(exchanges)('%s arrives as it was sent, and its question too', async (...exchange) => {
      const [, question, answer] = exchange;
      const arrived: OwnerRead[] = [];
      const [address] = await serve((read) => {
        arrived.push(read);
        return Promise.resolve(replyOf(answer));
      });
      for (const change of [
        {},
        { forwardedBy: 'cell-2', asker: { role: 'service', userId: null } } as const,
        { asker: { role: 'operator', userId: null } } as const,
      ]) {
        const read = readOf({ question, ...change });
        expect(await peers.at(address).read(read, call())).toEqual(replyOf(answer));
        expect(arrived.at(-1)).toEqual(read);
      }
    });

    it.each([
      ['retry', 'NOT_OWNER', { owner: 'cell-2' }, 200],
      ['retry', 'OWNER_BUSY', {}, 100],
      ['reject', 'NOT_ROOM_MANAGER', { actor_user_id: 'u1' }, undefined],
      ['reject', 'ROOM_NOT_FOUND', {}, undefined],
    ] as const)('a failure keeps what the caller must do: %s %s', async (...parts) => {
      const [kind, reason, facts, retryAfterMs] = parts;
      const delay = retryAfterMs === undefined ? {} : { retryAfterMs };
      const [address] = await serve(() =>
        Promise.reject(new Failure(kind, reason, 'no', { facts, ...delay })),
      );
      const refused = peers.at(address).read(readOf(), call());
      await expect(refused).rejects.toMatchObject({ kind, reason, facts, ...delay });
    });

    it('a call to where nobody listens says that it reached nobody', async () => {
      const lost = peers.at(await fixture.emptyAddress()).read(readOf(), call());
      await expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE', facts: unreached });
    });

    it('a silent node is waited for no longer than was asked, and may have been reached', async () => {
      const [address] = await serve(silent);
      const { signal } = new AbortController();
      const late = await peers
        .at(address)
        .read(readOf(), call(200, signal))
        .catch((error: unknown) => error);
      expect(late).toMatchObject({ reason: 'UNAVAILABLE', kind: 'retry' });
      expect((late as Failure).facts).not.toMatchObject(unreached);
      // Whoever asks again and again under one signal does not fill it with what nobody waits for.
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    it('ends as soon as nobody waits any more', async () => {
      const [address] = await serve(silent);
      const caller = new AbortController();
      const reading = peers.at(address).read(readOf(), call(60_000, caller.signal));
      caller.abort();
      await expect(reading).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    });

    it('a drained server refuses new calls, and a stopped one is not there', async () => {
      const [address, server] = await serve(() =>
        Promise.resolve(replyOf({ kind: 'view', view: sampleView })),
      );
      await peers.at(address).read(readOf(), call());
      server.drain();
      const refused = peers.at(address).read(readOf(), call());
      await expect(refused).rejects.toMatchObject({ kind: 'retry', reason: 'DRAINING' });
      await server.stop(0);
      await server.stop(0);
      const lost = peers.at(address).read(readOf(), call());
      await expect(lost).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    });

    it('stopped peers call nobody', async () => {
      const [address] = await serve(() =>
        Promise.resolve(replyOf({ kind: 'view', view: sampleView })),
      );
      const own = fixture.peers();
      await own.at(address).read(readOf(), call());
      await own.stop();
      await own.stop();
      const refused = own.at(address).read(readOf(), call());
      await expect(refused).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    });
  });
}
