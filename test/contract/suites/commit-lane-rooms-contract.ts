/** What a CommitLane does to the rows of present users, and to all that belongs to a deleted room. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RoomId, RoomKey, UserId } from '../../../src/domain/ids.ts';
import type { CommitLane, LaneBatch, UserRoomsChange } from '../../../src/ports/commit-lane.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RoomReader } from '../../../src/ports/room-reader.ts';
import type { SnapshotStore } from '../../../src/ports/snapshot-store.ts';
import {
  asVersion,
  bytesOf,
  commandBatch,
  freshRoomId,
  hashOf,
  keyOf,
  open,
  roomRowOf,
  testApp,
} from '../../support/lane-batches.ts';

/** A user who is present, and since when. */
export type PresentRow = readonly [userId: string, joinedAtMs: number];

/** A database with what shows its rows about rooms. */
export interface CommitLaneRoomsFixture {
  readonly store: PartitionStore;
  readonly reader: RoomReader;
  readonly snapshots: SnapshotStore;
  openLane(incarnation: string): CommitLane;
  /** Rows of the users present in a room, by user id. */
  presentUsers(roomKey: RoomKey): Promise<readonly PresentRow[]>;
  /** Status of the room's list entry, or null without one. */
  listedStatus(roomKey: RoomKey): Promise<string | null>;
  close(): Promise<void>;
}

/** Declares the suite. */
export function commitLaneRoomsContract(
  name: string,
  makeFixture: () => Promise<CommitLaneRoomsFixture>,
): void {
  describe(`CommitLane contract, rooms: ${name}`, () => {
    let fixture: CommitLaneRoomsFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let partition = 0;
    let commitSeq = 0n;

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });
    beforeEach(async () => {
      partition += 1;
      commitSeq = 0n;
      const identity = { nodeId: 'n', incarnation: 'one', lane: 0, advertiseAddr: '10.0.0.1:1' };
      taken = await fixture.store.takeover({ ...identity, partition });
    });

    const user = (name: string): UserId => name as UserId;
    const came = (userId: string, joinedAtMs: number): UserRoomsChange['joined'][number] => ({
      userId: user(userId),
      joinedAtMs,
    });
    const change = (roomId: RoomId, fields: Partial<UserRoomsChange>): UserRoomsChange => ({
      appCode: testApp,
      roomId,
      everybodyLeft: false,
      left: [],
      joined: [],
      ...fields,
    });
    /** One step of one room; `fields` replace parts of its batch. */
    const step = (roomId: RoomId, version: bigint, fields: Partial<LaneBatch>): LaneBatch => ({
      ...commandBatch(taken, 'one', { roomId, version }, { commitSeq }),
      ...fields,
    });
    const commit = async (batch: LaneBatch): Promise<void> => {
      expect(await lane.commit(batch, open())).toEqual({ kind: 'committed' });
      commitSeq += 1n;
    };
    const deletion = (roomId: RoomId, version: bigint): Partial<LaneBatch> => ({
      roomRows: [roomRowOf(taken, roomId, version, { status: 'deleted' })],
    });
    const save = (roomId: RoomId, version: bigint): Promise<void> =>
      fixture.snapshots.save(
        {
          roomKey: keyOf(roomId),
          version: asVersion(version),
          bytes: bytesOf('state'),
          stateHash: hashOf(1),
          chainHash: hashOf(2),
          createdAtMs: 1,
        },
        2,
      );
    const snapshotsOf = async (roomId: RoomId): Promise<number> =>
      (await fixture.reader.loadRoom(keyOf(roomId))).snapshots.length;

    describe('rows of present users', () => {
      it('come with joins and go with leaves, those of the room alone', async () => {
        const [roomId, other] = [freshRoomId(), freshRoomId()];
        const joined = [came('alice', 10), came('bob', 11), came('carol', 12)];
        await commit(step(roomId, 1n, { userRooms: [change(roomId, { joined })] }));
        await commit(step(other, 1n, { userRooms: [change(other, { joined })] }));
        const left = [user('alice'), user('carol'), user('nobody')];
        await commit(step(roomId, 2n, { userRooms: [change(roomId, { left })] }));
        expect(await fixture.presentUsers(keyOf(roomId))).toEqual([['bob', 11]]);
        expect(await fixture.presentUsers(keyOf(other))).toHaveLength(3);
      });

      it('take the time of the newest join', async () => {
        const roomId = freshRoomId();
        const joined = (at: number) => [change(roomId, { joined: [came('alice', at)] })];
        await commit(step(roomId, 1n, { userRooms: joined(10) }));
        await commit(step(roomId, 2n, { userRooms: joined(20) }));
        expect(await fixture.presentUsers(keyOf(roomId))).toEqual([['alice', 20]]);
      });

      it('are all gone when everybody left, and no other room is emptied', async () => {
        const [roomId, other] = [freshRoomId(), freshRoomId()];
        const joined = [came('alice', 10), came('bob', 11)];
        await commit(step(roomId, 1n, { userRooms: [change(roomId, { joined })] }));
        await commit(step(other, 1n, { userRooms: [change(other, { joined })] }));
        await commit(step(roomId, 2n, { userRooms: [change(roomId, { everybodyLeft: true })] }));
        expect(await fixture.presentUsers(keyOf(roomId))).toEqual([]);
        expect(await fixture.presentUsers(keyOf(other))).toHaveLength(2);
      });

      it('of several rooms change in one batch, each as it says', async () => {
        const rooms = [freshRoomId(), freshRoomId(), freshRoomId()] as const;
        const joined = [came('alice', 10), came('bob', 11)];
        for (const roomId of rooms) {
          await commit(step(roomId, 1n, { userRooms: [change(roomId, { joined })] }));
        }
        const userRooms = [
          change(rooms[0], { left: [user('alice')] }),
          change(rooms[1], { everybodyLeft: true }),
          change(rooms[2], { left: [user('bob')], joined: [came('dave', 30)] }),
        ];
        await commit(step(rooms[0], 2n, { userRooms }));
        expect(await fixture.presentUsers(keyOf(rooms[0]))).toEqual([['bob', 11]]);
        expect(await fixture.presentUsers(keyOf(rooms[1]))).toEqual([]);
        expect(await fixture.presentUsers(keyOf(rooms[2]))).toEqual([
          ['alice', 10],
          ['dave', 30],
        ]);
      });

      it('stay as they were when the transaction is rolled back', async () => {
        const roomId = freshRoomId();
        const joined = [came('alice', 10)];
        await commit(step(roomId, 1n, { userRooms: [change(roomId, { joined })] }));
        const both = change(roomId, { left: [user('alice')], joined: [came('bob', 20)] });
        const batch = step(roomId, 2n, { userRooms: [both] });
        expect(await lane.commit(batch, Promise.resolve(false))).toEqual({ kind: 'stopped' });
        expect(await fixture.presentUsers(keyOf(roomId))).toEqual([['alice', 10]]);
      });
    });

    describe('a deleted room', () => {
      /** A room with two snapshots, a list entry and a user. */
      const fullRoom = async (): Promise<RoomId> => {
        const roomId = freshRoomId();
        const joined = [came('alice', 10)];
        await commit(step(roomId, 1n, { userRooms: [change(roomId, { joined })] }));
        await commit(step(roomId, 2n, {}));
        for (const version of [1n, 2n]) await save(roomId, version);
        expect(await snapshotsOf(roomId)).toBe(2);
        return roomId;
      };

      it('loses entry, snapshots and users with its transaction, and keeps its row (ROOM-18, RES-29)', async () => {
        const [roomId, other] = [await fullRoom(), await fullRoom()];
        await commit(step(roomId, 3n, deletion(roomId, 3n)));
        const { meta, snapshots } = await fixture.reader.loadRoom(keyOf(roomId));
        expect(meta).toMatchObject({ status: 'deleted', version: 3n });
        expect(snapshots).toEqual([]);
        expect(await fixture.listedStatus(keyOf(roomId))).toBeNull();
        expect(await fixture.presentUsers(keyOf(roomId))).toEqual([]);
        expect(await snapshotsOf(other)).toBe(2);
        expect(await fixture.listedStatus(keyOf(other))).toBe('active');
        expect(await fixture.presentUsers(keyOf(other))).toHaveLength(1);
      });

      it('loses nothing when its transaction is rolled back', async () => {
        const roomId = await fullRoom();
        const batch = step(roomId, 3n, deletion(roomId, 3n));
        expect(await lane.commit(batch, Promise.resolve(false))).toEqual({ kind: 'stopped' });
        expect(await snapshotsOf(roomId)).toBe(2);
        expect(await fixture.listedStatus(keyOf(roomId))).toBe('active');
        expect(await fixture.presentUsers(keyOf(roomId))).toHaveLength(1);
      });

      it('keeps its log, so that its commands are answered again', async () => {
        const roomId = await fullRoom();
        await commit(step(roomId, 3n, deletion(roomId, 3n)));
        const steps = await fixture.reader.stepsAfter(keyOf(roomId), asVersion(0n), 9);
        expect(steps.map(({ version }) => version)).toEqual([1n, 2n, 3n]);
      });

      it('is not made anew: its row stands in the way', async () => {
        const roomId = await fullRoom();
        await commit(step(roomId, 3n, deletion(roomId, 3n)));
        const outcome = await lane.commit(step(roomId, 1n, {}), open());
        expect(outcome).toEqual({ kind: 'staleRooms', roomKeys: [keyOf(roomId)] });
      });

      it('goes beside a room that is made and one that goes on, in one batch', async () => {
        const [gone, goesOn, fresh] = [await fullRoom(), await fullRoom(), freshRoomId()];
        const roomRows = [
          roomRowOf(taken, gone, 3n, { status: 'deleted' }),
          roomRowOf(taken, goesOn, 3n, { status: 'closed' }),
          roomRowOf(taken, fresh, 1n),
        ];
        await commit(step(gone, 3n, { roomRows }));
        expect(await fixture.listedStatus(keyOf(gone))).toBeNull();
        expect(await fixture.listedStatus(keyOf(goesOn))).toBe('closed');
        expect(await fixture.listedStatus(keyOf(fresh))).toBe('active');
        expect(await snapshotsOf(goesOn)).toBe(2);
      });
    });
  });
}
