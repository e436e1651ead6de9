/** One room's flood is held at the door. */
import { expect, test } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import { createRoomWindow } from '../../../src/gateway/room-window.ts';
import { appCode, roomKey } from './gateway-fakes.ts';

const otherRoom = roomKeyOf(appCode, 'r2' as RoomId);

test('a full room is refused while other rooms go on', () => {
  const window = createRoomWindow(2);
  window.enter(roomKey);
  window.enter(roomKey);
  expect(window.enter(roomKey)).toBeNull();
  expect(window.enter(otherRoom)).not.toBeNull();
});

test('a place given back twice is free once', () => {
  const window = createRoomWindow(2);
  const leave = window.enter(roomKey);
  window.enter(roomKey);
  leave?.();
  leave?.();
  expect(window.enter(roomKey)).not.toBeNull();
  expect(window.enter(roomKey)).toBeNull();
});

test('a room without calls leaves nothing behind', () => {
  const window = createRoomWindow(2);
  window.enter(roomKey)?.();
  expect(window.roomCount).toBe(0);
});
