/**
 * The IM stand-in refuses what the vendor refuses, by its codes, and the client takes each refusal for what the
 * table of codes says. Every request of the client itself passes: that is its contract suite.
 */
import { describe, expect, it } from 'vitest';
import { ImStandIn } from '../../../../src/drivers/delivery-stand-in/im-stand-in.ts';
import { imActionOf } from '../../../../src/drivers/im-vendor/error-table.ts';
import { VendorImClient, type ImBody } from '../../../../src/drivers/im-vendor/vendor-im-client.ts';
import { createSeededRandom } from '../../../../src/drivers/memory/seeded-random.ts';
import { VirtualTime } from '../../../../src/drivers/memory/virtual-time.ts';

const app = { sdkAppId: 1_400_000_001, adminIdentifier: 'administrator' };
const groupId = 'rc_app1_r1';
const message = { groupId, random: 7, priority: 'Normal', data: '{"event_id":"e1"}' } as const;

/** A client whose requests are changed on their way to the stand-in, and the codes that came back. */
function withChange(change: (command: string, body: ImBody) => ImBody) {
  const time = new VirtualTime({ startWallMs: 1_700_000_000_000 });
  const random = createSeededRandom('im stand-in');
  const standIn = new ImStandIn({ clock: time, timers: time, random });
  const codes: unknown[] = [];
  const post = async (command: string, body: ImBody) => {
    const reply = await standIn.handle(app, command, change(command, body));
    if (reply.kind !== 'answer') throw new Error(reply.kind);
    codes.push(reply.body['ErrorCode']);
    return reply;
  };
  return { time, codes, standIn, client: new VendorImClient(post, time, 1_000) };
}

const content = (fields: object) => ({
  MsgBody: [{ MsgType: 'TIMCustomElem', MsgContent: { Data: 'x', ...fields } }],
});

describe('a message', () => {
  it.each([
    ['without a number', { Random: undefined }, 10004],
    ['whose number is none', { Random: '7' }, 10004],
    ['whose number is a fraction', { Random: 1.5 }, 10004],
    ['whose number has more than 32 bits', { Random: 2 ** 32 }, 10004],
    ['of a priority that there is not', { MsgPriority: 'high' }, 10004],
    ['to a group that is no text', { GroupId: 5 }, 10004],
    ['that forbids a callback that there is not', { ForbidCallbackControl: ['All'] }, 10004],
    ['for those who are online, which no such group knows', { OnlineOnlyFlag: 1 }, 10004],
    ['without an element', { MsgBody: [] }, 90002],
    ['whose body is no list', { MsgBody: { MsgType: 'TIMCustomElem' } }, 90002],
    ['of another element', { MsgBody: [{ MsgType: 'TIMTextElem', MsgContent: {} }] }, 90002],
    ['whose data is no text', content({ Data: { event_id: 'e1' } }), 90002],
    ['above 12 KB', content({ Data: 'x'.repeat(12 * 1024) }), 80002],
  ] as const)('%s is refused for good', async (_what, fields, code) => {
    const { client, codes } = withChange((command, body) =>
      command === 'send_group_msg' ? { ...body, ...fields } : body,
    );
    await client.ensureGroup(groupId, 'One');
    expect(await client.sendGroupMessage(message)).toMatchObject({ kind: 'permanent' });
    expect(codes.at(-1)).toBe(code);
    expect(imActionOf(code)).toBe('permanent');
  });
});

describe('a group', () => {
  it.each([
    ['of no type', { Type: 'Room' }, 10004],
    ['without a name', { Name: '' }, 10004],
    ['whose name is longer than 30 bytes', { Name: '名'.repeat(11) }, 10004],
    ['whose id is longer than 48 bytes', { GroupId: 'x'.repeat(49) }, 10004],
    ['whose id is not printable ASCII', { GroupId: 'rä' }, 10004],
    ['whose id is the vendor’s own', { GroupId: '@TGS#1' }, 10004],
    ['that comes with members', { MemberList: [] }, 10007],
  ] as const)('%s is refused for good', async (_what, fields, code) => {
    const { client, codes } = withChange((_command, body) => ({ ...body, ...fields }));
    expect(await client.ensureGroup(groupId, 'One')).toMatchObject({ kind: 'permanent' });
    expect(codes).toEqual([code]);
  });
});

describe('a notification', () => {
  it.each([
    ['whose content is no text', { Content: {} }, 10004],
    ['to single members', { ToMembers_Account: ['u1'] }, 10007],
  ] as const)('%s is refused for good', async (_what, fields, code) => {
    const { client, codes } = withChange((command, body) =>
      command === 'create_group' ? body : { ...body, ...fields },
    );
    await client.ensureGroup(groupId, 'One');
    expect(await client.sendGroupNotification(groupId, 'x')).toMatchObject({ kind: 'permanent' });
    expect(codes.at(-1)).toBe(code);
  });
});

describe('a ban', () => {
  const accounts = (count: number) => Array.from({ length: count }, (_, n) => `u${n}`);
  const of = (command: string, fields: object) => (asked: string, body: ImBody) =>
    asked === command ? { ...body, ...fields } : body;

  it.each([
    ['in a group that is no text', { GroupId: 5 }, 10004],
    ['of nobody', { Members_Account: [] }, 10004],
    ['of somebody who stands in no list', { Members_Account: 'u1' }, 10004],
    ['of an account that is no text', { Members_Account: [5] }, 10004],
    ['of an account without a name', { Members_Account: [''] }, 10004],
    ['of more than 20 at once', { Members_Account: accounts(21) }, 10005],
    ['without a time', { Duration: undefined }, 10004],
    ['whose time is a text', { Duration: '60' }, 10004],
    ['whose time is a fraction', { Duration: 1.5 }, 10004],
    ['for no time at all', { Duration: 0 }, 10004],
    ['whose time has more than 32 bits', { Duration: 2 ** 32 }, 10004],
    ['whose words are no text', { Description: {} }, 10004],
    ['whose words are longer than 1,000 bytes', { Description: '名'.repeat(334) }, 10004],
  ] as const)('%s is refused for good', async (_what, fields, code) => {
    const { client, codes, standIn } = withChange(of('ban_group_member', fields));
    await client.ensureGroup(groupId, 'One');
    expect(await client.banMember(groupId, 'u1', 60)).toMatchObject({ kind: 'permanent' });
    expect(codes.at(-1)).toBe(code);
    expect(standIn.groups.show()[0]?.banned).toEqual([]);
  });

  it.each([
    ['in a group that is no text', { GroupId: 5 }, 10004],
    ['of nobody', { Members_Account: [] }, 10004],
    ['of an account that is no text', { Members_Account: [null] }, 10004],
    ['of more than 20 at once', { Members_Account: accounts(21) }, 10005],
  ] as const)('that is to end, %s, is refused for good', async (_what, fields, code) => {
    const { client, codes } = withChange(of('unban_group_member', fields));
    await client.ensureGroup(groupId, 'One');
    expect(await client.unbanMember(groupId, 'u1')).toMatchObject({ kind: 'permanent' });
    expect(codes.at(-1)).toBe(code);
  });

  it('is not for a group of another type', async () => {
    const { client, codes } = withChange(of('create_group', { Type: 'Public' }));
    await client.ensureGroup(groupId, 'One');
    expect(await client.banMember(groupId, 'u1', 60)).toMatchObject({ kind: 'permanent' });
    expect(codes.at(-1)).toBe(10007);
  });

  it('of twenty with words passes, and ends by itself', async () => {
    const fields = { Members_Account: accounts(20), Description: 'x'.repeat(1_000) };
    const { client, standIn, time } = withChange(of('ban_group_member', fields));
    await client.ensureGroup(groupId, 'One');
    expect(await client.banMember(groupId, 'u1', 60)).toEqual({ kind: 'done' });
    expect(standIn.groups.show()[0]?.banned).toHaveLength(20);
    await time.advance(60_000);
    expect(standIn.groups.show()[0]?.banned).toEqual([]);
  });
});

describe('requests', () => {
  it('of one command are throttled above 200 a second and app, and those of another are not', async () => {
    const { client, codes, time } = withChange((_command, body) => body);
    for (let nth = 0; nth < 200; nth += 1) await client.ensureGroup(`g${nth}`, 'One');
    expect(await client.ensureGroup('one more', 'One')).toMatchObject({ kind: 'throttled' });
    expect(codes.at(-1)).toBe(60007);
    expect(await client.sendGroupMessage({ ...message, groupId: 'g1' })).toEqual({ kind: 'done' });
    for (let nth = 0; nth < 200; nth += 1) await client.banMember('g1', `u${nth}`, 60);
    expect(await client.banMember('g1', 'u1', 60)).toMatchObject({ kind: 'throttled' });
    expect(await client.unbanMember('g1', 'u1')).toEqual({ kind: 'done' });
    await time.advance(1_000);
    expect(await client.ensureGroup('one more', 'One')).toEqual({ kind: 'done' });
  });
});
