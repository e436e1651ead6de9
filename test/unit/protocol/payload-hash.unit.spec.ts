import { describe, expect, it } from 'vitest';
import type { GiftId, UserId } from '../../../src/domain/ids.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import type { CreateRoom, UpdateRoomProfile } from '../../../src/domain/room/room-commands.ts';
import type { JoinRoom } from '../../../src/domain/presence/presence-commands.ts';
import type { SendGift } from '../../../src/domain/gift/gift-commands.ts';
import { payloadHash } from '../../../src/protocol/payload-hash.ts';

const join: JoinRoom = {
  type: 'JoinRoom',
  profile: { nickname: 'Ann', avatarUrl: 'https://a/1.png', countryCode: 'CN', ext: '' },
  isRobot: false,
  password: { passwordVersion: 3n, verdict: 'match' },
  isPlatformBanned: false,
};

const create: CreateRoom = {
  type: 'CreateRoom',
  title: 'Evening talk',
  coverUrl: '',
  backgroundUrl: '',
  seatCount: 8,
  mode: 'free',
  visibleRegionId: 9007199254740993n,
  passwordHash: 'scrypt$x',
  tags: ['a', 'b'],
  ext: '',
};

const nothing: UpdateRoomProfile = {
  type: 'UpdateRoomProfile',
  title: null,
  coverUrl: null,
  announcement: null,
  backgroundUrl: null,
  tags: null,
  ext: null,
};

const gift: SendGift = {
  type: 'SendGift',
  giftId: 'rose' as GiftId,
  giftCount: 9_999,
  targetUserIds: ['u9007199254740993' as UserId, 'u9007199254740992' as UserId],
  comboId: '连击-1',
};

function hex(body: CommandBody, actor = 'u1'): string {
  return Buffer.from(payloadHash({ actorUserId: actor as UserId, body }).hash).toString('hex');
}

describe('payloadHash', () => {
  it('is pinned: rows of every past release are compared in this form', () => {
    expect([hex(join), hex(create), hex({ type: 'LeaveRoom' }), hex(gift)]).toEqual([
      '492a4b631fee75f0e87cf5108b30b124d0958699d7be332227c6c0f234c6903c',
      '84120797c0487524444e1bdd402e4b56234f933a0de65d70ba7ebd9a5f8aa34b',
      '90a146281cde8b0238a2853ad72b3556f886bf9f0be242f7f5f29327c7e9c9cb',
      'e63046140eaee7b9c1cc1c4d3bcfe5459fbf3ca9a313be310729dc58c7bc38b2',
    ]);
  });

  it('says which form it is', () => {
    expect(payloadHash({ actorUserId: 'u1' as UserId, body: join }).version).toBe(1);
  });

  it('depends on the actor, the type and every business field', () => {
    const hashes = [
      hex(create),
      hex(create, 'u2'),
      hex({ ...create, title: 'Evening tall' }),
      hex({ ...create, seatCount: 9 }),
      hex({ ...create, mode: 'apply' }),
      hex({ ...create, visibleRegionId: 9007199254740992n }),
      hex({ ...create, passwordHash: '' }),
      hex({ ...create, tags: ['ab'] }),
      hex({ ...create, tags: ['a', 'b', ''] }),
      hex({ ...create, tags: ['b', 'a'] }),
      hex({ type: 'LeaveRoom' }),
      hex({ type: 'MicUp', seatNo: 0 }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('sees every field of a gift, and the order of its targets, which is that of its events', () => {
    const hashes = [
      hex(gift),
      hex({ ...gift, giftId: 'rosa' as GiftId }),
      hex({ ...gift, giftCount: 9_998 }),
      hex({ ...gift, comboId: '' }),
      hex({ ...gift, targetUserIds: gift.targetUserIds.slice(0, 1) }),
      hex({ ...gift, targetUserIds: gift.targetUserIds.toReversed() }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('leaves out the password verdict, which the gateway may refresh between tries', () => {
    const fresh: JoinRoom = { ...join, password: { passwordVersion: 4n, verdict: 'mismatch' } };
    expect(hex(fresh)).toBe(hex(join));
  });

  it('leaves out the look at the platform’s bans, which may end between two tries', () => {
    expect(hex({ ...join, isPlatformBanned: true })).toBe(hex(join));
  });

  it('of a profile’s change tells a part that is cleared from one that is left as it is', () => {
    const texts = ['title', 'coverUrl', 'announcement', 'backgroundUrl', 'ext'] as const;
    const changes: readonly UpdateRoomProfile[] = [
      nothing,
      ...texts.map((part) => ({ ...nothing, [part]: '' })),
      ...texts.map((part) => ({ ...nothing, [part]: 'x' })),
      { ...nothing, tags: [] },
      { ...nothing, tags: [''] },
    ];
    const hashes = changes.map((body) => hex(body));
    expect(new Set(hashes).size).toBe(changes.length);
    expect([hashes[0], hashes[1], hashes.at(-2)]).toEqual([
      'ac4edf2f7427fc35121a93dd085a3c100dbd3b839d766726f316c111ffb2d273',
      'df1f58bfc9868260c81ab16a3ba76c79514b4190dcf24d8c22e249abb7a7b802',
      'e94bb0e0b88477967aa6ddb8751387ba6a79baadefe03d4df3b41017f7293a85',
    ]);
  });

  it('of a profile’s change is unchanged by a part that a later release adds and nobody gives', () => {
    const later = (welcomeText: string | null): CommandBody =>
      ({ ...nothing, welcomeText }) as never;
    expect(hex(later(null))).toBe(hex(nothing));
    expect(hex(later(''))).not.toBe(hex(nothing));
  });

  it('does not see the order in which fields were written', () => {
    const { type, profile, ...rest } = join;
    const { ext, ...named } = profile;
    expect(hex({ ...rest, profile: { ext, ...named }, type })).toBe(hex(join));
  });

  it('is unchanged by a field that a later release adds and nobody fills', () => {
    const later = { ...create, welcomeText: '', minLevel: 0, extras: {}, flags: [], bonus: 0n };
    expect(hex(later)).toBe(hex(create));
    expect(hex({ ...create, welcomeText: 'hi' } as CommandBody)).not.toBe(hex(create));
  });

  it('does not confuse a text with a number or where one text ends', () => {
    const tags = (...list: string[]): string => hex({ ...create, tags: list });
    expect(tags('1:a')).not.toBe(tags('1', 'a'));
    expect(hex({ ...create, ext: '5' })).not.toBe(hex({ ...create, ext: 5 as unknown as string }));
  });
});
