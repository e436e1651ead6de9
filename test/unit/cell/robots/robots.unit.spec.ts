/** Robots of a cell: where they come and go, whose commands they are, and what ends them. */
import { describe, expect, it } from 'vitest';
import type { CellOptions } from '../../../../src/cell/cell-options.ts';
import type { GiftId, RoomId, UserId } from '../../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../../src/domain/ids.ts';
import type { RobotRoom, RobotRules } from '../../../../src/domain/robots/robot-rules.ts';
import { unknownOutcome } from '../../../../src/kernel/unknown-outcome.ts';
import type { CommandSink } from '../../../../src/ports/command-sink.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';
import { robotCommandOrigin } from '../../../../src/protocol/robot-command-id.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../../support/cell-rig.ts';
import { coinsOf, giftBody, openingCoins, passTime, sell } from '../../../support/gift-rig.ts';

const lounge: RobotRoom = {
  roomId: 'lounge' as RoomId,
  title: 'Lounge',
  seatCount: 4,
  visibleRegionId: 7n,
  robots: 2,
  giftIds: ['rose'] as GiftId[],
};
const rules: RobotRules = {
  enabled: true,
  robotsPerRoomMax: 2,
  placesForPeople: 50,
  pauseMinMs: 1_000,
  pauseMaxMs: 3_000,
  stayMinMs: 3_600_000,
  stayMaxMs: 3_600_000,
  rooms: [],
};

/** One partition, six robots of two countries, and these rules. */
async function robotRig(changes: Partial<RobotRules> = {}, options: Partial<CellOptions> = {}) {
  const rig = new CellRig(1);
  await sell(rig, 'rose', 10n);
  const robot = (userId: string, countryCode: string) => ({
    userId: userId as UserId,
    nickname: userId,
    avatarUrl: '',
    countryCode,
  });
  await rig.robotPool.addRobots(rigApp, [
    ...['de1', 'de2', 'de3'].map((userId) => robot(userId, 'DE')),
    ...['fr1', 'fr2', 'fr3'].map((userId) => robot(userId, 'FR')),
  ]);
  await rig.robotPool.putRules(rigApp, { ...rules, ...changes }, 1);
  await rig.robotPool.putQuota(rigApp, 'DE', 3);
  await rig.robotPool.putQuota(rigApp, 'FR', 3);
  const node = await rig.startNode('a', { robotSink: rig.robotSink, options });
  return { rig, node };
}

/** A room of this country with one person in it. */
async function openRoom(rig: CellRig, node: RigNode, room: string, countryCode: string) {
  await rig.result(node, rig.send(room, `c-${room}`, `boss-${room}`, createRoomBody()));
  await comeIn(rig, node, room, `u-${room}`, countryCode);
}

async function comeIn(
  rig: CellRig,
  node: RigNode,
  room: string,
  user: string,
  countryCode: string,
): Promise<void> {
  const body = joinRoomBody();
  const profile = { ...body.profile, countryCode };
  await rig.result(node, rig.send(room, `j-${room}-${user}`, user, { ...body, profile }));
}

function robotsIn(node: RigNode, room: string): readonly string[] {
  const state = node.cell.committedRooms().find(({ roomId }) => roomId === room);
  const users = [...(state?.users.values() ?? [])];
  return users
    .filter(({ isRobot }) => isRobot)
    .map(({ userId }) => userId)
    .sort();
}

/** Robots' commands in the log, with the epoch of their id and that of their row. */
function loggedActs(rig: CellRig) {
  return [...rig.database.log.values()].flatMap((row) => {
    const origin = robotCommandOrigin(row.commandId);
    return origin === null ? [] : [{ row, origin }];
  });
}

/** Robots' commands in the topic. */
function sentActs(rig: CellRig): number {
  const codec = createCodec();
  const records = [...rig.topic.records.values()].flat();
  return records.filter(({ value }) => {
    const decoded = codec.decodeCommand(value ?? new Uint8Array());
    if (!decoded.ok || decoded.value.kind !== 'command') return false;
    return robotCommandOrigin(decoded.value.commandId) !== null;
  }).length;
}

/** Lets so much time pass that every robot would have acted again, and every scan been made. */
async function passLong(rig: CellRig): Promise<void> {
  const untilMs = rig.time.wallMs() + 60_000;
  await passTime(rig, 'a minute goes by', () => rig.time.wallMs() >= untilMs);
}

describe('robots in rooms of people', () => {
  it('come one after another, of the country of the room, through the log like everybody, and are marked (ROBOT-3, ROBOT-5, CMD-26, WRK-9, SVC-17)', async () => {
    const { rig, node } = await robotRig();
    await openRoom(rig, node, 'r1', 'DE');
    await passTime(rig, 'two robots come', () => robotsIn(node, 'r1').length === 2);
    await passLong(rig);
    expect(robotsIn(node, 'r1')).toEqual(['de1', 'de2']);
    const acts = loggedActs(rig);
    expect(acts.map(({ row }) => [row.commandType, row.actorUserId, row.outcome])).toEqual([
      ['JoinRoom', 'de1', 'applied'],
      ['JoinRoom', 'de2', 'applied'],
    ]);
    for (const { row, origin } of acts) {
      expect(origin).toEqual({ epoch: row.epoch, kind: 'guest' });
    }
  });

  it('go when the last person has gone, and another room may have them', async () => {
    const { rig, node } = await robotRig({ robotsPerRoomMax: 3 });
    await openRoom(rig, node, 'r1', 'DE');
    await passTime(rig, 'three robots come', () => robotsIn(node, 'r1').length === 3);
    await openRoom(rig, node, 'r2', 'DE');
    await passLong(rig);
    expect(robotsIn(node, 'r2')).toEqual([]);
    await rig.result(node, rig.send('r1', 'l1', 'u-r1', { type: 'LeaveRoom' }));
    await passTime(rig, 'they come to the other room', () => robotsIn(node, 'r2').length === 3);
    expect(robotsIn(node, 'r1')).toEqual([]);
  });

  it('a smaller quota takes robots of that country away, and nobody else (ROBOT-4, SVC-34)', async () => {
    const { rig, node } = await robotRig();
    await openRoom(rig, node, 'r1', 'DE');
    await openRoom(rig, node, 'r2', 'FR');
    await passTime(rig, 'four robots come', () => {
      return robotsIn(node, 'r1').length + robotsIn(node, 'r2').length === 4;
    });
    const before = loggedActs(rig).length;
    await rig.robotPool.putQuota(rigApp, 'DE', 1);
    await passTime(rig, 'one of them goes', () => robotsIn(node, 'r1').length === 1);
    await passLong(rig);
    expect(robotsIn(node, 'r1')).toEqual(['de1']);
    expect(robotsIn(node, 'r2')).toEqual(['fr1', 'fr2']);
    const since = loggedActs(rig).slice(before);
    expect(since.map(({ row }) => [row.commandType, row.actorUserId])).toEqual([
      ['LeaveRoom', 'de2'],
    ]);
  });

  it('newer rules start every runtime anew: by them they go, and come again (ROBOT-2, ROBOT-4, SVC-35)', async () => {
    const { rig, node } = await robotRig();
    await openRoom(rig, node, 'r1', 'DE');
    await passTime(rig, 'two robots come', () => robotsIn(node, 'r1').length === 2);
    await rig.robotPool.putRules(rigApp, { ...rules, enabled: false }, 2);
    await passTime(rig, 'they go', () => robotsIn(node, 'r1').length === 0);
    await rig.robotPool.putRules(rigApp, { ...rules, robotsPerRoomMax: 1 }, 3);
    await passTime(rig, 'one comes', () => robotsIn(node, 'r1').length === 1);
    await passLong(rig);
    expect(robotsIn(node, 'r1')).toHaveLength(1);
  });

  it('do nothing more when the room is closed, and none comes where no rules are', async () => {
    const { rig, node } = await robotRig();
    await openRoom(rig, node, 'r1', 'DE');
    await openRoom(rig, node, 'r3', 'US');
    await passTime(rig, 'two robots come', () => robotsIn(node, 'r1').length === 2);
    await rig.result(
      node,
      rig.send('r1', 'x1', 'boss-r1', { type: 'CloseRoom', reason: '', note: '' }),
    );
    const sent = sentActs(rig);
    await passLong(rig);
    expect(sentActs(rig)).toBe(sent);
    expect(robotsIn(node, 'r3')).toEqual([]);
  });
});

describe('whose robots they are (ROBOT-7)', () => {
  it('a node that has lost its partition sends nothing more, and the next owner goes on with who is there', async () => {
    const { rig, node } = await robotRig({ stayMinMs: 10_000, stayMaxMs: 10_000 });
    await openRoom(rig, node, 'r1', 'DE');
    await passTime(rig, 'two robots come', () => robotsIn(node, 'r1').length === 2);
    node.source.assign([]);
    const next = await rig.startNode('b', { robotSink: rig.robotSink });
    const acts = loggedActs(rig).length;
    await comeIn(rig, next, 'r1', 'u9', 'DE');
    await passTime(rig, 'robots act again', () => loggedActs(rig).length > acts + 3);
    for (const { row, origin } of loggedActs(rig)) expect(origin.epoch).toBe(row.epoch);
    expect(loggedActs(rig).at(-1)?.row.epoch).toBe(next.cell.ownedPartitions()[0]?.epoch);
  });

  it('a command that a former owner’s robot left in the topic is not executed', async () => {
    const { rig, node } = await robotRig({ enabled: false });
    await openRoom(rig, node, 'r1', 'DE');
    const robot = { ...joinRoomBody(), isRobot: true };
    rig.send('r1', 'robot:77:guest:1', 'de3', robot, { role: 'service' });
    await rig.result(node, rig.send('r1', 'after', 'u5', joinRoomBody()));
    expect(robotsIn(node, 'r1')).toEqual([]);
    expect(loggedActs(rig)).toEqual([]);
    const own = `robot:${node.cell.ownedPartitions()[0]?.epoch}:guest:1`;
    await rig.result(node, rig.send('r1', own, 'de3', robot, { role: 'service' }));
    expect(robotsIn(node, 'r1')).toEqual(['de3']);
  });

  it('a gift of a former owner’s robot that may be paid for ends in the log, and its coins come back', async () => {
    const { rig, node } = await robotRig({ enabled: false });
    await openRoom(rig, node, 'r1', 'DE');
    const robot = { ...joinRoomBody(), isRobot: true };
    await rig.result(node, rig.send('r1', 'in', 'de1', robot, { role: 'service' }));
    node.source.assign([]);
    await node.cell.stop();
    const call = rig.send('r1', 'robot:77:host:9', 'de1', giftBody(['u-r1']), { role: 'service' });
    const next = await rig.startNode('b');
    expect(await rig.result(next, call)).toMatchObject({
      outcome: 'rejected',
      reason: 'GIFT_NOT_CHARGED',
      facts: { cause: 'FORMER_ROBOT' },
    });
    expect(rig.database.settlements.size).toBe(1);
    expect(coinsOf(rig, 'de1')).toBe(openingCoins);
  });

  it('robots of a node that drains do nothing more, and stay where they are', async () => {
    const { rig, node } = await robotRig();
    await openRoom(rig, node, 'r1', 'DE');
    await passTime(rig, 'two robots come', () => robotsIn(node, 'r1').length === 2);
    const sent = sentActs(rig);
    await node.cell.drain(1_000);
    await passLong(rig);
    expect(sentActs(rig)).toBe(sent);
    expect([
      ...rig.database.userRooms.rowsBy('room', roomKeyOf(rigApp, 'r1' as RoomId)),
    ]).toHaveLength(3);
  });

  it('a robot whose join nobody knows of comes to no second room', async () => {
    const { rig, node } = await robotRig({ robotsPerRoomMax: 1 });
    await rig.robotPool.putQuota(rigApp, 'DE', 1);
    await node.cell.stop();
    const held: Parameters<CommandSink['produce']>[0][] = [];
    const lost: Pick<CommandSink, 'produce'> = {
      produce: (record) => {
        held.push(record);
        return Promise.resolve(unknownOutcome('no answer'));
      },
    };
    const next = await rig.startNode('b', { robotSink: lost });
    await openRoom(rig, next, 'r1', 'DE');
    await passTime(rig, 'a join is lost', () => held.length === 1);
    await rig.result(next, rig.send('r1', 'l1', 'u-r1', { type: 'LeaveRoom' }));
    await openRoom(rig, next, 'r2', 'DE');
    await passLong(rig);
    expect(held).toHaveLength(1);
    // It was in the topic after all.
    for (const record of held) rig.topic.append(record, rig.time.wallMs());
    await passTime(rig, 'the robot turns up', () => robotsIn(next, 'r1').length === 1);
    expect(robotsIn(next, 'r2')).toEqual([]);
  });
});

describe('robot rooms (ROBOT-1)', () => {
  it('are opened and owned by a robot, filled, and given gifts in, which count nowhere (ROBOT-5, WRK-8)', async () => {
    const { rig, node } = await robotRig({ rooms: [lounge] });
    await passTime(rig, 'five gifts', () => {
      return loggedActs(rig).filter(({ row }) => row.commandType === 'SendGift').length >= 5;
    });
    const state = node.cell.committedRooms().find(({ roomId }) => roomId === 'lounge');
    expect(state).toMatchObject({ ownerUserId: 'de1', heat: 0n, topGiftSenders: [] });
    expect(robotsIn(node, 'lounge')).toEqual(['de1', 'de2']);
    expect(loggedActs(rig).every(({ origin }) => origin.kind === 'host')).toBe(true);
    expect(coinsOf(rig, 'de1')).toBeLessThan(openingCoins);
    expect(rig.database.giftStats.size).toBe(0);
    expect(rig.database.roomWeeks.size + rig.database.userWeeks.size).toBe(0);
  });

  it('are paid for by one account of the wallet where it is named, and nobody earns by them (ROBOT-5)', async () => {
    const { rig } = await robotRig({ rooms: [lounge] }, { robotWalletAccount: 'house' as UserId });
    await passTime(rig, 'five gifts', () => {
      return loggedActs(rig).filter(({ row }) => row.commandType === 'SendGift').length >= 5;
    });
    expect(coinsOf(rig, 'house')).toBeLessThan(openingCoins);
    expect(coinsOf(rig, 'de1')).toBe(openingCoins);
    const accounts = [...rig.wallet.ledger.allAccounts()];
    expect(accounts.filter(({ incomeCoins }) => incomeCoins > 0n)).toEqual([]);
    const gifts = loggedActs(rig).filter(
      ({ row }) => row.commandType === 'SendGift' && row.outcome === 'applied',
    );
    expect(gifts.length).toBeGreaterThan(0);
  });

  it('what robots do there is shown once a second at most, and has no row in the outbox for IM (ROBOT-6, EVT-6, WRK-7, CFG-9, SVC-14, SVC-20, RES-21, NEW-10)', async () => {
    const busy = { pauseMinMs: 200, pauseMaxMs: 200 };
    const { rig, node } = await robotRig({ ...busy, rooms: [lounge] });
    const gifts = () =>
      loggedActs(rig).filter(
        ({ row }) => row.commandType === 'SendGift' && row.outcome === 'applied',
      );
    await passTime(rig, 'the first gift', () => gifts().length > 0);
    const [shownBefore, giftsBefore, sinceMs] = [
      node.displays.offered.length,
      gifts().length,
      rig.time.wallMs(),
    ];
    await passTime(rig, 'twenty gifts', () => gifts().length >= giftsBefore + 20);
    const seconds = (rig.time.wallMs() - sinceMs) / 1_000;
    const shown = node.displays.offered.length - shownBefore;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    const rows = [...rig.database.outbox.values()].filter(
      ({ destination }) => destination === 'im',
    );
    expect(rows.map(({ eventType }) => eventType)).toEqual(['RoomCreated']);
  });

  it('a room that is no longer named is left by its robots', async () => {
    const { rig, node } = await robotRig({ rooms: [{ ...lounge, giftIds: [] }] });
    await passTime(rig, 'it is full', () => robotsIn(node, 'lounge').length === 2);
    await rig.robotPool.putRules(rigApp, rules, 2);
    await passTime(rig, 'it is empty', () => robotsIn(node, 'lounge').length === 0);
  });
});
