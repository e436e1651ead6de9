/** Lists that the gateway reads from MySQL alone: what it checks, asks and hands on. */
import { describe, expect, test } from 'vitest';
import type { RoomId } from '../../../src/domain/ids.ts';
import { encodeIdCursor } from '../../../src/gateway/pages.ts';
import { createStoredQueries } from '../../../src/gateway/stored-queries.ts';
import type { ListEntry, RoomIdPage, UserRoom } from '../../../src/ports/room-queries.ts';
import { appCode, backend, frame } from './gateway-fakes.ts';

function rig(ids: readonly string[]) {
  const asked: unknown[] = [];
  const entries = ids.map((roomId) => ({ roomId: roomId as RoomId }) as ListEntry);
  const queries = createStoredQueries({
    roomsById: (_app, roomIds) => {
      asked.push(roomIds);
      return Promise.resolve(entries);
    },
    roomsByOwner: (_app, owner, page: RoomIdPage) => {
      asked.push([owner, page]);
      return Promise.resolve(entries);
    },
    roomsOfUser: (_app, userId, page: RoomIdPage) => {
      asked.push([userId, page]);
      return Promise.resolve(entries as unknown as UserRoom[]);
    },
  });
  return { queries, asked };
}

describe('BatchGetRooms', () => {
  test('answers in the order of the request, each room once, unknown ones left out', async () => {
    const { queries, asked } = rig(['r2', 'r1']);
    const roomIds = ['r1', 'gone', 'r2', 'r1'];
    const rooms = await queries.batchGetRooms(frame(), { appCode, roomIds });
    expect(rooms.map(({ roomId }) => roomId)).toEqual(['r1', 'r2']);
    expect(asked).toEqual([['r1', 'gone', 'r2']]);
  });

  test('takes a hundred ids and no more, and asks nothing for none', async () => {
    const { queries, asked } = rig([]);
    const roomIds = Array.from({ length: 101 }, (_, n) => `r${n}`);
    await expect(queries.batchGetRooms(frame(), { appCode, roomIds })).rejects.toMatchObject({
      facts: { field: 'room_ids', fault: 'more than 100' },
    });
    await queries.batchGetRooms(frame(), { appCode, roomIds: roomIds.slice(1) });
    expect(await queries.batchGetRooms(frame(), { appCode, roomIds: [] })).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test('names the id that is none', async () => {
    const roomIds = ['r1', 'a b'];
    await expect(
      rig([]).queries.batchGetRooms(frame(), { appCode, roomIds }),
    ).rejects.toMatchObject({ facts: { field: 'room_ids[1]', fault: 'malformed' } });
  });
});

describe('ListRoomsByOwner', () => {
  const page = { pageSize: 2, cursor: '' };

  test('a full page has a cursor, with which the next one begins', async () => {
    const { queries, asked } = rig(['r1', 'r2']);
    const owned = { appCode, ownerUserId: 'u9' };
    const { nextCursor } = await queries.listRoomsByOwner(frame(), { ...owned, ...page });
    expect(nextCursor).toBe(encodeIdCursor('r2'));
    await queries.listRoomsByOwner(frame(), { ...owned, pageSize: 2, cursor: nextCursor });
    expect(asked).toEqual([
      ['u9', { afterRoomId: '', pageSize: 2 }],
      ['u9', { afterRoomId: 'r2', pageSize: 2 }],
    ]);
  });

  test('a short page is the last one', async () => {
    const { queries } = rig(['r1']);
    const { nextCursor } = await queries.listRoomsByOwner(frame(), {
      appCode,
      ownerUserId: 'u9',
      ...page,
    });
    expect(nextCursor).toBe('');
  });

  test('refuses an owner that is none, with all other faults', async () => {
    const asked = rig([]).queries.listRoomsByOwner(frame(), {
      appCode,
      ownerUserId: '',
      pageSize: -1,
      cursor: 'x',
    });
    await expect(asked).rejects.toMatchObject({
      facts: { field: 'owner_user_id', field_2: 'page_size', field_3: 'cursor' },
    });
  });
});

describe('GetUserRooms', () => {
  const page = { pageSize: 0, cursor: '' };

  test('a user asks about itself alone', async () => {
    const { queries, asked } = rig([]);
    await queries.getUserRooms(frame(), { appCode, userId: '', ...page });
    expect(asked).toEqual([['u1', { afterRoomId: '', pageSize: 20 }]]);
    const other = queries.getUserRooms(frame(), { appCode, userId: 'u2', ...page });
    await expect(other).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
  });

  test('a service asks about anybody it names', async () => {
    const { queries, asked } = rig([]);
    const caller = backend;
    await queries.getUserRooms(frame({ caller }), { appCode, userId: 'u2', ...page });
    expect(asked).toEqual([['u2', { afterRoomId: '', pageSize: 20 }]]);
    const nobody = queries.getUserRooms(frame({ caller }), { appCode, userId: '', ...page });
    await expect(nobody).rejects.toMatchObject({ facts: { field: 'user_id', fault: 'missing' } });
  });
});
