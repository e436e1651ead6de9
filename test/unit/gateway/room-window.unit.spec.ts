/** One room's flood is held at the door. */
import { expect, test } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { RoomId } from '../../../src/domain/ids.ts';
import { busyWavesMax, createRoomWindow } from '../../../src/gateway/room-window.ts';
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

test('the more are refused the later they are asked to come, up to a limit', () => {
  const window = createRoomWindow(2);
  const leaves = [window.enter(roomKey), window.enter(roomKey)];
  const waves: number[] = [];
  for (let n = 0; n < 7; n += 1) {
    window.enter(roomKey);
    waves.push(window.waveOf(roomKey));
  }
  expect(waves).toEqual([1, 1, 2, 2, 3, 3, 4]);
  for (let n = 0; n < 1_000; n += 1) window.enter(roomKey);
  expect(window.waveOf(roomKey)).toBe(busyWavesMax);
  expect(window.waveOf(otherRoom)).toBe(1);
  // Each answer lets one of them in, who would otherwise be refused once more.
  for (let n = 0; n < 36; n += 1) {
    leaves.shift()?.();
    leaves.push(window.enter(roomKey));
  }
  expect(window.waveOf(roomKey)).toBe(2);
});

test('a room that has come to rest asks the next refused to wait no longer than the first', () => {
  const window = createRoomWindow(1);
  const leave = window.enter(roomKey);
  for (let n = 0; n < 50; n += 1) window.enter(roomKey);
  leave?.();
  window.enter(roomKey);
  window.enter(roomKey);
  expect(window.waveOf(roomKey)).toBe(1);
});
