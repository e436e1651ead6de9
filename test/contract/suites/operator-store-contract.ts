/** What every OperatorStore must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppCode, CommandId, GiftId, RoomId, UserId } from '../../../src/domain/ids.ts';
import type { CommitLane, LaneBatch } from '../../../src/ports/commit-lane.ts';
import type { GiftCatalogue } from '../../../src/ports/gift-catalogue.ts';
import { loggedCommandsMax } from '../../../src/ports/operator-store.ts';
import type { OperatorAct, OperatorStore } from '../../../src/ports/operator-store.ts';
import type { PartitionStore, TakenPartition } from '../../../src/ports/partition-store.ts';
import type { RocketRulesStore } from '../../../src/ports/rocket-rules-store.ts';
import type { RoomQueries } from '../../../src/ports/room-queries.ts';
import { rocketRules } from '../../support/rocket-builders.ts';
import {
  asVersion,
  commandBatch,
  emptyBatch,
  eventRowOf,
  fenceOf,
  freshCommandId,
  freshRoomId,
  keyOf,
  logRowOf,
  open,
  roomRowOf,
  testApp,
  takenBy,
} from '../../support/lane-batches.ts';

/** What the audit says of one command id. */
export interface AuditedAct {
  readonly operatorId: string;
  readonly action: string;
  readonly userId: string;
  readonly roomId: string;
  readonly doneAtMs: number;
}

/** The port and ways to put rooms there and to look at what it wrote. */
export interface OperatorStoreFixture {
  readonly operators: OperatorStore;
  readonly queries: RoomQueries;
  readonly catalogue: GiftCatalogue;
  readonly rocketRules: RocketRulesStore;
  readonly store: PartitionStore;
  openLane(incarnation: string): CommitLane;
  /** The audit's row of an id; null: none. */
  audited(appCode: AppCode, commandId: CommandId): Promise<AuditedAct | null>;
  close(): Promise<void>;
}

const nowMs = 1_700_000_000_000;
const operatorId = 'op-1' as UserId;

/** Declares the suite. */
export function operatorStoreContract(
  name: string,
  makeFixture: () => Promise<OperatorStoreFixture>,
): void {
  describe(`OperatorStore contract: ${name}`, () => {
    let fixture: OperatorStoreFixture;
    let lane: CommitLane;
    let taken: TakenPartition;
    let commitSeq = 0n;
    let users = 0;
    const freshUser = (): UserId => `user-${(users += 1)}` as UserId;
    const head = () => ({ appCode: testApp, commandId: freshCommandId(), operatorId });
    const banOf = (userId: UserId, expiresAtMs = 0): OperatorAct & { type: 'EvictUser' } => ({
      ...head(),
      type: 'EvictUser',
      userId,
      roomId: '',
      reason: 'spam',
      expiresAtMs,
    });
    const liftOf = (userId: UserId): OperatorAct => ({
      ...head(),
      type: 'LiftPlatformBan',
      userId,
      reason: 'mistake',
    });
    const pinOf = (roomId: RoomId, pinned = true): OperatorAct & { type: 'PinRoom' } => ({
      ...head(),
      type: 'PinRoom',
      roomId,
      pinned,
    });
    const isBanned = (userId: UserId, atMs = nowMs): Promise<boolean> =>
      fixture.queries.isPlatformBanned(testApp, userId, atMs);
    const isPinned = async (roomId: RoomId): Promise<boolean | undefined> =>
      (await fixture.queries.roomsById(testApp, [roomId]))[0]?.pinned;
    const commit = async (batch: LaneBatch): Promise<void> => {
      const fence = fenceOf(taken, 'one', { commitSeq });
      commitSeq += 1n;
      expect(await lane.commit({ ...batch, fences: [fence] }, open())).toMatchObject({
        kind: 'committed',
      });
    };
    const room = async (versions = 1): Promise<RoomId> => {
      const roomId = freshRoomId();
      for (let version = 1n; version <= BigInt(versions); version += 1n) {
        await commit(commandBatch(taken, 'one', { roomId, version }));
      }
      return roomId;
    };

    beforeAll(async () => {
      fixture = await makeFixture();
      lane = fixture.openLane('one');
      taken = await takenBy(fixture.store, 'one');
    });
    afterAll(async () => {
      await lane.stop();
      await fixture.close();
    });

    it('bans a user from the app until the ban ends, and says who did it', async () => {
      const act = banOf(freshUser(), nowMs + 10);
      expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
      expect(await isBanned(act.userId)).toBe(true);
      expect(await isBanned(act.userId, nowMs + 10)).toBe(false);
      expect(await fixture.queries.isPlatformBanned('other' as AppCode, act.userId, nowMs)).toBe(
        false,
      );
      expect(await fixture.audited(testApp, act.commandId)).toEqual({
        operatorId,
        action: 'EvictUser',
        userId: act.userId,
        roomId: '',
        doneAtMs: nowMs,
      });
    });

    it('replaces a ban by a later one, for ever by a time and a time by for ever', async () => {
      const userId = freshUser();
      await fixture.operators.carryOut(banOf(userId), nowMs);
      await fixture.operators.carryOut(banOf(userId, nowMs + 10), nowMs);
      expect(await isBanned(userId, nowMs + 20)).toBe(false);
      await fixture.operators.carryOut(banOf(userId), nowMs);
      expect(await isBanned(userId, nowMs + 20)).toBe(true);
    });

    it('sets a gift as its next version, once for its id, and finds it by that id (GIFT-1)', async () => {
      const { operators, catalogue } = fixture;
      const giftId = 'rose' as GiftId;
      const gift = { giftId, coinPrice: 2n ** 62n, onSale: true, lucky: true };
      await catalogue.put(testApp, { ...gift, coinPrice: 1n }, nowMs);
      const act: OperatorAct = { ...head(), type: 'SetGift', gift };
      const calls = await Promise.all([1, 2, 3].map(() => operators.carryOut(act, nowMs)));
      expect([...calls].sort()).toEqual(['done', 'repeat', 'repeat']);
      const stored = { ...gift, catalogueVersion: 2n };
      expect(await catalogue.current(testApp, giftId)).toEqual(stored);
      // Somebody else changes it: the first call again still answers its own version.
      await operators.carryOut(
        { ...head(), type: 'SetGift', gift: { ...gift, onSale: false } },
        nowMs,
      );
      expect(await operators.carryOut(act, nowMs)).toBe('repeat');
      expect(await catalogue.setBy(testApp, giftId, act.commandId)).toEqual(stored);
      expect(await catalogue.setBy('other' as AppCode, giftId, act.commandId)).toBeNull();
      const other = { ...act, gift: { ...gift, coinPrice: gift.coinPrice + 1n } };
      expect(await operators.carryOut(other, nowMs)).toBe('reused');
      expect(await catalogue.version(testApp, giftId, 4n)).toBeNull();
      expect(await fixture.audited(testApp, act.commandId)).toMatchObject({
        operatorId,
        action: 'SetGift',
      });
    });

    it('makes as many versions of a gift as there are operators who set it at once', async () => {
      const giftId = 'car' as GiftId;
      const acts = [1n, 2n, 3n, 4n, 5n].map((coinPrice): OperatorAct & { type: 'SetGift' } => {
        return {
          ...head(),
          type: 'SetGift',
          gift: { giftId, coinPrice, onSale: true, lucky: false },
        };
      });
      await Promise.all(acts.map((act) => fixture.operators.carryOut(act, nowMs)));
      const made = await Promise.all(
        acts.map(({ commandId }) => fixture.catalogue.setBy(testApp, giftId, commandId)),
      );
      expect(made.map((gift) => gift?.coinPrice)).toEqual([1n, 2n, 3n, 4n, 5n]);
      const versions = new Set(made.map((gift) => gift?.catalogueVersion));
      expect(versions).toEqual(new Set([1n, 2n, 3n, 4n, 5n]));
    });

    it('sets rocket rules as the next version, once for its id, and finds them by that id (ROCKET-1)', async () => {
      const { operators, rocketRules: store } = fixture;
      const { rulesVersion: _, ...rules } = rocketRules([100n, 2n ** 63n - 1n]);
      await store.put(testApp, { ...rules, enabled: false }, nowMs);
      const act: OperatorAct = { ...head(), type: 'SetRocketRules', rules };
      expect(await operators.carryOut(act, nowMs)).toBe('done');
      expect(await operators.carryOut(act, nowMs)).toBe('repeat');
      const stored = { ...rules, rulesVersion: 2n };
      expect(await store.current(testApp)).toEqual(stored);
      expect(await store.setBy(testApp, act.commandId)).toEqual(stored);
      const other: OperatorAct = { ...act, rules: { ...rules, enabled: false } };
      expect(await operators.carryOut(other, nowMs)).toBe('reused');
      expect(await store.current(testApp)).toEqual(stored);
    });

    it('bans nobody when one room is named, and audits it', async () => {
      const act = { ...banOf(freshUser()), roomId: 'r1' as RoomId };
      expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
      expect(await isBanned(act.userId)).toBe(false);
      expect(await fixture.audited(testApp, act.commandId)).toMatchObject({ roomId: 'r1' });
    });

    it('lifts a ban, and audits it also when there is none', async () => {
      const userId = freshUser();
      await fixture.operators.carryOut(banOf(userId), nowMs);
      expect(await fixture.operators.carryOut(liftOf(userId), nowMs)).toBe('done');
      expect(await isBanned(userId)).toBe(false);
      const again = liftOf(userId);
      expect(await fixture.operators.carryOut(again, nowMs)).toBe('done');
      expect(await fixture.audited(testApp, again.commandId)).toMatchObject({
        action: 'LiftPlatformBan',
      });
    });

    it('writes nothing for a repeat, so that a ban lifted meanwhile stays lifted', async () => {
      const act = banOf(freshUser());
      await fixture.operators.carryOut(act, nowMs);
      await fixture.operators.carryOut(liftOf(act.userId), nowMs);
      expect(await fixture.operators.carryOut(act, nowMs + 5)).toBe('repeat');
      expect(await isBanned(act.userId)).toBe(false);
      expect(await fixture.audited(testApp, act.commandId)).toMatchObject({ doneAtMs: nowMs });
    });

    it('refuses an id that stands for another act, user, end, reason or operator', async () => {
      const act = banOf(freshUser());
      await fixture.operators.carryOut(act, nowMs);
      const { appCode, commandId } = act;
      const userId = freshUser();
      const others: OperatorAct[] = [
        { ...liftOf(act.userId), commandId },
        { ...act, userId },
        { ...act, roomId: 'r1' as RoomId },
        { ...act, expiresAtMs: nowMs + 1 },
        { ...act, reason: 'other' },
        { ...act, operatorId: 'op-2' as UserId },
      ];
      for (const other of others) {
        expect(await fixture.operators.carryOut(other, nowMs)).toBe('reused');
      }
      expect(await isBanned(act.userId)).toBe(true);
      expect(await isBanned(userId)).toBe(false);
      expect(await fixture.audited(appCode, commandId)).toMatchObject({ operatorId });
      const elsewhere = { ...act, appCode: 'other' as AppCode };
      expect(await fixture.operators.carryOut(elsewhere, nowMs)).toBe('done');
    });

    it('is done once, however many calls of the id come at once', async () => {
      const act = banOf(freshUser());
      const ends = await Promise.all(
        Array.from({ length: 8 }, () => fixture.operators.carryOut(act, nowMs)),
      );
      expect(ends.sort()).toEqual(['done', ...Array<string>(7).fill('repeat')]);
    });

    it('pins a room of the list and takes the pin away, and commits leave it (LIST-4)', async () => {
      const roomId = await room();
      const act = pinOf(roomId);
      expect(await fixture.operators.carryOut(act, nowMs)).toBe('done');
      await commit(commandBatch(taken, 'one', { roomId, version: 2n }));
      expect(await isPinned(roomId)).toBe(true);
      expect(await fixture.audited(testApp, act.commandId)).toMatchObject({
        action: 'PinRoom',
        roomId,
      });
      expect(await fixture.operators.carryOut(pinOf(roomId, false), nowMs)).toBe('done');
      expect(await isPinned(roomId)).toBe(false);
      expect(await fixture.operators.carryOut({ ...act, pinned: false }, nowMs)).toBe('reused');
    });

    it('writes nothing about a room that is not in the list', async () => {
      const act = pinOf(freshRoomId());
      expect(await fixture.operators.carryOut(act, nowMs)).toBe('noRoom');
      expect(await fixture.audited(testApp, act.commandId)).toBeNull();
    });

    it('reads the applied commands of a room, newest first, with their events', async () => {
      const roomId = await room(12);
      await commit({
        ...emptyBatch,
        logRows: [logRowOf(taken, roomId, 13n, { kafkaOffset: null, commandType: 'CloseRoom' })],
        eventRows: [
          eventRowOf(roomId, 13n, { eventIndex: 1, eventType: 'RoomClosed' }),
          eventRowOf(roomId, 13n, { eventIndex: 0, eventType: 'RoomMicDown' }),
        ],
        roomRows: [roomRowOf(taken, roomId, 13n)],
      });
      const page = await fixture.operators.appliedCommands(keyOf(roomId), null, 3);
      expect(page.map(({ decidedVersion }) => decidedVersion)).toEqual([13n, 12n, 11n]);
      expect(page[0]).toMatchObject({
        commandType: 'CloseRoom',
        actorUserId: 'alice',
        outcome: 'applied',
        decidedAtMs: 1_000,
        partition: 0,
        kafkaOffset: null,
        epoch: taken.epoch,
        ownerNodeId: 'node-1',
        eventTypes: ['RoomMicDown', 'RoomClosed'],
      });
      expect(page[1]).toMatchObject({
        kafkaOffset: taken.appliedOffset + 1n,
        eventTypes: ['RoomUserJoined'],
      });
      const rest = await fixture.operators.appliedCommands(keyOf(roomId), asVersion(11n), 500);
      expect(rest.map(({ decidedVersion }) => Number(decidedVersion))).toEqual([
        10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
      ]);
      expect(await fixture.operators.appliedCommands(keyOf(freshRoomId()), null, 5)).toEqual([]);
    });

    it('reads the commands that changed nothing by id, and not among the others', async () => {
      const roomId = await room(2);
      const unapplied = (id: string, outcome: 'no_effect' | 'rejected') =>
        logRowOf(taken, roomId, 2n, {
          commandId: id as CommandId,
          outcome,
          appliedVersion: null,
          events: null,
          chainHash: null,
        });
      await commit({
        ...emptyBatch,
        logRows: [
          unapplied('c', 'rejected'),
          unapplied('a', 'no_effect'),
          unapplied('B', 'rejected'),
        ],
      });
      const idsOf = async (after: string, limit: number) =>
        (
          await fixture.operators.unappliedCommands(keyOf(roomId), after as CommandId | '', limit)
        ).map(({ commandId, outcome }) => [commandId, outcome]);
      expect(await idsOf('', 2)).toEqual([
        ['B', 'rejected'],
        ['a', 'no_effect'],
      ]);
      expect(await idsOf('a', 2)).toEqual([['c', 'rejected']]);
      expect(await fixture.operators.appliedCommands(keyOf(roomId), null, 9)).toHaveLength(2);
    });

    it('cuts a page to its largest size', async () => {
      const roomId = await room(1);
      await commit({
        ...emptyBatch,
        logRows: Array.from({ length: loggedCommandsMax + 1 }, () =>
          logRowOf(taken, roomId, 1n, {
            outcome: 'rejected',
            appliedVersion: null,
            events: null,
            chainHash: null,
          }),
        ),
      });
      const page = await fixture.operators.unappliedCommands(keyOf(roomId), '', 5_000);
      expect(page).toHaveLength(loggedCommandsMax);
    });
  });
}
