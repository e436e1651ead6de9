/** Reads that a room's owner answers: whom the gateway asks, how often, in whose name. */
import { describe, expect, test } from 'vitest';
import { MemoryReadsNetwork } from '../../../src/drivers/memory/memory-reads-network.ts';
import { MemoryRtcTickets } from '../../../src/drivers/memory/memory-rtc-tickets.ts';
import type { RoomVersion, UserId } from '../../../src/domain/ids.ts';
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { createOwnerQueries } from '../../../src/gateway/owner-queries.ts';
import { encodeIdCursor } from '../../../src/gateway/pages.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type {
  AudienceUser,
  OwnerAnswer,
  OwnerRead,
  OwnerReads,
} from '../../../src/ports/owner-reads.ts';
import type { OwnerRow } from '../../../src/ports/partition-store.ts';
import { noWatches } from '../../support/no-watches.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import {
  appCode,
  away,
  backend,
  frame,
  outcomeOf,
  roomId,
  roomKey,
  user,
} from './gateway-fakes.ts';

const place = { appCode, roomId };
const yes: OwnerAnswer = { kind: 'guard', refusal: null, onSeat: false };

function rig({ withRtc = true } = {}) {
  const time = new ManualTime();
  const network = new MemoryReadsNetwork({ clock: time, timers: time });
  const reads: OwnerRead[] = [];
  const banned = new Set<string>();
  let address = 'cell-a';
  let looks = 0;
  let isMysqlAway = false;
  const partitionStore = {
    readOwners: () => {
      looks += 1;
      if (isMysqlAway) return Promise.reject(away());
      const rows = Array.from({ length: 8 }, (_, partition) => ({
        partition,
        advertiseAddr: address,
        released: address === '',
      }));
      return Promise.resolve(rows as unknown as OwnerRow[]);
    },
  };
  const queries = createOwnerQueries(
    {
      clock: time,
      timers: time,
      partitionStore,
      peers: network.peers(),
      roomQueries: {
        isPlatformBanned: (_app, userId) => Promise.resolve(banned.has(userId)),
      },
      rtcTickets: new MemoryRtcTickets(new Map(withRtc ? [[appCode, 1_400_000_001]] : [])),
    },
    {
      limits: defaultGatewayLimits,
      partitionCount: 8,
      cached: () => Promise.resolve({ title: 'cached' } as RoomView),
    },
  );
  /** A cell at `where` that answers so. */
  const cell = async (where: string, answer: () => OwnerAnswer): Promise<void> => {
    const node: OwnerReads = {
      read: async (read) => {
        reads.push(read);
        return { roomVersion: 7n as RoomVersion, ownerEpoch: 3n, answer: answer() };
      },
    };
    await network.server(where, { ...node, ...noWatches }).start();
  };
  return {
    time,
    network,
    reads,
    banned,
    queries,
    cell,
    moveTo: (where: string) => void (address = where),
    cutMysql: () => void (isMysqlAway = true),
    looks: () => looks,
  };
}

describe('GuardUser', () => {
  const guard = (r: ReturnType<typeof rig>, userId = '', caller = user) =>
    r.queries.guardUser(frame({ caller }), { ...place, userId });

  test('answers the owner’s yes with version and epoch (ROOM-20, QRY-2)', async () => {
    const r = rig();
    await r.cell('cell-a', () => yes);
    expect(await guard(r)).toEqual({ allowed: true, reason: '', roomVersion: 7n, ownerEpoch: 3n });
    expect(r.reads).toEqual([
      {
        roomKey,
        asker: { role: 'user', userId: 'u1' },
        question: { kind: 'guard', userId: 'u1' },
        forwardedBy: '',
      },
    ]);
  });

  test.each([
    ['USER_NOT_PRESENT', 'USER_PLATFORM_BANNED'],
    [null, 'USER_PLATFORM_BANNED'],
    ['ROOM_CLOSED', 'ROOM_CLOSED'],
    ['ROOM_NOT_FOUND', 'ROOM_NOT_FOUND'],
  ])('a platform ban beside the room’s %s is told as %s', async (refusal, reason) => {
    const r = rig();
    await r.cell('cell-a', () => ({ kind: 'guard', refusal, onSeat: false }));
    r.banned.add('u1');
    expect(await guard(r)).toMatchObject({ allowed: false, reason });
  });

  test('a user asks about itself alone, a service about anybody it names', async () => {
    const r = rig();
    await r.cell('cell-a', () => yes);
    await expect(guard(r, 'u2')).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
    await expect(guard(r, '', backend)).rejects.toMatchObject({
      facts: { field: 'user_id', fault: 'missing' },
    });
    await guard(r, 'u2', backend);
    expect(r.reads).toMatchObject([{ asker: { role: 'service', userId: null } }]);
  });
});

describe('IssueRtcTicket', () => {
  const issue = (r: ReturnType<typeof rig>, userId = '', caller = user) =>
    r.queries.issueRtcTicket(frame({ caller }), { ...place, userId });
  const rights = (ticket: { readonly privateMapKey: string }): unknown =>
    JSON.parse(ticket.privateMapKey);

  test.each([true, false])(
    'lets a present user send only from a seat: %s (RTC-3)',
    async (onSeat) => {
      const r = rig();
      await r.cell('cell-a', () => ({ kind: 'guard', refusal: null, onSeat }));
      await r.time.advance(10_700);
      const ticket = await issue(r);
      expect(ticket).toMatchObject({
        sdkAppId: 1_400_000_001,
        rtcRoomId: roomId,
        userId: 'u1',
        maySendAudio: onSeat,
        expiresAtMs: 130_000,
        roomVersion: 7n,
        ownerEpoch: 3n,
      });
      expect(rights(ticket)).toMatchObject({
        roomId,
        userId: 'u1',
        maySendAudio: onSeat,
        expiresAtSeconds: 130,
      });
    },
  );

  test('is no longer valid than from its asking on, however long the owner took', async () => {
    const r = rig();
    await r.cell('cell-b', () => yes);
    const outcome = outcomeOf(issue(r));
    await settled();
    r.moveTo('cell-b');
    await r.time.advance(100);
    expect(outcome.now()).toMatchObject({ value: { expiresAtMs: 120_000 } });
  });

  test.each(['ROOM_NOT_FOUND', 'ROOM_CLOSED', 'USER_BANNED', 'USER_NOT_PRESENT', 'A_NEWER_REASON'])(
    'gives nothing to whom the guard refuses with %s (RTC-3)',
    async (refusal) => {
      const r = rig();
      await r.cell('cell-a', () => ({ kind: 'guard', refusal, onSeat: false }));
      await expect(issue(r)).rejects.toMatchObject({ reason: refusal });
    },
  );

  test('gives nothing to whom the platform has banned, seat or not (RTC-3)', async () => {
    const r = rig();
    await r.cell('cell-a', () => ({ kind: 'guard', refusal: null, onSeat: true }));
    r.banned.add('u1');
    await expect(issue(r)).rejects.toMatchObject({ reason: 'USER_PLATFORM_BANNED' });
  });

  test('is for the caller itself, or for anybody whom a service names', async () => {
    const r = rig();
    await r.cell('cell-a', () => yes);
    await expect(issue(r, 'u2')).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
    await expect(issue(r, '', backend)).rejects.toMatchObject({
      facts: { field: 'user_id', fault: 'missing' },
    });
    expect(await issue(r, 'u2', backend)).toMatchObject({ userId: 'u2', maySendAudio: false });
  });

  test('an app without RTC is told so', async () => {
    const r = rig({ withRtc: false });
    await r.cell('cell-a', () => yes);
    await expect(issue(r)).rejects.toMatchObject({ reason: 'RTC_NOT_CONFIGURED' });
  });
});

describe('asking the owner', () => {
  const readRoom = (r: ReturnType<typeof rig>, remainingMs = 5_000) =>
    outcomeOf(r.queries.readRoom(frame({ remainingMs }), { ...place, consistency: 'owner' }));
  const view: OwnerAnswer = { kind: 'view', view: { title: 'fresh' } as RoomView };

  test('many reads share one look at the owner rows', async () => {
    const r = rig();
    await r.cell('cell-a', () => view);
    for (let n = 0; n < 20; n += 1) readRoom(r);
    await settled();
    expect(r.reads).toHaveLength(20);
    expect(r.looks()).toBe(1);
    await r.time.advance(1_500);
    readRoom(r);
    await settled();
    expect(r.looks()).toBe(2);
  });

  test('an owner that is gone is looked for again, in rows that are younger than its loss', async () => {
    const r = rig();
    await r.cell('cell-b', () => view);
    const outcome = readRoom(r);
    await settled();
    expect(outcome.now()).toEqual({ kind: 'pending' });
    r.moveTo('cell-b');
    await r.time.advance(100);
    expect(outcome.now()).toMatchObject({ value: { title: 'fresh' } });
    expect(r.looks()).toBe(2);
  });

  test.each(['NOT_OWNER', 'DRAINING', 'UNAVAILABLE'])(
    '%s is tried again, a few times',
    async (reason) => {
      const r = rig();
      await r.cell('cell-a', () => {
        throw new Failure('retry', reason, reason);
      });
      const outcome = readRoom(r);
      await r.time.advance(2_000);
      expect(outcome.now()).toMatchObject({ failure: { reason } });
      expect(r.reads).toHaveLength(3);
    },
  );

  test.each(['ROOM_NOT_FOUND', 'NOT_ROOM_MANAGER', 'OWNER_BUSY', 'ROOM_CORRUPT'])(
    '%s is passed on at once',
    async (reason) => {
      const r = rig();
      await r.cell('cell-a', () => {
        throw new Failure('reject', reason, reason);
      });
      const outcome = readRoom(r);
      await settled();
      expect(outcome.now()).toMatchObject({ failure: { reason } });
      expect(r.reads).toHaveLength(1);
    },
  );

  test('ends within the caller’s time, also before a frozen owner', async () => {
    const r = rig();
    await r.cell('cell-a', () => view);
    r.network.silence('cell-a');
    const outcome = readRoom(r, 300);
    await r.time.advance(300);
    expect(outcome.now()).toMatchObject({ failure: { reason: 'UNAVAILABLE' } });
  });

  test('a frozen owner leaves time to ask its successor', async () => {
    const r = rig();
    await r.cell('cell-a', () => view);
    await r.cell('cell-b', () => view);
    r.network.silence('cell-a');
    const outcome = readRoom(r, 4_000);
    await r.time.advance(1_999);
    r.moveTo('cell-b');
    await r.time.advance(100);
    expect(outcome.now()).toMatchObject({ value: { title: 'fresh' } });
  });

  test('says NOT_OWNER while the partition has no owner, and UNAVAILABLE without MySQL', async () => {
    const r = rig();
    r.moveTo('');
    const none = readRoom(r);
    await r.time.advance(1_000);
    expect(none.now()).toMatchObject({ failure: { reason: 'NOT_OWNER' } });
    r.cutMysql();
    await r.time.advance(1_500);
    const blind = readRoom(r);
    await r.time.advance(1_000);
    expect(blind.now()).toMatchObject({ failure: { reason: 'UNAVAILABLE' } });
  });

  test('is not done for a cached view, nor for an unknown consistency', async () => {
    const r = rig();
    expect(await r.queries.readRoom(frame(), { ...place, consistency: '' })).toEqual({
      title: 'cached',
    });
    const odd = r.queries.readRoom(frame(), { ...place, consistency: 'unknown:7' });
    await expect(odd).rejects.toMatchObject({ facts: { field: 'consistency' } });
    expect(r.looks()).toBe(0);
  });
});

describe('lists of the owner', () => {
  const audience = (users: readonly string[], hasMore: boolean): OwnerAnswer => ({
    kind: 'audience',
    users: users.map((userId) => ({ user: { userId: userId as UserId } }) as AudienceUser),
    hasMore,
  });

  test('a cursor goes on behind the last user of its page', async () => {
    const r = rig();
    await r.cell('cell-a', () => audience(['u1', 'u2'], true));
    const first = await r.queries.listAudience(frame(), { ...place, pageSize: 2, cursor: '' });
    expect(first.nextCursor).toBe(encodeIdCursor('u2'));
    await r.queries.listAudience(frame(), { ...place, pageSize: 2, cursor: first.nextCursor });
    expect(r.reads.map(({ question }) => question)).toMatchObject([
      { afterUserId: '', pageSize: 2 },
      { afterUserId: 'u2', pageSize: 2 },
    ]);
  });

  test.each([
    [0, 20],
    [100, 100],
    [5_000, 100],
  ])('a page size of %s asks for %s', async (pageSize, asked) => {
    const r = rig();
    await r.cell('cell-a', () => audience([], false));
    const page = await r.queries.listAudience(frame(), { ...place, pageSize, cursor: '' });
    expect(page.nextCursor).toBe('');
    expect(r.reads).toMatchObject([{ question: { pageSize: asked } }]);
  });

  test.each(['x', encodeIdCursor('not an id'), encodeIdCursor(''), 'x'.repeat(300)])(
    'a cursor that is none of ours is refused: %s',
    async (cursor) => {
      const asked = rig().queries.listBans(frame(), { ...place, pageSize: -1, cursor });
      await expect(asked).rejects.toMatchObject({
        facts: { field: 'page_size', field_2: 'cursor' },
      });
    },
  );

  test('a user whom the platform has banned sees no audience', async () => {
    const r = rig();
    await r.cell('cell-a', () => audience(['u1'], false));
    r.banned.add('u1');
    const page = { ...place, pageSize: 0, cursor: '' };
    await expect(r.queries.listAudience(frame(), page)).rejects.toMatchObject({
      reason: 'USER_PLATFORM_BANNED',
    });
    await r.queries.listAudience(frame({ caller: backend }), page);
  });
});
