/** The judge of robots, before doctored runs: u4 joins r1 and leaves it as if a cell had played it. */
import { describe, expect, it } from 'vitest';
import type { LogRow } from '../../../../src/ports/commit-lane.ts';
import { robotOriginOf } from '../../../simulation/checkers/robot-ids.ts';
import { robots } from '../../../simulation/checkers/robots.ts';
import { both, codec, editRow, isRowOf, itSees, logs, type Doctored } from './doctoring.ts';
import { judged } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();
const appCode = 'app1';

function accountOf(userId: string): Entry {
  const robot = { userId, nickname: userId, avatarUrl: '', countryCode: 'DE' };
  const key = `${appCode}\0${userId}`;
  return { kind: 'row', table: 'robotAccounts', key, row: { appCode, robot } };
}

/** These accounts are in the pool from the start, of which so many may be among people. */
const pool =
  (quota: number, ...userIds: readonly string[]): Doctored =>
  (entries) => {
    const row = { appCode, countryCode: 'DE', robotsMax: quota };
    const key = `${appCode}\0DE`;
    const quotas: Entry = { kind: 'row', table: 'robotQuotas', key, row };
    return [...userIds.map(accountOf), quotas, ...entries];
  };

/** A command of u4 is one of a robot, made under the epoch that executed it or another one. */
const played = (commandId: string, kind: string, epoch?: bigint, fields: Partial<LogRow> = {}) =>
  editRow('log', isRowOf(commandId), (row) => ({
    ...row,
    ...fields,
    commandId: `robot:${epoch ?? row.epoch}:${kind}:1` as LogRow['commandId'],
  }));

const inv51 = (title: string, entries: Doctored, words: RegExp): void =>
  itSees(title, robots, run, { entries }, 'INV-51', words);

describe('INV-51: a robot', () => {
  inv51(
    'is obeyed under the epoch that made its command alone',
    both(pool(1, 'u4'), played('join-u4', 'guest', 77n)),
    /robot:77:guest:1 \(JoinRoom of u4\) is of epoch 77, and epoch \d+ executed it/,
  );
  inv51(
    'is in the pool',
    played('join-u4', 'guest'),
    /robot:\d+:guest:1 \(JoinRoom of u4\) is of nobody who is in the pool/,
  );
  inv51(
    'does what robots do in such a room',
    both(pool(1, 'u2'), played('g3', 'guest')),
    /robot:\d+:guest:1 \(SendGift of u2\) is nothing that a robot does there/,
  );
  inv51(
    'comes within the quota of its country, by the order of ids',
    both(pool(1, 'u4', 'u1'), played('join-u4', 'guest')),
    /of u4\) is number 2 of DE, whose quota was never above 1/,
  );
  inv51('is in one room at a time', pool(1, 'u3'), /u3 is in r1 and r3 at once/);
  inv51(
    'is not taken out for its silence',
    both(
      robotJoins('join-u4', 'u4'),
      logs('leave-u4', [{ type: 'RoomUsersStaleLeft', userIds: ['u4' as never] }]),
    ),
    /leave-u4 takes the robot u4 out for its silence/,
  );

  it('may be refused what another epoch made, and come and go under its own', () => {
    const rejected = played('leave-u4', 'host', 77n, { outcome: 'rejected' });
    const own = played('join-u4', 'guest');
    expect(judged([robots], run(), { entries: both(pool(1, 'u4'), own, rejected) })).toEqual([]);
  });
});

/** The join of a user is one of a robot. */
function robotJoins(commandId: string, userId: string): Doctored {
  return editRow('log', isRowOf(commandId), (row) => {
    const decoded = codec.decodeLoggedEvents(row.events ?? new Uint8Array());
    if (!decoded.ok) throw new Error(decoded.fault);
    const events = decoded.value.map((event) =>
      event.type === 'RoomUserJoined' && event.userId === userId
        ? { ...event, isRobot: true }
        : event,
    );
    return { ...row, events: codec.encodeLoggedEvents(events) };
  });
}

describe('INV-51: gifts', () => {
  /** u4 gives what u2 gave, as a robot. */
  const given = (isUncounted: boolean): Doctored =>
    both(
      robotJoins('join-u2', 'u2'),
      editRow('log', isRowOf('g3'), (row) => {
        const decoded = codec.decodeLoggedEvents(row.events ?? new Uint8Array());
        if (!decoded.ok) throw new Error(decoded.fault);
        const events = decoded.value.map((event) =>
          event.type === 'RoomGiftSent' ? { ...event, isUncounted } : event,
        );
        return { ...row, events: codec.encodeLoggedEvents(events) };
      }),
    );
  const world = { robotGiftsCount: false };

  it('of a robot count nowhere, unless the deployment says so', () => {
    const seen = judged([robots], run(), { world, entries: given(false) });
    expect(seen.map(({ text }) => text)).toContain('the gift of g3 by a robot counts');
    expect(judged([robots], run(), { world, entries: given(true) })).toEqual([]);
  });

  it('of people count', () => {
    const seen = judged([robots], run(), {
      world: { robotGiftsCount: true },
      entries: given(true),
    });
    expect(seen.map(({ text }) => text)).toEqual(['the gift of g3 by a robot does not count']);
    expect(judged([robots], run(), { world })).toEqual([]);
  });
});

describe('the id of a robot’s command', () => {
  it('names its epoch and kind of room; others name none', () => {
    expect(robotOriginOf('robot:12:host:3')).toEqual({ epoch: 12n, kind: 'host' });
    for (const id of ['robot:12:crowd:3', 'robot:x:host:3', 'robot:1:host', 'sys:x:1', '']) {
      expect(robotOriginOf(id)).toBeNull();
    }
  });
});
