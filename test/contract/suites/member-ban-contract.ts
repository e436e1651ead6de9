/** What every ImClient must do about bans from a group; a part of its suite. */
import { expect, it } from 'vitest';
import type { ShownGroup } from '../../../src/drivers/delivery-stand-in/im-groups.ts';
import { banSecondsMax } from '../../../src/ports/im-client.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import type { ImClientFixture, OrderedFault } from './im-client-contract.ts';

/** The suite's own ways. */
export interface MemberBanParts {
  fixture(): ImClientFixture;
  freshGroup(): Promise<string>;
  order(fault: OrderedFault): void;
  shown(groupId: string): ShownGroup | undefined;
  /** The outcome of a call that must end within its bound. */
  inTime(call: Promise<SendOutcome>): Promise<SendOutcome>;
}

const done = { kind: 'done' };
const hourMs = 3_600_000;
/** Codes of an account that the vendor does not know. */
const noAccount = [10019, 70107];

/** Declares its tests. */
export function memberBanContract(parts: MemberBanParts): void {
  const { freshGroup, order, shown, inTime } = parts;
  const client = () => parts.fixture().client;
  const bannedIn = (groupId: string) => shown(groupId)?.banned.map(({ user_id: id }) => id);
  /** How long a user's ban still lasts, to the minute. */
  const minutesOf = (groupId: string, now: number): number | undefined => {
    const untilMs = shown(groupId)?.banned[0]?.until_ms;
    return untilMs === undefined ? undefined : Math.round((untilMs - now) / 60_000);
  };
  /** A ban of one second shows what time it is there. */
  const nowThere = async (groupId: string): Promise<number> => {
    await client().banMember(groupId, 'clock', 1);
    const untilMs = shown(groupId)?.banned.find(({ user_id: id }) => id === 'clock')?.until_ms;
    await client().unbanMember(groupId, 'clock');
    return (untilMs ?? 0) - 1_000;
  };

  it('bans a user from one group for its time, and lets it in again', async () => {
    const [groupId, other] = [await freshGroup(), await freshGroup()];
    const now = await nowThere(groupId);
    expect(await client().banMember(groupId, 'u1', hourMs / 1_000)).toEqual(done);
    expect(minutesOf(groupId, now)).toBe(60);
    expect(await client().banMember(groupId, 'u2', 60)).toEqual(done);
    expect([bannedIn(groupId), bannedIn(other)]).toEqual([['u1', 'u2'], []]);
    expect(await client().unbanMember(groupId, 'u1')).toEqual(done);
    expect(bannedIn(groupId)).toEqual(['u2']);
  });

  it('gives a ban the end that was asked for last, and takes the longest there is', async () => {
    const groupId = await freshGroup();
    const now = await nowThere(groupId);
    expect(await client().banMember(groupId, 'u1', banSecondsMax)).toEqual(done);
    expect(minutesOf(groupId, now)).toBeGreaterThan(100 * 365 * 24 * 60);
    expect(await client().banMember(groupId, 'u1', 2 * 60)).toEqual(done);
    expect(minutesOf(groupId, now)).toBe(2);
  });

  it('is done with an unban where nothing is banned: no ban, no group, no account', async () => {
    const groupId = await freshGroup();
    expect(await client().unbanMember(groupId, 'u1')).toEqual(done);
    expect(await client().unbanMember('rc_app1_unknown', 'u1')).toEqual(done);
    expect(shown('rc_app1_unknown')).toBeUndefined();
    for (const code of noAccount) {
      order({ kind: 'error_code', code, command: 'unban_group_member' });
      expect(await client().unbanMember(groupId, 'u1')).toEqual(done);
    }
  });

  it('is done with a ban of an account that there is not, and tries it once', async () => {
    const groupId = await freshGroup();
    for (const code of noAccount) {
      order({ kind: 'error_code', code, command: 'ban_group_member' });
      expect(await client().banMember(groupId, 'u1', 60)).toEqual(done);
    }
    expect(bannedIn(groupId)).toEqual([]);
  });

  it('makes a missing group once and bans after all; missing again is for ever', async () => {
    expect(await client().banMember('rc_app1_gone', 'u1', 60)).toEqual(done);
    expect(bannedIn('rc_app1_gone')).toEqual(['u1']);
    order({ kind: 'error_code', code: 10010, command: 'ban_group_member', times: 2 });
    expect(await client().banMember('rc_app1_gone', 'u2', 60)).toMatchObject({
      kind: 'permanent',
    });
    order({ kind: 'error_code', code: 10010, command: 'ban_group_member' });
    order({ kind: 'error_code', code: 10036, command: 'create_group' });
    expect(await client().banMember('rc_app1_gone', 'u2', 60)).toMatchObject({
      kind: 'permanent',
      error: expect.stringContaining('10036') as string,
    });
    expect(bannedIn('rc_app1_gone')).toEqual(['u1']);
  });

  it('sorts what else the vendor says of bans by whether a repeat can help', async () => {
    const groupId = await freshGroup();
    for (const [code, kind] of [
      [10002, 'retryable'],
      [123_456, 'retryable'],
      [60007, 'throttled'],
      [10004, 'permanent'],
      [10007, 'permanent'],
      // No plan with bans, or its switch is off.
      [10059, 'permanent'],
    ] as const) {
      order({ kind: 'error_code', code, times: 2 });
      expect(await client().banMember(groupId, 'u1', 60), `${code}`).toMatchObject({ kind });
      expect(await client().unbanMember(groupId, 'u1'), `${code}`).toMatchObject({ kind });
    }
    expect(bannedIn(groupId)).toEqual([]);
  });

  it('does not know of a ban without an answer whether it was made', async () => {
    const groupId = await freshGroup();
    order({ kind: 'cut_after_store', command: 'ban_group_member' });
    expect(await client().banMember(groupId, 'u1', 60)).toMatchObject({ kind: 'unknown' });
    expect(bannedIn(groupId)).toEqual(['u1']);
    order({ kind: 'hang', command: 'unban_group_member' });
    expect(await inTime(client().unbanMember(groupId, 'u1'))).toMatchObject({ kind: 'unknown' });
    expect(bannedIn(groupId)).toEqual(['u1']);
  });

  it('loses the bans of a group with the group', async () => {
    const groupId = await freshGroup();
    await client().banMember(groupId, 'u1', 60);
    await client().dissolveGroup(groupId);
    await client().ensureGroup(groupId, 'One');
    expect(bannedIn(groupId)).toEqual([]);
  });
}
