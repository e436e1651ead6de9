/** A room's gifts in its snapshots: canonical bytes, exact sums, and snapshots of before (INV-8). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RoomVersion, UserId } from '../../../src/domain/ids.ts';
import { nextEventPosition } from '../../../src/domain/room/event-position.ts';
import { evolveCommand } from '../../../src/domain/room/evolve.ts';
import { checkGiftSums, checkRoomInvariants } from '../../../src/domain/room/invariants.ts';
import type { GiftSender, RoomState } from '../../../src/domain/room/state.ts';
import { emptyPersistentMap } from '../../../src/kernel/persistent-map.ts';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import { given } from '../../support/decider-spec.ts';
import { alice, asUser, bob, created, gifted, joined } from '../../support/room-builders.ts';

const codec = createCodec();
const headerBytes = 10;
const snapshotType = parseAvroType(JSON.parse(schemaJson.RoomSnapshot));

/** More senders than are ranked, two thirds of them level with others. */
const senders = Array.from({ length: 150 }, (_, n) => asUser(`u${(n * 37) % 150}`));
const { state } = given(
  created(),
  joined(alice),
  ...senders.map((userId, n) => gifted(userId, alice, 9_007_199_254_740_993n + BigInt(n % 50))),
);

function reloaded(room: RoomState): RoomState {
  const decoded = codec.decodeSnapshot(codec.encodeSnapshot({ state: room }));
  if (!decoded.ok) throw new Error(decoded.fault);
  return decoded.value.state;
}

function after(room: RoomState, by: UserId, coins: bigint): RoomState {
  const position = nextEventPosition(room, room.lastEventAtMs);
  return evolveCommand(room, [gifted(by, alice, coins)], position);
}

describe('a snapshot of a room with gifts', () => {
  it('brings back every sum, the heat and the kept first places', () => {
    const read = reloaded(state);
    expect(read).toEqual(state);
    expect(checkRoomInvariants(read) ?? checkGiftSums(read)).toBeNull();
  });

  it('is a room that goes on as if it had never been stored (GIFT-5, RES-18, LEASE-33)', () => {
    const steps = [bob, asUser('u7'), asUser('u140'), bob];
    const go = (room: RoomState): RoomState =>
      steps.reduce((held, by, n) => after(held, by, BigInt(n + 1) * 2n ** 53n + 1n), room);
    const live = go(state);
    expect(go(reloaded(state))).toEqual(live);
    expect(codec.encodeSnapshot({ state: go(reloaded(state)) })).toEqual(
      codec.encodeSnapshot({ state: live }),
    );
  });

  it('names its senders in the order of their ids, whatever order the map has', () => {
    const ids = ['b', 'a', 'Z', '10', '9', '_', 'u1', 'u2', 'u3'];
    const giftSenders = ids.reduce(
      (map, id) =>
        map.set(id, { userId: asUser(id), coins: 1n, reachedAtVersion: 1n as RoomVersion }),
      emptyPersistentMap<GiftSender>(),
    );
    const bytes = codec.encodeSnapshot({ state: { ...state, giftSenders } });
    const written = snapshotType.decode(Buffer.from(bytes), headerBytes).value as {
      state: { giftSenders: GiftSender[] };
    };
    expect(written.state.giftSenders.map(({ userId }) => userId)).toEqual([...ids].sort());
  });

  it('that names a sender twice is refused: one of the two sums would be lost', () => {
    const bytes = Buffer.from(codec.encodeSnapshot({ state }));
    const written = snapshotType.decode(bytes, headerBytes).value as {
      state: { giftSenders: GiftSender[] };
    };
    const twice = [...written.state.giftSenders, ...written.state.giftSenders.slice(0, 1)];
    const body = snapshotType.toBuffer({ state: { ...written.state, giftSenders: twice } });
    const doubled = Buffer.concat([bytes.subarray(0, headerBytes), body]);
    expect(codec.decodeSnapshot(doubled)).toEqual({
      ok: false,
      fault: 'a gift sender is named twice',
    });
  });
});

describe('a snapshot written before there were gifts', () => {
  const folder = join(import.meta.dirname, '../../golden/0.1.0');
  const old = createCodec();
  old.learnSchema(readFileSync(join(folder, 'RoomSnapshot.avsc'), 'utf8'));
  const hex = readFileSync(join(folder, 'snapshot-0.hex'), 'utf8').replaceAll(/\s/g, '');
  const decoded = old.decodeSnapshot(Buffer.from(hex, 'hex'));

  it('is a room without heat and senders, which takes its first gift', () => {
    if (!decoded.ok) throw new Error(decoded.fault);
    const room = decoded.value.state;
    expect(room).toMatchObject({ heat: 0n, topGiftSenders: [], closeInfo: { finalHeat: 0n } });
    expect(room.giftSenders.size).toBe(0);
    const gift = after(room, bob, 5n);
    expect(gift.heat).toBe(5n);
    expect(checkGiftSums(gift)).toBeNull();
  });
});
