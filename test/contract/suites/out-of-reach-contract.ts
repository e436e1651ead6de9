/**
 * Every port while the database cannot be reached: each call is a Retry, does nothing, and works
 * again when the database is back. And a call that did its work although nobody heard of it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/ids.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import type { PartitionStore } from '../../../src/ports/partition-store.ts';
import type { ReplySlots } from '../../../src/ports/reply-slots.ts';
import type { RoomQueries } from '../../../src/ports/room-queries.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import type { SchemaRegistry } from '../../../src/ports/schema-registry.ts';
import type { SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import {
  asVersion,
  bytesOf,
  freshCommandId,
  freshRoomId,
  hashOf,
  keyOf,
  testApp,
} from '../../support/lane-batches.ts';
import { claimOf, nowMs } from '../../support/outbox-rows.ts';

/** The ports of one process, and the way between it and the database. */
export interface OutOfReachFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly snapshots: SnapshotStore;
  readonly queries: RoomQueries;
  readonly slots: ReplySlots;
  readonly registry: SchemaRegistry;
  readonly outbox: OutboxStore;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  /** Loses the answer to the next `register` of the registry. */
  loseAnswer(): Promise<void>;
  close(): Promise<void>;
}

/** Declares the suite. */
export function outOfReachContract(
  name: string,
  makeFixture: () => Promise<OutOfReachFixture>,
): void {
  describe(`ports of a database that is out of reach: ${name}`, () => {
    let fixture: OutOfReachFixture;
    const retry = { kind: 'retry', reason: 'UNAVAILABLE' };
    const identity = { nodeId: 'n', incarnation: 'one', lane: 0, advertiseAddr: '10.0.0.1:1' };
    const roomKey = keyOf(freshRoomId());
    const snapshot = {
      roomKey,
      version: asVersion(1n),
      bytes: bytesOf('state'),
      stateHash: hashOf(1),
      chainHash: hashOf(2),
      createdAtMs: 1,
    };
    const finish = { kind: 'delivered', rowIds: [1n] } as const;
    const listing = {
      appCode: testApp,
      visibleRegionId: null,
      mode: null,
      tag: null,
      after: null,
      pageSize: 10,
    };
    const schema = { name: 'R', fingerprint: '00000000000000d1', json: '{}' };
    const slot = { nodeId: 'n', incarnation: 'one', slotCount: 2, ttlMs: 60_000 };
    const calls: readonly (readonly [string, (ports: OutOfReachFixture) => Promise<unknown>])[] = [
      ['takeover', ({ store }) => store.takeover({ ...identity, partition: 1 })],
      ['release', ({ store }) => store.release(1, 1n, 'one')],
      ['readOwner', ({ store }) => store.readOwner(1)],
      ['readOwners', ({ store }) => store.readOwners()],
      [
        'ensureLayout',
        ({ store }) => store.ensureLayout({ topic: 't', partitionCount: 4, hash: 'murmur2' }),
      ],
      ['loadRoom', ({ reader }) => reader.loadRoom(roomKey)],
      ['stepsAfter', ({ reader }) => reader.stepsAfter(roomKey, asVersion(0n), 1)],
      ['roomsToSweep', ({ reader }) => reader.roomsToSweep(1, 1, null, 1)],
      ['dueRooms', ({ reader }) => reader.dueRooms(1, 1, 1)],
      [
        'findResults',
        ({ reader }) => reader.findResults([{ roomKey, commandId: freshCommandId() }]),
      ],
      ['save', ({ snapshots }) => snapshots.save(snapshot, 2)],
      ['listRooms', ({ queries }) => queries.listRooms(listing)],
      ['passwordOf', ({ queries }) => queries.passwordOf(testApp, freshRoomId())],
      [
        'isPlatformBanned',
        ({ queries }) => queries.isPlatformBanned(testApp, 'u1' as UserId, nowMs),
      ],
      ['lease', ({ slots }) => slots.lease(slot)],
      ['renew', ({ slots }) => slots.renew(0, 'one', 1)],
      ['release of a slot', ({ slots }) => slots.release(0, 'one')],
      ['register', ({ registry }) => registry.register([schema])],
      ['find', ({ registry }) => registry.find(schema.fingerprint)],
      ['level', ({ registry }) => registry.level(3)],
      ['raiseLevel', ({ registry }) => registry.raiseLevel(3)],
      ['claimRuns', ({ outbox }) => outbox.claimRuns(claimOf())],
      ['giveBack', ({ outbox }) => outbox.giveBack('token', [1n])],
      ['start', ({ outbox }) => outbox.start('token', [1n], nowMs)],
      ['finish', ({ outbox }) => outbox.finish('token', finish, nowMs)],
      ['backlog', ({ outbox }) => outbox.backlog(nowMs)],
    ];

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());
    beforeEach(() => () => fixture.comeBack());

    it.each(calls)('%s is a Retry, and works when the database is back', async (_name, call) => {
      await fixture.goAway();
      await expect(call(fixture)).rejects.toMatchObject(retry);
      await fixture.comeBack();
      await call(fixture);
    });

    it('a call whose answer is lost is a Retry although it was done', async () => {
      const lost = { ...schema, fingerprint: '00000000000000d2' };
      await fixture.loseAnswer();
      await expect(fixture.registry.register([lost])).rejects.toMatchObject(retry);
      expect(await fixture.registry.find(lost.fingerprint)).toBe('{}');
    });
  });
}
